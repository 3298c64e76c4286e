/** Settings of [tls], each by its effect on those who connect. */
import { once } from 'node:events';
import net from 'node:net';
import type { EphemeralKeyInfo, SecureVersion, TLSSocket } from 'node:tls';
import { constants } from 'node:crypto';
import { Certificates, needs, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endOf, SecureServer, sessionOf, type SecureOptions } from './tls-server.ts';

const settings = suite('settings of tls');

let certificates: Certificates;
let server: SecureServer;

settings.before(async () => {
  certificates = new Certificates();
  server = await SecureServer.start(certificates, {}, { http: true });
});
settings.after(async () => {
  await server.stop();
  certificates.remove();
});

const set = async (...words: string[]): Promise<void> => {
  assert.is(await server.set(...words), 'OK', words.join(' '));
};

/** Looks at a connection; answers what it shows, or the code of the error that it ended with. */
async function look<T>(
  options: SecureOptions,
  shown: (socket: TLSSocket) => T,
): Promise<T | string> {
  try {
    const socket = await server.connect(options);
    const seen = shown(socket);
    socket.destroy();
    return seen;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}
const versionOf = (options: SecureOptions): Promise<string | null> =>
  look(options, (socket) => socket.getProtocol());
const cipherOf = (options: SecureOptions): Promise<string> =>
  look(options, (socket) => socket.getCipher().name);
const speaking = (version: SecureVersion): SecureOptions => ({
  minVersion: version,
  maxVersion: version,
});

settings('tls-protocols', async () => {
  const old = { ciphers: 'DEFAULT@SECLEVEL=0' };
  const spoken = async (): Promise<string[]> => {
    const versions = ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const;
    const seen = versions.map((version) => versionOf({ ...speaking(version), ...old }));
    const answers = await Promise.all(seen);
    return versions.filter((version, nth) => answers[nth] === version);
  };
  assert.equal(await spoken(), ['TLSv1.2', 'TLSv1.3']);
  await set('tls-protocols', 'TLSv1.3');
  assert.equal(await spoken(), ['TLSv1.3']);
  assert.is(await versionOf(speaking('TLSv1.2')), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  await set('tls-protocols', 'tlsv1.2');
  assert.equal(await spoken(), ['TLSv1.2']);
  assert.is(await server.call('CONFIG', 'GET', 'tls-protocols'), '["tls-protocols","TLSv1.2"]');
  await set('tls-protocols', 'TLSv1.1 TLSv1.3', 'tls-ciphers', 'DEFAULT@SECLEVEL=0');
  assert.equal(await spoken(), ['TLSv1.1', 'TLSv1.3'], 'one between may be left out');
  await set('tls-protocols', '', 'tls-ciphers', '');
  assert.equal(await spoken(), ['TLSv1.2', 'TLSv1.3']);
  assert.match(await server.set('tls-protocols', 'SSLv3'), 'must be of the following: TLSv1, TLSv');
});

const STRONG = 'ECDHE-ECDSA-AES256-GCM-SHA384';
const OTHER = 'ECDHE-ECDSA-AES128-GCM-SHA256';

settings('tls-ciphers, up to TLS 1.2', async () => {
  const options = speaking('TLSv1.2');
  await set('tls-ciphers', STRONG);
  assert.is(await cipherOf(options), STRONG);
  const refusal = await cipherOf({ ...options, ciphers: OTHER });
  assert.match(refusal, 'HANDSHAKE_FAILURE');
  assert.is(await cipherOf(speaking('TLSv1.3')), 'TLS_AES_256_GCM_SHA384', 'no matter for TLS 1.3');
  await set('tls-ciphers', '');
});

settings('tls-ciphersuites, of TLS 1.3', async () => {
  const options = speaking('TLSv1.3');
  await set('tls-ciphersuites', 'TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256');
  assert.is(await cipherOf(options), 'TLS_CHACHA20_POLY1305_SHA256');
  assert.is(
    await cipherOf({ ...options, ciphers: 'TLS_AES_128_GCM_SHA256' }),
    'TLS_AES_128_GCM_SHA256',
  );
  const refusal = await cipherOf({ ...options, ciphers: 'TLS_AES_256_GCM_SHA384' });
  assert.match(refusal, 'HANDSHAKE_FAILURE');
  assert.is(await cipherOf(speaking('TLSv1.2')), OTHER, 'no matter for TLS 1.2');
  await set('tls-ciphersuites', '');
});

settings('tls-prefer-server-ciphers', async () => {
  const options = { ...speaking('TLSv1.2'), ciphers: `${OTHER}:${STRONG}` };
  await set('tls-ciphers', `${STRONG}:${OTHER}`);
  assert.is(await cipherOf(options), OTHER);
  await set('tls-prefer-server-ciphers', 'yes');
  assert.is(await cipherOf(options), STRONG);
  await set('tls-ciphers', '', 'tls-prefer-server-ciphers', 'no');
});

settings('tls-dh-params-file', async () => {
  const file = `${certificates.folder}/dh.pem`;
  // Such primes are found at once; finding others takes minutes.
  certificates.openssl('dhparam', '-dsaparam', '-out', file, '2048');
  const rsa = certificates.newRsaPair('rsa', 'rsa.test');
  const options = { ...speaking('TLSv1.2'), ciphers: 'DHE-RSA-AES256-GCM-SHA384' };
  const size = (): Promise<unknown> =>
    look(options, (socket) => (socket.getEphemeralKeyInfo() as EphemeralKeyInfo).size);
  await set('tls-cert-file', rsa.certificate, 'tls-key-file', rsa.key);
  const standard = await size();
  assert.ok(Number(standard) >= 2048, String(standard));
  await set('tls-dh-params-file', file);
  assert.is(await size(), 2048);
  const { certificate, key } = certificates.server;
  await set('tls-dh-params-file', '', 'tls-cert-file', certificate, 'tls-key-file', key);
});

/** Kinds of sessions: kept by the client as a ticket, or by the server. */
const kinds: Readonly<Record<string, SecureOptions>> = {
  'TLS 1.2 with tickets': speaking('TLSv1.2'),
  'TLS 1.2 without tickets': { ...speaking('TLSv1.2'), secureOptions: constants.SSL_OP_NO_TICKET },
  'TLS 1.3': speaking('TLSv1.3'),
};

async function newSession(options: SecureOptions): Promise<Buffer> {
  const socket = await server.connect(options);
  const session = await sessionOf(socket);
  socket.destroy();
  return session;
}
/** True when the session was resumed. Who goes at once would be counted as gone within the handshake. */
async function resumes(options: SecureOptions, session: Buffer): Promise<boolean> {
  const client = await server.client({ ...options, session });
  const isReused = (client.socket as TLSSocket).isSessionReused();
  await client.call('PING');
  await client.end();
  return isReused;
}

for (const [kind, options] of Object.entries(kinds)) {
  settings(`tls-session-caching, ${kind}`, async () => {
    const before = await server.sample('svc_tls_resumed_sessions_total');
    const session = await newSession(options);
    assert.is(await resumes(options, session), true);
    await server.untilSample('svc_tls_resumed_sessions_total', before + 1);
    await set('tls-session-caching', 'no');
    assert.is(await resumes(options, session), false);
    await set('tls-session-caching', 'yes');
    assert.is(await resumes(options, await newSession(options)), true);
    assert.is(await server.sample('svc_tls_resumed_sessions_total'), before + 2);
  });

  settings(`tls-session-cache-timeout, ${kind}`, async () => {
    await set('tls-session-cache-timeout', '1');
    const session = await newSession(options);
    await until(async () => !(await resumes(options, session)), 'it is over');
    await set('tls-session-cache-timeout', '300');
    assert.is(await resumes(options, await newSession(options)), true);
  });
}

settings('tls-session-cache-size: the oldest give way', async () => {
  const options = kinds['TLS 1.2 without tickets']!;
  await set('tls-session-cache-size', '2');
  const first = await newSession(options);
  const second = await newSession(options);
  assert.is(await resumes(options, first), true);
  // The second is the one not used for longest now.
  const third = await newSession(options);
  assert.equal([await resumes(options, first), await resumes(options, third)], [true, true]);
  assert.is(await resumes(options, second), false);
  await set('tls-session-cache-size', '0');
  const many = [];
  for (let nth = 0; nth < 5; nth += 1) many.push(await newSession(options));
  for (const each of many) assert.is(await resumes(options, each), true, 'no limit');
  await set('tls-session-cache-size', '20480');
});

settings('sessions outlive a certificate', async () => {
  const options = kinds['TLS 1.3']!;
  const session = await newSession(options);
  await set('tls-cert-file', certificates.server.certificate);
  assert.is(await resumes(options, session), true);
});

const silent = (): Promise<net.Socket> =>
  new Promise((resolve, reject) => {
    const socket = net.connect(server.tlsPort, '127.0.0.1', () => {
      resolve(socket);
    });
    socket.on('error', reject);
  });

settings('tls-handshake-timeout-ms: who never shakes hands is sent away', async () => {
  const before = await server.failures('timeout');
  await set('tls-handshake-timeout-ms', '50');
  const socket = await silent();
  await endOf(socket);
  await until(async () => (await server.failures('timeout')) === before + 1, 'it is counted');
  await set('tls-handshake-timeout-ms', '600000');
});

/** Shakes hands, and waits for a reply: the server knows by then that the handshake is over, and not before. */
async function answered(): Promise<void> {
  const socket = await server.connect({});
  socket.write('PING\r\n');
  const [reply] = (await once(socket, 'data')) as [Buffer];
  assert.is(reply.toString(), '+PONG\r\n');
  socket.destroy();
}

settings('tls-max-handshakes: the oldest makes room for a further one', async () => {
  const before = await server.failures('limit');
  await set('tls-max-handshakes', '3');
  const first = await silent();
  const others = await Promise.all([silent(), silent()]);
  const ended = endOf(first);
  for (let nth = 0; nth < 2; nth += 1) await answered();
  await ended;
  // Its place was free again for the second.
  await until(async () => (await server.failures('limit')) === before + 1, 'it is counted once');
  assert.equal(
    others.map((socket) => socket.closed),
    [false, false],
  );
  for (const socket of others) socket.destroy();
  await set('tls-max-handshakes', '1000', 'tls-handshake-timeout-ms', '10000');
});

if (needs('openssl')) settings.run();
