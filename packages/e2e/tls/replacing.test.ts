/** Certificates replaced while running: open connections stay, and what cannot be used changes nothing. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Certificates, needs, type Pair, type RespClient, serialOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SecureServer } from './tls-server.ts';

const replacing = suite('certificates replaced');

let certificates: Certificates;
let server: SecureServer;
let second: Pair;
/** Open from the beginning to the end. */
let stays: RespClient;

replacing.before(async () => {
  certificates = new Certificates();
  second = certificates.newPair('second', 'second.test');
  server = await SecureServer.start(certificates);
  stays = await server.client();
});
replacing.after(async () => {
  await server.stop();
  certificates.remove();
});
replacing.after.each(async () => {
  assert.is(await stays.call('PING'), 'PONG', 'the open connection is open');
});

const at = (file: string): string => path.join(certificates.folder, file);
const shownSerial = async (): Promise<string> => {
  const socket = await server.connect();
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
};
const setPair = ({ certificate, key }: Pair, ...more: string[]): Promise<string> =>
  server.set('tls-cert-file', certificate, 'tls-key-file', key, ...more);

replacing('by CONFIG SET', async () => {
  assert.is(await shownSerial(), serialOf(certificates, certificates.server));
  assert.is(await setPair(second), 'OK');
  assert.is(await shownSerial(), serialOf(certificates, second));
  assert.is(await setPair(certificates.server), 'OK');
  assert.is(await shownSerial(), serialOf(certificates, certificates.server));
});

replacing('by CONFIG SET of the same name, once the file is another', async () => {
  const third = certificates.newPair('server', 'server.test');
  const serial = serialOf(certificates, third);
  assert.is.not(await shownSerial(), serial, 'a file that changes changes nothing by itself');
  assert.is(await server.set('tls-cert-file', third.certificate), 'OK');
  assert.is(await shownSerial(), serial);
});

replacing('by SIGHUP', async () => {
  const next = certificates.newPair('server', 'server.test');
  server.plain.signal('SIGHUP');
  const serial = serialOf(certificates, next);
  await until(async () => (await shownSerial()) === serial, 'the new one is shown');
  await until(() => server.plain.stdout.includes('tls-read-again'), 'it is in the log');
});

replacing('SIGHUP with a broken pair keeps the old one, and says so', async () => {
  const before = await shownSerial();
  const key = certificates.server.key;
  certificates.copy('server.key', 'kept.key');
  certificates.copy('second.key', 'server.key');
  server.plain.signal('SIGHUP');
  await until(() => server.plain.stdout.includes('tls-not-read'), 'it is in the log');
  assert.match(server.plain.stdout, /TLS files cannot be used: the previous ones stay in use/);
  assert.match(server.plain.stdout, /key values mismatch/);
  rmSync(key);
  server.plain.signal('SIGHUP');
  const missing = `tls.key-file: cannot read ${key}: it is not there`;
  await until(() => server.plain.stdout.includes(missing), 'a missing file is named');
  assert.is(await shownSerial(), before);
  certificates.copy('kept.key', 'server.key');
});

