/** Addresses that a server listens on, the clients it accepts, and its messages when it cannot start. */
// test-tier: long
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, freePort, RespClient, startServer, talk, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';

const listening = suite('listening');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-listen-'));
listening.after(() => {
  rmSync(folder, { recursive: true });
});

async function using(server: ChildServer, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } finally {
    await server.stop();
  }
}

const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
const hasIpv6 = addresses.some(({ address }) => address === '::1');
/** An address of this machine that is not the loopback's. */
const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

listening('serves a unix socket beside TCP, and takes it away at the end', async () => {
  const socket = path.join(folder, 'svc.sock');
  const mode = ['--set', 'server.unix-socket-permissions=700'];
  const server = await startServer({ args: ['--unix-socket', socket, ...mode] });
  await using(server, async () => {
    assert.ok(statSync(socket).isSocket());
    assert.is(statSync(socket).mode & 0o777, 0o700);
    const client = await RespClient.connect({ path: socket });
    assert.is(await client.call('SET', 'by', 'unix'), 'OK');
    assert.match(textOf(await client.call('CLIENT', 'INFO')), / addr=\S*svc\.sock:0 .* flags=U /);
    assert.is(await (await server.client()).call('GET', 'by'), 'unix');
    await client.end();
    await server.shutDown();
  });
  assert.not.ok(existsSync(socket));
});

listening('takes the place of a socket file that nobody serves, not of one in use', async () => {
  const socket = path.join(folder, 'stale.sock');
  const first = await startServer({ args: ['--unix-socket', socket] });
  const second = await runMain(['--port', '0', '--unix-socket', socket]);
  assert.is(second.exitCode, 1);
  assert.match(second.stderr, /cannot listen on .*stale\.sock/);
  first.signal('SIGKILL');
  await first.ended;
  assert.ok(existsSync(socket), 'a killed server leaves its file behind');
  await first.stop();
  const third = await startServer({ args: ['--unix-socket', socket] });
  await using(third, async () => {
    const client = await RespClient.connect({ path: socket });
    assert.is(await client.call('PING'), 'PONG');
    await client.end();
  });
});

listening('serves several addresses, IPv6 among them', async () => {
  const bind = hasIpv6 ? '127.0.0.1 127.0.0.2 ::1' : '127.0.0.1 127.0.0.2';
  const server = await startServer({ args: ['--set', `server.bind=${bind}`] });
  await using(server, async () => {
    const hosts = ['127.0.0.1', '127.0.0.2', ...(hasIpv6 ? ['::1'] : [])];
    for (const host of hosts) {
      const client = await RespClient.connect({ port: server.port, host });
      assert.is(await client.call('PING'), 'PONG');
      const shown = host.includes(':') ? `[${host}]` : host;
      const info = textOf(await client.call('CLIENT', 'INFO'));
      assert.ok(info.includes(` laddr=${shown}:${server.port} `), info);
      await client.end();
    }
  });
});

listening('goes on without an optional address, and not without a wanted one', async () => {
  const server = await startServer({ args: ['--set', 'server.bind=127.0.0.1 -192.0.2.1'] });
  await using(server, async () => {
    assert.is(await (await server.client()).call('PING'), 'PONG');
  });
  const port = String(await freePort());
  const end = await runMain(['--port', port, '--set', 'server.bind=127.0.0.1 192.0.2.1']);
  assert.is(end.exitCode, 1);
  assert.match(end.stderr, /^svc: cannot listen on 192\.0\.2\.1:\d+: .+\n$/);
});

listening('a port in use is said in one line, and ends with 1', async () => {
  const other = net.createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as net.AddressInfo;
  const end = await runMain(['--port', String(port), '--bind', '127.0.0.1']);
  other.close();
  assert.equal(end, {
    exitCode: 1,
    stdout: '',
    stderr: `svc: cannot listen on 127.0.0.1:${port}: the address is in use; choose another with --port\n`,
  });
});

listening('a socket that cannot be had is said with its reason', async () => {
  const missing = path.join(folder, 'none', 'svc.sock');
  const noFolder = await runMain(['--port', '0', '--unix-socket', missing]);
  assert.match(noFolder.stderr, `there is no folder ${path.dirname(missing)}; choose another`);
  const plain = path.join(folder, 'plain');
  writeFileSync(plain, 'precious');
  const noSocket = await runMain(['--port', '0', '--unix-socket', plain]);
  assert.match(noSocket.stderr, 'the file exists and is not a socket; choose another with --unix');
  const foreign = await runMain(['--bind', '192.0.2.1', '--port', String(await freePort())]);
  assert.match(foreign.stderr, 'it is not an address of this machine; choose another with --bind');
});

listening('a start says where clients, data and pages are', async () => {
  const server = await startServer({ shards: 2, http: true });
  await using(server, async () => {
    await until(() => server.stdout.includes('svc is ready'), 'it is said');
    const said = [
      `svc is ready: clients at 127.0.0.1:${server.port}`,
      '2 shards',
      `data in ${path.join(server.folder, 'svc-data')}`,
      `pages at http://127.0.0.1:${server.httpPort}/debug/`,
    ];
    assert.match(server.stdout, said.join('; '));
  });
});

const badFiles: readonly (readonly [what: string, toml: string, said: RegExp])[] = [
  ['that is no TOML', '[server\nport = 1', /svc\.toml/],
  ['with a setting that does not exist', '[server]\nprot = 6379', /server\.prot/],
  ['with a port that is none', '[server]\nport = 70000', /server\.port/],
  ['with a number too large for a number', '[server]\nport = 99999999999999999999', /server\.port/],
  ['with a text where a number belongs', '[server]\nport = "many"', /server\.port/],
];

for (const [what, toml, said] of badFiles) {
  listening(`a configuration file ${what} is refused`, async () => {
    const file = path.join(folder, 'svc.toml');
    writeFileSync(file, toml);
    const end = await runMain(['--config', file]);
    assert.is(end.exitCode, 1);
    assert.match(end.stderr, said);
    assert.match(end.stderr, /^svc: /);
    assert.not.match(end.stderr, /\n\s+at /, 'without a stack');
    assert.is(end.stdout, '');
  });
}

listening('a configuration file that does not exist is refused', async () => {
  const end = await runMain(['--config', path.join(folder, 'none.toml')]);
  assert.is(end.exitCode, 1);
  assert.match(end.stderr, /none\.toml/);
});

listening('protected mode refuses other machines while there is no password', async () => {
  const host = outside ?? '127.0.0.1';
  const refused = outside !== undefined;
  const server = await startServer({ args: ['--set', 'server.bind=0.0.0.0'] });
  await using(server, async () => {
    const address = { port: server.port, host };
    const answer = await talk(address, 'PING\r\n', refused ? undefined : '\r\n');
    assert.match(answer, refused ? /^-DENIED .*protected mode.*\r\n$/ : /^\+PONG/);
    const admin = await server.client();
    assert.is(await admin.call('PING'), 'PONG', 'this machine is let in');
    await admin.call('CONFIG', 'SET', 'protected-mode', 'no');
    assert.is(await talk(address, 'PING\r\n', '\r\n'), '+PONG\r\n');
    await admin.call('CONFIG', 'SET', 'protected-mode', 'yes');
    await admin.call('CONFIG', 'SET', 'requirepass', 'secret');
    assert.match(await talk(address, 'PING\r\n', '\r\n'), /^-NOAUTH /);
  });
});

listening.run();
