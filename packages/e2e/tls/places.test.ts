/** Ports of TLS: beside the plain one, alone, switched while running; and starts that are refused. */
// test-tier: long
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  Certificates,
  freePort,
  mainFile,
  needs,
  RespClient,
  settingArguments,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';
import { connectSecurely, SecureServer, tlsArguments } from './tls-server.ts';

const places = suite('places of tls');

let certificates: Certificates;
let server: SecureServer;

places.before(async () => {
  certificates = new Certificates();
  server = await SecureServer.start(certificates);
});
places.after(async () => {
  await server.stop();
  certificates.remove();
});

const at = (file: string): string => path.join(certificates.folder, file);

/** Returns the reply to PING over TLS; empty if the port has no listener. */
const ping = async (port: number): Promise<string> => {
  try {
    const client = RespClient.over(await connectSecurely(port, certificates));
    const reply = await client.call('PING');
    await client.end();
    return textOf(reply);
  } catch {
    return 'none';
  }
};

const listeners = async (): Promise<string[]> => {
  const lines = (await server.call('INFO', 'server')).split('\r\n');
  return lines.filter((line) => /^(listener|tcp_port)/.test(line));
};

places('both ports answer, and INFO tells of both', async () => {
  const { port } = server.plain;
  assert.is(await ping(server.tlsPort), 'PONG');
  assert.is(await server.call('PING'), 'PONG');
  assert.equal(await listeners(), [
    `tcp_port:${port}`,
    `listener0:name=tcp,bind=127.0.0.1,port=${port}`,
    `listener2:name=tls,bind=127.0.0.1,port=${server.tlsPort}`,
  ]);
  const line = `127.0.0.1:${port}, 127.0.0.1:${server.tlsPort} (TLS)`;
  await until(() => server.plain.stdout.includes(line), 'the log tells of both');
});

places('tls-port moves, goes and comes back, and open connections stay', async () => {
  const stays = await server.client();
  const other = await freePort(server.plain.port);
  assert.is(await server.set('tls-port', String(other)), 'OK');
  assert.equal([await ping(other), await ping(server.tlsPort)], ['PONG', 'none']);
  assert.is(await server.set('tls-port', '0'), 'OK');
  assert.equal([await ping(other), await ping(server.tlsPort)], ['none', 'none']);
  assert.is(await server.call('CONFIG', 'GET', 'tls-port'), '["tls-port","0"]');
  assert.is((await listeners()).length, 2);
  assert.is(await server.set('tls-port', String(server.tlsPort)), 'OK');
  assert.is(await ping(server.tlsPort), 'PONG');
  assert.is(await stays.call('PING'), 'PONG');
  await stays.end();
});

places('a port that is taken changes nothing', async () => {
  const reason = "(possibly related to argument 'tls-port') - Unable to listen on this port: ";
  const refusal = await server.set('hz', '33', 'tls-port', String(server.plain.port));
  assert.ok(refusal.includes(reason), refusal);
  assert.is(await server.call('CONFIG', 'GET', 'hz'), '["hz","10"]');
  assert.equal([await ping(server.tlsPort), await server.call('PING')], ['PONG', 'PONG']);
  assert.match(await server.set('tls-port', '70000'), 'must be between 0 and 65535 inclusive');
});

places('the plain port can be left while running', async () => {
  const client = await server.client();
  assert.is(await client.call('CONFIG', 'SET', 'port', '0'), 'OK');
  const info = textOf(await client.call('INFO', 'server'));
  assert.match(info, new RegExp(`tcp_port:${server.tlsPort}\r\n`));
  assert.not.match(info, /listener0/);
  assert.instance(await RespClient.connect({ port: server.plain.port }).catch(Error), Error);
  assert.is(await client.call('CONFIG', 'SET', 'port', String(server.plain.port)), 'OK');
  await client.end();
});

places('TLS is switched on in a server that began without, once it has what it needs', async () => {
  const plain = await startServer({ shards: 1 });
  const client = await plain.client();
  const set = async (...words: string[]): Promise<string> =>
    textOf(await client.reply('CONFIG', 'SET', ...words));
  const port = await freePort(plain.port);
  assert.match(await set('tls-port', String(port)), 'tls.cert-file is not set, which TLS needs');
  const { certificate, key } = certificates.server;
  assert.is(await set('tls-cert-file', certificate), 'OK', 'nothing needs it yet');
  assert.is(await set('tls-key-file', key, 'tls-port', String(port)), 'OK');
  assert.is(await ping(port), 'PONG');
  await plain.stop();
});

/** Starts a server without a plain port; answers what ends it. */
async function withoutPlain(folder: string, args: readonly string[], tlsPort: number) {
  const bare = ['--set', 'http.enabled=false', '--set', 'persistence.enabled=no', '--shards', '1'];
  const child = spawn(process.execPath, [mainFile, ...bare, ...args], { cwd: folder });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const closed = new Promise((resolve) => child.on('close', resolve));
  const end = async (): Promise<string> => {
    child.kill();
    await closed;
    return output;
  };
  try {
    await until(async () => (await ping(tlsPort)) === 'PONG', 'it answers over TLS');
  } catch (error) {
    throw new Error(await end(), { cause: error });
  }
  return end;
}

