/** The way to an etcd that wants passwords or certificates, and one that is full. */
// test-tier: long

import {
  Certificates,
  type ChildServer,
  needs,
  ReplyError,
  request,
  settingArguments,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';
import { Etcd, isWhole, startNode, type PlayedNode } from './played-cluster.test-helper.ts';

const coordinator = suite('the way to the coordinator');

const LEASE_MS = 6_000;
const PASSWORD = 'a word of etcd';
/** Least that an etcd takes. */
const QUOTA_BYTES = 1024 * 1024;

let certificates: Certificates;
let etcd: Etcd | undefined;
const servers: ChildServer[] = [];

coordinator.before(() => {
  certificates = new Certificates();
});
coordinator.after(() => {
  certificates.remove();
});
coordinator.after.each(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await etcd?.stop();
  etcd = undefined;
});

async function placed(at: Etcd, settings: Readonly<Record<string, string>>): Promise<PlayedNode> {
  const node = await startNode(at, { leaseMs: LEASE_MS, args: settingArguments(settings) });
  servers.push(node.server);
  return node;
}

/** Starts a node that cannot have its place; answers its server when its log says why. */
async function refused(
  { endpoint }: Etcd,
  settings: Readonly<Record<string, string>>,
  why: RegExp,
): Promise<ChildServer> {
  const server = await startServer({
    shards: 1,
    args: settingArguments({
      'cluster.enabled': 'true',
      'cluster.coordinator-endpoints': endpoint,
      'cluster.node-timeout-ms': String(LEASE_MS),
      ...settings,
    }),
  });
  servers.push(server);
  await until(() => why.test(server.stdout), `the log says ${String(why)}`);
  const client = await server.client();
  assert.match(textOf(await client.call('CLUSTER', 'INFO')), /cluster_state:fail/);
  return server;
}

async function requestsToEtcd(port: number, path: string, body: object): Promise<void> {
  const asking = { method: 'POST', body: JSON.stringify(body) };
  const answer = await request(port, `/v3/${path}`, asking);
  assert.is(answer.status, 200, answer.text);
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** Has an etcd ask for passwords; the user `svc` has what is under `/svc/` alone. */
async function withPasswords(): Promise<Etcd> {
  etcd = await Etcd.start();
  const { port } = etcd;
  const user = { name: 'svc', password: PASSWORD };
  await requestsToEtcd(port, 'auth/role/add', { name: 'root' });
  await requestsToEtcd(port, 'auth/user/add', { name: 'root', password: 'root' });
  await requestsToEtcd(port, 'auth/user/grant', { user: 'root', role: 'root' });
  await requestsToEtcd(port, 'auth/role/add', { name: 'svc' });
  const perm = { permType: 'READWRITE', key: inBase64('/svc/'), range_end: inBase64('/svc0') };
  await requestsToEtcd(port, 'auth/role/grant', { name: 'svc', perm });
  await requestsToEtcd(port, 'auth/user/add', user);
  await requestsToEtcd(port, 'auth/user/grant', { user: 'svc', role: 'svc' });
  await requestsToEtcd(port, 'auth/enable', {});
  return etcd;
}

const LOGIN = {
  'cluster.coordinator-username': 'svc',
  'cluster.coordinator-password': PASSWORD,
};

coordinator('a user with a password, who has the documents of clusters alone', async () => {
  const node = await placed(await withPasswords(), LOGIN);
  await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(node);
  // Tokens of logins go with the process that gave them.
  await etcd!.restart();
  await until(async () => {
    // Refused while the connection to etcd is being restored.
    await node.client.reply('CLUSTER', 'DELSLOTS', '7');
    const info = textOf(await node.client.call('CLUSTER', 'INFO'));
    return info.includes('cluster_slots_assigned:16383');
  }, 'what is decided is written');
});

coordinator('a password that is wrong, and none', async () => {
  const at = await withPasswords();
  const wrong = { ...LOGIN, 'cluster.coordinator-password': 'another' };
  await refused(at, wrong, /authentication failed, invalid user ID or password/);
  await refused(at, {}, /user name is empty/);
});

coordinator('certificates on both sides, and those of a stranger', async () => {
  const { server, authority } = certificates;
  etcd = await Etcd.start({ tls: { server, authority } });
  const own = certificates.newPair('node', 'node');
  const secure = {
    'cluster.coordinator-ca-file': authority.certificate,
    'cluster.coordinator-cert-file': own.certificate,
    'cluster.coordinator-key-file': own.key,
  };
  const node = await placed(etcd, secure);
  await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(node);
  const stranger = certificates.newAuthority('stranger');
  const strange = { ...secure, 'cluster.coordinator-ca-file': stranger.certificate };
  await refused(etcd, strange, /coordinator unavailable.*(certificate|self.signed)/i);
  await refused(
    etcd,
    { 'cluster.coordinator-ca-file': authority.certificate },
    /Coordinator unavailable/,
  );
  await refused(etcd, {}, /Coordinator unavailable/);
});

coordinator('files that are not there, or are half of a pair', async () => {
  const enabled = ['cluster.enabled=true', 'cluster.coordinator-endpoints=127.0.0.1:1'];
  const { authority } = certificates;
  for (const [settings, why] of [
    [
      ['cluster.coordinator-ca-file=/nowhere/ca.pem'],
      /coordinator-ca-file: ENOENT.*\/nowhere\/ca\.pem/,
    ],
    [
      ['cluster.coordinator-password-file=/nowhere/word'],
      /coordinator-password-file: ENOENT.*\/nowhere\/word/,
    ],
    [
      [
        `cluster.coordinator-ca-file=${authority.certificate}`,
        `cluster.coordinator-cert-file=${authority.certificate}`,
      ],
      /-cert-file and -key-file belong together/,
    ],
    [
      [`cluster.coordinator-cert-file=${authority.certificate}`],
      /needs cluster.coordinator-ca-file/,
    ],
  ] as const) {
    const args = [...enabled, ...settings].flatMap((setting) => ['--set', setting]);
    const { exitCode, stderr } = await runMain(['--port', '0', ...args]);
    assert.is.not(exitCode, 0);
    assert.match(stderr, why);
  }
});

coordinator('that is full: what is served goes on, and a decision is refused by name', async () => {
  etcd = await Etcd.start({ args: ['--quota-backend-bytes', String(QUOTA_BYTES)] });
  const { port } = etcd;
  const node = await placed(etcd, {});
  await node.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(node);
  let isFull = false;
  for (let nth = 0; nth < 100 && !isFull; nth += 1) {
    const body = { key: inBase64(`filler ${nth}`), value: inBase64('x'.repeat(64 * 1024)) };
    const asking = { method: 'POST', body: JSON.stringify(body) };
    const { text } = await request(port, '/v3/kv/put', asking);
    isFull = text.includes('database space exceeded');
  }
  assert.ok(isFull);
  const reply = await node.client.reply('CLUSTER', 'DELSLOTS', '7');
  assert.instance(reply, ReplyError);
  assert.match((reply as ReplyError).message, /database space exceeded/);
  assert.is(textOf(await node.client.call('SET', 'a', '1')), 'OK');
});

if (needs('etcd') && needs('openssl')) coordinator.run();
