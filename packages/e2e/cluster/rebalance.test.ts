/** `svc-server cluster rebalance` against real servers: what it plans, what it does, and what it refuses. */
// test-tier: long

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Certificates, freePort, mainFile, needs, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tlsArguments } from '../tls/tls-server.ts';
import {
  sharedEtcd,
  type Coordinator,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const run = promisify(execFile);
const rebalances = suite('rebalance of a cluster');

const KEYS = 2_000;

let etcd: Coordinator;
let full: PlayedNode;
let empty: PlayedNode;
let certificates: Certificates;
let tlsPort: number;

rebalances.before(async () => {
  etcd = await sharedEtcd();
  certificates = new Certificates();
  full = await startNode(etcd, { group: 'one', args: await tlsArgs() });
  empty = await startNode(etcd, { group: 'two', args: await tlsArgs() });
  await full.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(full);
  await isWhole(empty);
  await Promise.all(
    Array.from({ length: KEYS }, (_, nth) => full.client.call('SET', `key ${nth}`, 'v')),
  );
});
rebalances.after(async () => {
  await Promise.all([full.server.stop(), empty.server.stop()]);
  await etcd.stop();
  certificates.remove();
});

/** Options of a node that wants certificates of clients, and goes to others with its own. */
async function tlsArgs(): Promise<readonly string[]> {
  tlsPort = await freePort();
  const settings = { 'tls.client-certs': 'required', 'tls.replication': 'yes' };
  return tlsArguments(certificates, tlsPort, settings);
}

async function tool(...args: readonly string[]): Promise<string> {
  const place = ['--port', String(empty.server.port)];
  const { stdout } = await run(process.execPath, [
    mainFile,
    ...['cluster', 'rebalance', ...place],
    ...args,
  ]);
  return stdout;
}

/** The error that the tool ends with. */
async function refusal(...args: readonly string[]): Promise<string> {
  return tool(...args).then(
    () => 'done',
    (error: unknown) => (error as { stderr: string }).stderr,
  );
}

async function sizeOf({ client }: PlayedNode): Promise<number> {
  return Number(textOf(await client.reply('DBSIZE')));
}

rebalances('a dry run tells the plan, and moves nothing', async () => {
  const reported = await tool('--dry-run');
  assert.match(reported, new RegExp(`${full.id} .* slots 16384 keys ${KEYS} -> 1[01]\\d\\d\\n`));
  assert.match(reported, new RegExp(`${empty.id} .* slots 0 keys 0 -> (9\\d\\d|1000)\\n`));
  assert.match(reported, new RegExp(`move \\d+-.* from ${full.id} to ${empty.id} keys \\d+\\n`));
  assert.not.match(reported, /done/);
  assert.equal([await sizeOf(full), await sizeOf(empty)], [KEYS, 0]);
});

rebalances('goes over TLS with certificates of its own', async () => {
  const { authority, server: pair } = certificates;
  const secure = ['--port', String(tlsPort), '--tls', '--cacert', authority.certificate];
  const own = ['--cert', pair.certificate, '--key', pair.key];
  const reported = await tool('--dry-run', ...secure, ...own);
  assert.match(reported, new RegExp(`move \\d+-.* from ${full.id} to ${empty.id} keys \\d+\n`));
  // TLS 1.3 lets a client write before the server has judged its certificate.
  assert.match(await refusal('--dry-run', ...secure), /certificate|closed/);
  assert.match(await refusal('--cacert', authority.certificate), /need --tls/);
  assert.match(await refusal('--tls', '--cert', pair.certificate), /belong together/);
  const stranger = certificates.newAuthority('stranger');
  assert.match(
    await refusal('--port', String(tlsPort), '--tls', '--cacert', stranger.certificate, ...own),
    /certificate/,
  );
});

rebalances('what cannot be done is refused', async () => {
  assert.match(await refusal('--by', 'colour'), /keys, memory or load/);
  assert.match(await refusal('--port', '1'), /ECONNREFUSED/);
});

rebalances('a run moves slots until the nodes have as many keys', async () => {
  const reported = await tool();
  assert.match(reported, /done .*, writes paused for \d+ ms\n/);
  assert.match(reported, /1 moves finished\n$/);
  const size = await sizeOf(empty);
  assert.ok(Math.abs(size - KEYS / 2) < KEYS / 20, String(size));
  assert.match(await tool(), /balanced: no slots to move\n$/);
});

if (needs('etcd')) rebalances.run();