places('TLS alone: port 0', async () => {
  const tlsPort = await freePort();
  const args = ['--port', '0', ...tlsArguments(certificates, tlsPort)];
  const end = await withoutPlain(certificates.folder, args, tlsPort);
  const output = await end();
  assert.not.match(output, /no-listener|There is no address/);
});

places('a redis.conf with tls-port asks for client certificates, as Redis does', async () => {
  const tlsPort = await freePort();
  const { server: pair, authority } = certificates;
  const lines = [
    ...['bind 127.0.0.1', 'port 0', `tls-port ${tlsPort}`, `tls-cert-file ${pair.certificate}`],
    ...[`tls-key-file ${pair.key}`, `tls-ca-cert-file ${authority.certificate}`],
  ];
  const file = at('redis.conf');
  const print = async (...more: string[]): Promise<string> => {
    writeFileSync(file, [...lines, ...more, ''].join('\n'));
    const { stdout, stderr } = await runMain(['--config', file, '--print-config']);
    assert.is(stderr.includes('Error'), false, stderr);
    return /client-certs = .*/.exec(stdout)?.[0] ?? '';
  };
  assert.is(await print(), 'client-certs = "required"');
  assert.is(await print('tls-auth-clients optional'), 'client-certs = "optional"');
  assert.is(await print('tls-auth-clients no'), 'client-certs = "none"');
  const end = await withoutPlain(certificates.folder, ['--config', file], tlsPort);
  await end();
});

places('CONFIG REWRITE keeps what was switched on', async () => {
  const toml = `[server]\nhz = 10\n`;
  const rewritten = await startServer({ shards: 1, toml });
  const client = await rewritten.client();
  const port = await freePort(rewritten.port);
  const { certificate, key } = certificates.server;
  const words = ['tls-cert-file', certificate, 'tls-key-file', key, 'tls-port', String(port)];
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
  assert.is(await client.call('CONFIG', 'REWRITE'), 'OK');
  const text = readFileSync(path.join(rewritten.folder, 'svc.toml'), 'utf8');
  for (const line of ['enabled = true', `port = ${port}`, `cert-file = "${certificate}"`]) {
    assert.ok(text.includes(line), text);
  }
  await rewritten.stop();
});

places('a start that cannot have TLS is refused with a whole sentence', async () => {
  const { certificate, key } = certificates.server;
  const second = certificates.newPair('second', 'second.test');
  certificates.newPair('locked', 'locked.test', { passphrase: 'right one' });
  writeFileSync(at('garbage.pem'), 'no certificate at all');
  const good = { 'tls.enabled': 'yes', 'tls.cert-file': certificate, 'tls.key-file': key };
  const refused: readonly (readonly [Readonly<Record<string, string>>, sentence: string])[] = [
    [{ 'tls.cert-file': '' }, 'tls.cert-file is not set, which TLS needs'],
    [{ 'tls.key-file': '' }, 'tls.key-file is not set, which TLS needs'],
    [{ 'tls.cert-file': at('none') }, `tls.cert-file: cannot read ${at('none')}: it is not there`],
    [{ 'tls.key-file': second.key }, `${certificate} with the key ${second.key} cannot be used: k`],
    [{ 'tls.key-file': at('locked.key') }, 'cannot be used'],
    [{ 'tls.ca-file': at('garbage.pem') }, 'garbage.pem contains no readable certificates'],
    [{ 'tls.client-certs': 'required' }, 'tls.client-certs is required, which needs authorities'],
    [{ 'tls.ciphers': 'none-such' }, 'tls.ciphers ("none-such") and'],
    [{ 'tls.enabled': 'no', 'http.tls': 'yes', 'tls.key-file': at('none') }, 'it is not there'],
  ];
  const refuse = async (args: readonly string[], sentence: string): Promise<void> => {
    const end = await runMain(args);
    assert.is(end.exitCode, 1, `${args.join(' ')}: ${end.stdout}`);
    assert.ok(end.stderr.includes(sentence), `${args.join(' ')}: ${end.stderr}`);
    assert.not.match(end.stderr, /^\s+at /m);
  };
  for (const [nth, [settings, sentence]] of refused.entries()) {
    const args = settingArguments({ ...good, ...settings });
    await refuse([...args, '--check-config'], sentence);
    // Both ask the same: that is shown for some of them.
    if (nth % 4 === 2) await refuse([...args, '--port', '0'], sentence);
  }
  const end = await runMain([...settingArguments(good), '--check-config']);
  assert.equal([end.exitCode, end.stderr], [0, '']);
});

if (needs('openssl')) places.run();
