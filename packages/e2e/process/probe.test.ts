/** `svc-server probe`: the ways by which it reaches a server, and what it reports. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import {
  Certificates,
  type ChildServer,
  freePort,
  mainFile,
  request,
  settingArguments,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsArguments } from '../tls/tls-server.ts';

const probes = suite('probe');

const PASSWORD = 'password-of-the-test';

let certificates: Certificates;
let server: ChildServer;
let tlsPort = 0;
let httpPort = 0;
const socketOf = (folder: string): string => path.join(folder, 'svc.sock');

probes.before(async () => {
  certificates = new Certificates();
  tlsPort = await freePort();
  httpPort = await freePort(tlsPort);
  server = await startServer({
    shards: 1,
    password: PASSWORD,
    args: [
      ...tlsArguments(certificates, tlsPort, { 'tls.client-certs': 'required' }),
      ...settingArguments({ 'http.enabled': 'yes', 'http.port': httpPort }),
      ...['--unix-socket', 'svc.sock'],
    ],
  });
  const isReady = async (): Promise<boolean> =>
    (await request(httpPort, '/health/ready')).status === 200;
  await until(isReady, 'HTTP is ready');
});
probes.after(async () => {
  await server.stop();
  certificates.remove();
});

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function probe(settings: Readonly<Record<string, string | number>>): Outcome {
  const words = [mainFile, 'probe', ...settingArguments(settings)];
  const options = { encoding: 'utf8', cwd: certificates.folder } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { code: status, stdout, stderr };
}

function assertReady({ code, stdout, stderr }: Outcome): void {
  assert.is(stderr, '');
  assert.is(code, 0);
  assert.is(stdout, 'ready\n');
}

function assertRefused({ code, stdout, stderr }: Outcome): void {
  assert.match(stderr, /^svc: not ready: ./);
  assert.is(code, 1);
  assert.is(stdout, '');
}

const NO_HTTP = { 'http.enabled': 'no' } as const;

probes('asks over HTTP where that is on', () => {
  // The ports of clients do not count then.
  assertReady(probe({ 'http.port': httpPort, 'server.port': 1 }));
  assertRefused(probe({ 'http.port': 1, 'server.port': server.port }));
  assertReady(probe({ 'http.port': httpPort, 'http.bind': '0.0.0.0', 'http.token': 'other' }));
});

probes('sends a PING without HTTP, and needs no password', () => {
  assertReady(probe({ ...NO_HTTP, 'server.port': server.port }));
  assertReady(probe({ ...NO_HTTP, 'server.port': server.port, 'server.bind': '*' }));
  assertRefused(probe({ ...NO_HTTP, 'server.port': 1 }));
});

probes('reaches a server that has a unix socket only', () => {
  const place = { ...NO_HTTP, 'server.port': 0 };
  assertReady(probe({ ...place, 'server.unix-socket': socketOf(server.folder) }));
  assertRefused(probe({ ...place, 'server.unix-socket': socketOf(certificates.folder) }));
});

probes('reaches a server that has TLS only and demands certificates', () => {
  const { certificate, key } = certificates.server;
  const tls = {
    ...NO_HTTP,
    'server.port': 0,
    'tls.enabled': 'yes',
    'tls.port': tlsPort,
    'tls.cert-file': certificate,
    'tls.key-file': key,
    'tls.ca-file': certificates.authority.certificate,
  };
  assertReady(probe(tls));
  assertRefused(probe({ ...tls, 'tls.port': server.port }));
});

probes('reports a mistake in the configuration', () => {
  const { code, stderr } = probe({ 'server.port': 'many' });
  assert.is(code, 1);
  assert.match(stderr, 'server.port');
});

probes.run();
