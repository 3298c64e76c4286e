/** Client certificates: who gets in with which, and as which user. */
import { Certificates, needs, type Pair, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { attempt, endOf, SecureServer, sessionOf, type SecureOptions } from './tls-server.ts';

const clients = suite('client certificates');

let certificates: Certificates;
let server: SecureServer;
let good: Pair;
let expired: Pair;
let foreign: Pair;
let strangers: Pair;

clients.before(async () => {
  certificates = new Certificates();
  good = certificates.newPair('good', 'shop');
  expired = certificates.newPair('expired', 'shop', { hasExpired: true });
  strangers = certificates.newAuthority('strangers');
  foreign = certificates.newPair('foreign', 'shop', {}, strangers);
  server = await SecureServer.start(certificates, {}, { http: true });
});
clients.after(async () => {
  await server.stop();
  certificates.remove();
});

const reach = async (options: SecureOptions): Promise<string> => {
  const answer = await attempt(server, options);
  return answer.startsWith('refused') ? 'refused' : answer;
};
const outcomes = async (options: SecureOptions = {}): Promise<string[]> => [
  await reach(options),
  await reach({ ...options, pair: good }),
  await reach({ ...options, pair: expired }),
  await reach({ ...options, pair: foreign }),
];

const expected: readonly (readonly [word: string, outcomes: readonly string[]])[] = [
  ['no', ['PONG', 'PONG', 'PONG', 'PONG']],
  ['optional', ['PONG', 'PONG', 'refused', 'refused']],
  ['yes', ['refused', 'PONG', 'refused', 'refused']],
];
for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  for (const [word, wanted] of expected) {
    clients(`tls-auth-clients ${word} over ${version}`, async () => {
      assert.is(await server.set('tls-auth-clients', word), 'OK');
      const counts = async (): Promise<number[]> => [
        await server.failures('no-certificate'),
        await server.failures('bad-certificate'),
      ];
      const before = await counts();
      assert.equal(await outcomes({ minVersion: version, maxVersion: version }), wanted);
      const [missing, bad] = [wanted[0] === 'refused' ? 1 : 0, wanted[2] === 'refused' ? 2 : 0];
      const after = [before[0]! + missing, before[1]! + bad];
      await until(async () => String(await counts()) === String(after), 'each is counted once');
    });
  }
}

clients('who is refused has run nothing, and sees its connection closed', async () => {
  await server.set('tls-auth-clients', 'yes');
  const socket = await server.connect();
  socket.write('SET stolen yes\r\n');
  await endOf(socket);
  assert.is(await server.call('EXISTS', 'stolen'), '0');
  // Others that failed within the same second share a line, which names the last.
  await attempt(server);
  const line = /tls-handshake-failed.*no-certificate/;
  await until(() => line.test(server.plain.stdout), 'it is in the log');
});

clients('authorities may lie in a folder, also those that come later', async () => {
  const { folder } = certificates;
  const authorities = `${folder}/authorities`;
  certificates.copy('ca.pem', 'authorities/first.pem');
  assert.is(await server.set('tls-ca-cert-file', '', 'tls-ca-cert-dir', authorities), 'OK');
  assert.equal(await outcomes(), ['refused', 'PONG', 'refused', 'refused']);
  const hash = certificates.openssl('x509', '-hash', '-noout', '-in', strangers.certificate).trim();
  certificates.copy('strangers.pem', `authorities/${hash}.0`);
  certificates.copy('ca.key', 'authorities/no-certificate.key');
  server.plain.signal('SIGHUP');
  await until(async () => (await reach({ pair: foreign })) === 'PONG', 'the folder is read again');
  assert.equal(await outcomes(), ['refused', 'PONG', 'refused', 'PONG']);
  await server.set('tls-ca-cert-file', certificates.authority.certificate, 'tls-ca-cert-dir', '');
  assert.equal(await outcomes(), ['refused', 'PONG', 'refused', 'refused']);
});

