/** HTTPS with the certificate of [tls]: pages, metrics, and another certificate while running. */
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import {
  Certificates,
  type ChildServer,
  freePort,
  needs,
  pem,
  request,
  serialOf,
  settingArguments,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsArguments } from './tls-server.ts';

const secured = suite('https');

const TOKEN = 'token-of-the-test';

let certificates: Certificates;
let server: ChildServer;
let httpPort: number;
/** True when a token in plain text was warned of: HTTP listens on an address of a network. */
const warned = (): boolean => server.stdout.includes('http-token-in-plaintext');

secured.before(async () => {
  certificates = new Certificates();
  httpPort = await freePort();
  server = await startServer({
    shards: 1,
    args: [
      ...tlsArguments(certificates, await freePort(httpPort)),
      ...settingArguments({ 'http.enabled': 'yes', 'http.bind': '0.0.0.0', 'http.port': httpPort }),
      ...settingArguments({ 'http.tls': 'yes', 'http.token': TOKEN }),
    ],
  });
  await until(async () => (await ask('/health/ready')).status === 200, 'it is ready');
});
secured.after(async () => {
  await server.stop();
  certificates.remove();
});

interface SecureAnswer {
  readonly status: number;
  readonly text: string;
  readonly serial: string;
  readonly cookie: string;
}

/** Asks on a connection of its own; status 0 where there is none. */
function ask(path: string, token = ''): Promise<SecureAnswer> {
  return send({ path, headers: token === '' ? {} : { authorization: `Bearer ${token}` } });
}

function send(asking: https.RequestOptions, body = ''): Promise<SecureAnswer> {
  const ca = pem(certificates.authority.certificate);
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port: httpPort, ca, agent: false, ...asking };
    const outgoing = https.request(options, (incoming) => {
      let text = '';
      const serial = (incoming.socket as TLSSocket).getPeerCertificate().serialNumber;
      incoming.setEncoding('utf8').on('data', (more: string) => (text += more));
      incoming.on('end', () => {
        const cookie = incoming.headers['set-cookie']?.[0] ?? '';
        resolve({ status: incoming.statusCode ?? 0, text, serial, cookie });
      });
    });
    outgoing.on('error', (error) => {
      resolve({ status: 0, text: error.message, serial: '', cookie: '' });
    });
    outgoing.end(body);
  });
}

secured('pages, metrics and documents are served to who has the token', async () => {
  assert.match((await ask('/metrics')).text, /^svc_tls_connections 0$/m);
  assert.match((await ask('/debug/', TOKEN)).text, '<html');
  assert.is((await ask('/debug/api/server', TOKEN)).status, 200);
  assert.is((await ask('/debug/api/server')).status, 401);
  assert.match(server.stdout, `https://0.0.0.0:${httpPort}`);
  await until(() => server.stdout.includes(`pages at https://`), 'the log says where');
});

secured('a token is not said to travel in plain text', () => {
  assert.not.ok(warned());
});

secured('a login has a cookie that goes by HTTPS alone', async () => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const login = { path: '/debug/login', method: 'POST', headers };
  const { status, cookie } = await send(login, `token=${TOKEN}`);
  assert.is(status, 303);
  assert.match(cookie, /; HttpOnly; SameSite=Strict; Secure$/);
  const [pair = ''] = cookie.split(';');
  assert.is((await send({ path: '/debug/api/server', headers: { cookie: pair } })).status, 200);
});

secured('plain HTTP is answered nothing', async () => {
  const answer = await request(httpPort, '/health/live').catch((error: unknown) => error);
  assert.instance(answer, Error);
  assert.is((await ask('/health/live')).status, 200);
});

secured('a certificate is replaced by CONFIG SET and SIGHUP', async () => {
  const second = certificates.newPair('second', 'second.test');
  const client = await server.client();
  const isShown = async (serial: string): Promise<boolean> =>
    (await ask('/health/live')).serial === serial;
  assert.ok(await isShown(serialOf(certificates, certificates.server)));
  const words = ['tls-cert-file', second.certificate, 'tls-key-file', second.key];
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
  await until(() => isShown(serialOf(certificates, second)), 'the second is shown');
  const third = certificates.newPair('second', 'second.test');
  server.signal('SIGHUP');
  await until(() => isShown(serialOf(certificates, third)), 'the third is shown');
});

secured('TLS of clients may be off, and its files are judged nevertheless', async () => {
  const client = await server.client();
  assert.is(await client.call('CONFIG', 'SET', 'tls-port', '0'), 'OK');
  assert.is((await ask('/health/live')).status, 200);
  const refusal = textOf(await client.reply('CONFIG', 'SET', 'tls-cert-file', '/none'));
  assert.match(refusal, 'cannot read /none: it is not there');
  assert.is((await ask('/health/live')).status, 200);
});

secured('who asks a silent connection nothing does no harm, and a stop ends it', async () => {
  const agent = new https.Agent({ keepAlive: true, ca: pem(certificates.authority.certificate) });
  await new Promise<void>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: httpPort, path: '/health/live', agent };
    https.get(options, (incoming) => incoming.resume().on('end', resolve)).on('error', reject);
  });
  assert.is((await server.shutDown()).exitCode, 0);
  agent.destroy();
});

if (needs('openssl')) secured.run();
