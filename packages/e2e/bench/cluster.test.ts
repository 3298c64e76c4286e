/** Loads of `svc-server bench` on clusters of svc and of Redis, also while slots move. */
// test-tier: long

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ChildServer,
  isSecure,
  needs,
  redisProgram,
  type RespClient,
  startRedis,
  textOf,
  until,
} from '#testkit';
import {
  isWhole,
  sharedEtcd,
  startNode,
  type Coordinator,
} from '../cluster/played-cluster.test-helper.ts';
import { reportIn, runBench } from './bench-process.ts';

const clusters = suite('bench of clusters');

const HALF = 8_192;
let folder: string;

clusters.before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
});
clusters.after(() => {
  rmSync(folder, { recursive: true });
});

async function setCalls(client: RespClient): Promise<number> {
  const text = textOf(await client.call('INFO', 'commandstats'));
  return Number(/cmdstat_set:calls=(\d+)/.exec(text)?.[1] ?? 0);
}

/** Runs a load, and compares what each node has counted with the report. */
async function demandWhole(nodes: readonly [ChildServer, ChildServer]): Promise<void> {
  const { code, error } = await runBench(
    folder,
    ...['--address', `127.0.0.1:${nodes[0].port}`, '--cluster', '--json', 'out.json'],
    ...['--mix', 'set:3,get:1', '--keys', '5000', '--requests', '6000', '--threads', '2'],
    ...['--connections', '8', '--pipeline', '5', '--preload'],
  );
  assert.equal([code, error], [0, '']);
  const [run] = reportIn(folder).runs;
  assert.is(run!.commands, 6_000);
  assert.is(run!.redirects.moved, 0);
  const calls = run!.nodes.map(({ by_command: by }) => by['set']?.calls ?? 0);
  assert.is(calls.length, 2);
  assert.is(calls[0]! + calls[1]!, run!.by_command['set']!.commands);
  for (const count of calls) assert.ok(count > 1_500, `${count}`);
  const keys = await Promise.all(
    nodes.map(async (node) => Number(await (await node.client()).call('DBSIZE'))),
  );
  assert.is(keys[0]! + keys[1]!, 5_000);
}

async function svcCluster(etcd: Coordinator): Promise<readonly [ChildServer, ChildServer]> {
  const first = await startNode(etcd, { group: 'one' });
  const second = await startNode(etcd, { group: 'two' });
  await first.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', String(HALF - 1));
  await second.client.call('CLUSTER', 'ADDSLOTSRANGE', String(HALF), '16383');
  await isWhole(first);
  await isWhole(second);
  return [first.server, second.server];
}

clusters('a cluster of svc', async () => {
  if (!needs('etcd')) return;
  const etcd = await sharedEtcd();
  const nodes = await svcCluster(etcd);
  await demandWhole(nodes);
  await Promise.all(nodes.map((node) => node.stop()));
  await etcd.stop();
});

clusters('a cluster of Redis, whose slots move during the load', async () => {
  if (!needs(redisProgram())) return;
  const options = ['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no'];
  const [first, second] = await Promise.all([startRedis(options), startRedis(options)]);
  const [one, two] = await Promise.all([first.client(), second.client()]);
  await one.call('CLUSTER', 'ADDSLOTSRANGE', '0', String(HALF - 1));
  await two.call('CLUSTER', 'ADDSLOTSRANGE', String(HALF), '16383');
  await one.call('CLUSTER', 'MEET', '127.0.0.1', String(second.port));
  for (const client of [one, two]) {
    await until(async () => {
      const info = textOf(await client.call('CLUSTER', 'INFO'));
      return /cluster_state:ok/.test(info) && /cluster_known_nodes:2/.test(info);
    }, 'the cluster is whole');
  }
  await demandWhole([first, second]);
  const before = (await setCalls(one)) + (await setCalls(two));
  const load = runBench(
    folder,
    ...['--address', `127.0.0.1:${second.port}`, '--cluster', '--json', 'out.json'],
    ...['--mix', 'set', '--keys', '1000', '--duration', '600', '--requests', '60000'],
  );
  await until(async () => (await setCalls(one)) > 3_000, 'it has begun');
  await one.call('FLUSHALL');
  const [source, target] = await Promise.all([
    one.call('CLUSTER', 'MYID'),
    two.call('CLUSTER', 'MYID'),
  ]);
  // Slots are given over without their keys, and some are left half moved: MOVED and ASK.
  for (let slot = 0; slot < 300; slot += 1) {
    await two.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', textOf(source));
    await one.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', textOf(target));
    if (slot % 2 === 0) continue;
    await two.call('CLUSTER', 'SETSLOT', slot, 'NODE', textOf(target));
    await one.reply('CLUSTER', 'SETSLOT', slot, 'NODE', textOf(target));
  }
  const { code } = await load;
  const [run] = reportIn(folder).runs;
  assert.equal(run!.errors.by_code, {});
  assert.is(code, 0);
  assert.is(run!.commands, 60_000);
  assert.ok(run!.redirects.moved + run!.redirects.ask > 0, 'some were redirected');
  const after = (await setCalls(one)) + (await setCalls(two));
  assert.is(after - before, 60_000);
  await Promise.all([first.stop(), second.stop()]);
});

if (!isSecure) clusters.run();