replacing('what cannot be used is refused with its reason, and nothing is changed', async () => {
  mkdirSync(at('folder'));
  writeFileSync(at('garbage.pem'), 'no certificate at all');
  certificates.newPair('locked', 'locked.test', { passphrase: 'right one' });
  const { certificate, key } = certificates.server;
  const refused: readonly (readonly [words: readonly string[], reason: string])[] = [
    [['tls-cert-file', second.certificate], 'key values mismatch'],
    [['tls-key-file', second.key], 'key values mismatch'],
    [['tls-cert-file', at('none.pem')], `cannot read ${at('none.pem')}: it is not there`],
    [['tls-key-file', at('folder')], `cannot read ${at('folder')}: it is a folder`],
    [['tls-cert-file', at('garbage.pem')], 'cannot be used: no start line'],
    [['tls-key-file', at('garbage.pem')], 'cannot be used:'],
    [['tls-cert-file', ''], 'tls.cert-file is not set, which TLS needs'],
    [['tls-ca-cert-file', at('none.pem')], `cannot read ${at('none.pem')}: it is not there`],
    [['tls-ca-cert-dir', at('none')], `tls.ca-dir: cannot read ${at('none')}: it is not there`],
    [['tls-ca-cert-dir', at('server.key')], 'it is no folder'],
    [['tls-ca-cert-file', at('garbage.pem')], 'garbage.pem contains no readable certificates'],
    [['tls-dh-params-file', at('garbage.pem')], 'garbage.pem contains no Diffie-Hellman param'],
    [['tls-dh-params-file', second.certificate], 'contains no Diffie-Hellman parameters'],
    [['tls-ciphers', 'no such cipher'], 'OpenSSL knows no such cipher'],
    [['tls-ciphersuites', 'TLS_NONE'], 'tls.ciphersuites ("TLS_NONE") cannot be used: OpenSSL'],
    [['tls-cert-file', at('locked.pem'), 'tls-key-file', at('locked.key')], 'cannot be used'],
    [
      ['tls-cert-file', at('locked.pem'), 'tls-key-file', at('locked.key')].concat([
        ...['tls-key-file-pass', 'wrong one'],
      ]),
      'cannot be used',
    ],
  ];
  const before = await shownSerial();
  for (const [words, reason] of refused) {
    const refusal = await server.set('hz', '77', ...words);
    const head = `CONFIG SET failed (possibly related to argument '${words[0]!}') - Unable to update`;
    assert.ok(refusal.includes(head), `${words.join(' ')}: ${refusal}`);
    assert.ok(refusal.includes(reason), `${words.join(' ')}: ${refusal}`);
    assert.not.match(refusal, /wrong one|right one|[0-9A-F]{8}:error:/);
    assert.is(await shownSerial(), before);
  }
  for (const [name, value] of Object.entries({ hz: '10', 'tls-cert-file': certificate })) {
    assert.is(await server.call('CONFIG', 'GET', name), JSON.stringify([name, value]));
  }
  assert.is(await setPair({ certificate, key }), 'OK');
});

replacing('a file that may not be read is named', async () => {
  // Root reads everything.
  if (process.getuid?.() === 0) return;
  certificates.copy('server.key', 'unreadable.key');
  chmodSync(at('unreadable.key'), 0);
  assert.match(await server.set('tls-key-file', at('unreadable.key')), 'this user may not read it');
});

replacing('a key with a passphrase', async () => {
  const locked = certificates.newPair('locked', 'locked.test', { passphrase: 'right one' });
  assert.is(await setPair(locked, 'tls-key-file-pass', 'right one'), 'OK');
  assert.is(await shownSerial(), serialOf(certificates, locked));
  // A passphrase that a key does not need does no harm.
  assert.is(await setPair(second), 'OK');
  assert.is(await shownSerial(), serialOf(certificates, second));
  assert.is(await setPair(certificates.server, 'tls-key-file-pass', ''), 'OK');
});

replacing('a chain is sent whole, so that a client need know its root alone', async () => {
  const root = certificates.authority;
  const between = certificates.newIntermediate('between', root);
  const leaf = certificates.newPair('leaf', 'leaf.test', {}, between);
  assert.is(await setPair(leaf), 'OK');
  const failure: unknown = await server.connect().catch((error: unknown) => error);
  assert.match(String((failure as NodeJS.ErrnoException).code), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  certificates.append('between.pem', 'leaf.pem');
  assert.is(await setPair(leaf), 'OK');
  assert.is(await shownSerial(), serialOf(certificates, leaf));
  assert.is(await setPair(certificates.server), 'OK');
});

replacing('many times over, while clients come and go', async () => {
  const round = { isDone: false };
  const coming = (async (): Promise<number> => {
    let count = 0;
    for (; !round.isDone; count += 1) {
      const client = await server.client();
      assert.is(await client.call('PING'), 'PONG');
      await client.end();
    }
    return count;
  })();
  for (let nth = 0; nth < 50; nth += 1) {
    assert.is(await setPair(nth % 2 === 0 ? second : certificates.server), 'OK');
  }
  round.isDone = true;
  assert.ok((await coming) > 0);
});

if (needs('openssl')) replacing.run();