clients('certificates are not asked for without an authority', async () => {
  const refusal = await server.set('tls-ca-cert-file', '');
  assert.match(refusal, "(possibly related to argument 'tls-ca-cert-file') - Unable to update TLS");
  assert.match(refusal, 'tls.client-certs is required, which needs authorities in tls.ca-file or');
  assert.is(await server.set('tls-ca-cert-file', '', 'tls-auth-clients', 'no'), 'OK');
  assert.is(await reach({ pair: foreign }), 'PONG');
  const { certificate } = certificates.authority;
  await server.set('tls-ca-cert-file', certificate, 'tls-auth-clients', 'optional');
});

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  clients(`a session over ${version} is not resumed under other authorities`, async () => {
    await server.set('tls-auth-clients', 'yes');
    const options: SecureOptions = { pair: good, minVersion: version, maxVersion: version };
    const first = await server.connect(options);
    const session = await sessionOf(first);
    const again = await server.connect({ ...options, session });
    assert.ok(again.isSessionReused());
    again.destroy();
    await server.set('tls-ca-cert-file', strangers.certificate);
    assert.is(await reach({ ...options, session }), 'refused');
    await server.set('tls-ca-cert-file', certificates.authority.certificate);
    assert.is(await reach(options), 'PONG');
    first.destroy();
  });
}

const who = (pair?: Pair): Promise<string> =>
  attempt(server, pair === undefined ? {} : { pair }, 'ACL', 'WHOAMI');

clients('the common name logs in whom it names, if that user is on', async () => {
  await server.set('tls-auth-clients', 'optional');
  await server.call('ACL', 'SETUSER', 'shop', 'on', '>secret', '+@all', '~shop:*');
  assert.is(await who(good), 'default', 'not unless it is wanted');
  assert.is(await server.set('tls-auth-clients-user', 'CN'), 'OK');
  assert.equal([await who(good), await who()], ['shop', 'default']);
  assert.match(await attempt(server, { pair: good }, 'GET', 'other'), /^NOPERM/);
  const unnamed = certificates.newPair('unnamed', 'nobody-of-that-name');
  assert.is(await who(unnamed), 'default', 'there is no such user');
  await server.call('ACL', 'SETUSER', 'shop', 'off');
  assert.is(await who(good), 'default', 'the user is off');
  await server.call('ACL', 'SETUSER', 'shop', 'on');
});

clients('where a password is asked for, the certificate stands in for it', async () => {
  await server.set('requirepass', 'secret-of-default');
  assert.equal(await who(), 'NOAUTH Authentication required.');
  assert.is(await who(good), 'shop');
  const client = await server.client({ pair: good });
  // Longer than what is read of those who have not logged in.
  const long = 'x'.repeat(100_000);
  assert.is(await client.call('SET', 'shop:long', long), 'OK');
  assert.match(textOf(await client.call('CLIENT', 'LIST')), / user=shop .*tls=TLSv1\.3/);
  assert.is(await client.call('AUTH', 'secret-of-default'), 'OK');
  assert.is(await client.call('ACL', 'WHOAMI'), 'default');
  await client.call('RESET');
  assert.match(textOf(await client.reply('ACL', 'WHOAMI')), /NOAUTH/);
  await client.end();
  await server.call('ACL', 'SETUSER', 'shop', 'off');
  assert.match(await who(good), /^NOAUTH/);
  await server.call('ACL', 'SETUSER', 'shop', 'on');
  await server.set('requirepass', '');
});

clients(
  'a user that is deleted loses the connections that its certificate has opened',
  async () => {
    const client = await server.client({ pair: good });
    assert.is(await client.call('ACL', 'WHOAMI'), 'shop');
    await server.call('ACL', 'DELUSER', 'shop');
    await client.closed;
    assert.is(await who(good), 'default');
    await server.set('tls-auth-clients-user', 'off');
  },
);

clients('a resumed session has the name of its certificate', async () => {
  await server.call('ACL', 'SETUSER', 'shop', 'on', 'nopass', '+@all', '~*');
  await server.set('tls-auth-clients-user', 'cn');
  const first = await server.connect({ pair: good });
  const resumed = await server.client({ session: await sessionOf(first) });
  assert.is(await resumed.call('ACL', 'WHOAMI'), 'shop');
  await resumed.end();
  first.destroy();
});

if (needs('openssl')) clients.run();
