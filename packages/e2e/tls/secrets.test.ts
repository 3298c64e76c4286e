/** Passphrases and keys of TLS appear nowhere but in the reply to CONFIG GET. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Certificates, needs, type Pair, request, settingArguments, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';
import { SecureServer } from './tls-server.ts';

const secrets = suite('secrets of tls');

const PASSPHRASE = 'xPASSPHRASEx';

let certificates: Certificates;
let server: SecureServer;
let locked: Pair;
/** Texts that nothing may show: the passphrase, and a line of the key. */
let hidden: readonly string[];

secrets.before(async () => {
  certificates = new Certificates();
  locked = certificates.newPair('locked', 'locked.test', { passphrase: PASSPHRASE });
  hidden = [PASSPHRASE, readFileSync(locked.key, 'utf8').split('\n')[1]!];
  const settings = {
    'tls.cert-file': locked.certificate,
    'tls.key-file': locked.key,
    'tls.key-file-pass': PASSPHRASE,
    'slowlog.log-slower-than': 0,
    'logging.per-request-spans': 'true',
    'tracing.enabled': 'true',
  };
  const args = ['--log-level', 'trace'];
  server = await SecureServer.start(certificates, settings, { http: true, args });
});
secrets.after(async () => {
  await server.stop();
  certificates.remove();
});

const demandNone = (text: string, where: string): void => {
  for (const each of hidden) assert.not.ok(text.includes(each), where);
};

secrets('CONFIG GET answers it, as it does a password and as Redis does', async () => {
  const name = 'tls-key-file-pass';
  assert.is(await server.call('CONFIG', 'GET', name), JSON.stringify([name, PASSPHRASE]));
});

secrets('what is set, refused or right, shows it nowhere', async () => {
  const { certificate, key } = certificates.server;
  await server.set('tls-key-file-pass', `${PASSPHRASE}-wrong`, 'tls-key-file', '/none');
  await server.set('tls-key-file-pass', `${PASSPHRASE}-wrong`);
  await server.set('tls-key-file-pass', PASSPHRASE, 'nonsense', '1');
  await server.set('tls-key-file-pass', PASSPHRASE, 'tls-key-file', key);
  assert.is(await server.set('tls-key-file-pass', PASSPHRASE), 'OK');
  await server.set('tls-cert-file', certificate, 'tls-key-file', key, 'tls-key-file-pass', '');
  server.plain.signal('SIGHUP');
  await until(() => server.plain.stdout.includes('tls-read-again'), 'SIGHUP is done');
  const words = ['tls-cert-file', locked.certificate, 'tls-key-file', locked.key];
  assert.is(await server.set(...words, 'tls-key-file-pass', PASSPHRASE), 'OK');
  for (const command of ['STATUS JSON', 'SLOWLOG GET -1', 'INFO everything', 'CLIENT LIST']) {
    demandNone(await server.call(...command.split(' ')), command);
  }
  demandNone(await server.call('DEBUG', 'FLIGHT-RECORDER', 'COUNT', '-1'), 'flight recorder');
  demandNone(await server.call('DEBUG', 'TRACING', 'RECENT', '1000'), 'traces');
});

secrets('no page, bundle or line of the log has it', async () => {
  const { httpPort } = server.plain;
  const paths = ['config', 'server', 'slowlog', 'traces', 'flight-recorder', 'clients'];
  for (const path of [...paths.map((each) => `/debug/api/${each}`), '/status/json', '/metrics']) {
    const answer = await request(httpPort, path);
    assert.is(answer.status, 200, path);
    demandNone(answer.text, path);
  }
  const bundle = await request(httpPort, '/debug/api/bundle/generate');
  demandNone(gunzipSync(bundle.bytes).toString('latin1'), 'the bundle');
  await server.call('DEBUG', 'LOG', 'the last line');
  await until(() => server.plain.stdout.includes('the last line'), 'the log has all');
  demandNone(server.plain.stdout + server.plain.stderr, 'the log');
});

secrets(
  'a start that is refused shows none, nor does the configuration that is printed',
  async () => {
    const settings = {
      'tls.enabled': 'yes',
      'tls.cert-file': certificates.server.certificate,
      'tls.key-file': locked.key,
      'tls.key-file-pass': PASSPHRASE,
    };
    for (const option of ['--check-config', '--print-config']) {
      const end = await runMain([...settingArguments(settings), option]);
      demandNone(end.stdout + end.stderr, option);
    }
    const end = await runMain(['--set', 'tls.key-file-pas=' + PASSPHRASE]);
    assert.is(end.exitCode, 1);
    demandNone(end.stdout + end.stderr, 'a name that is not known');
  },
);

if (needs('openssl')) secrets.run();
