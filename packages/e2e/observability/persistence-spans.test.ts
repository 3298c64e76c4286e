/** Spans of traced commands about the log, the disk and snapshots. */

import { keyPerShard, type OtlpSpan, request, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { named, SHARDS, TracedServer } from './traced-server.ts';

const persistence = suite('persistence spans');

let traced: TracedServer;

persistence.before(async () => {
  traced = await TracedServer.start();
});
persistence.after(() => traced.stop());

persistence('persistence-spans: what a write puts into the log', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'logged');
  const isLog = ({ name }: { name: string }): boolean => name === 'persistence.wal_write';
  assert.not.ok((await traced.spansOf(['SET', key, '1'])).some(isLog));
  await traced.set('tracing-persistence-spans', 'yes');
  const spans = await traced.spansOf(['SET', key, '2']);
  const write = named(spans, 'persistence.wal_write');
  assert.is(write.parentId, named(spans, 'shard.execute').spanId);
  assert.ok(Number(write.attributes['svc.wal_bytes']) >= 32 + key.length);
  assert.not.ok(
    (await traced.spansOf(['GET', key])).some(isLog),
    'nothing is logged of what only reads',
  );
  await traced.set('tracing-persistence-spans', 'no');
});

persistence('persistence-spans: a snapshot is a trace of its own', async () => {
  const snapshots = (): OtlpSpan[] =>
    traced.collector.spans.filter(({ name }) => name === 'persistence.snapshot');
  await traced.client.call('SAVE');
  await traced.set('tracing-persistence-spans', 'yes');
  await traced.client.call('SAVE');
  await until(() => snapshots().length > 0, 'the collector has it');
  await traced.set('tracing-persistence-spans', 'no');
  const [snapshot, ...others] = snapshots();
  assert.is(others.length, 0);
  assert.is(snapshot!.attributes['svc.key_count'], await traced.client.call('DBSIZE'));
  assert.ok(snapshot!.endNs > snapshot!.startNs);
});

persistence(
  'persistence-spans: what a reply waits for the disk in sync mode, and the slow log too',
  async () => {
    await traced.set('persistence-durability-mode', 'sync', 'tracing-persistence-spans', 'yes');
    await traced.set('tracing-scatter-gather-spans', 'yes', 'slowlog-log-slower-than', 0);
    const keys = keyPerShard(SHARDS, 'synced');
    const one = await traced.spansOf(['SET', keys[0]!, '2']);
    const sync = named(one, 'persistence.wal_sync');
    const execute = named(one, 'shard.execute');
    const whole = named(one, 'SET');
    assert.is(sync.parentId, whole.spanId);
    assert.ok(sync.startNs >= execute.endNs && sync.endNs <= whole.endNs, 'behind the execution');
    assert.ok(sync.endNs > sync.startNs);
    const several = await traced.spansOf(['MSET', ...keys.flatMap((key) => [key, '1'])]);
    const syncs = several.filter(({ name }) => name === 'persistence.wal_sync');
    assert.is(syncs.length, SHARDS);
    for (const write of several.filter(({ name }) => name === 'persistence.wal_write')) {
      const parent = several.find(({ spanId }) => spanId === write.parentId)!;
      assert.ok(write.startNs >= parent.startNs && write.endNs <= parent.endNs, 'within its shard');
    }
    const reading = await traced.spansOf(['GET', keys[0]!]);
    assert.not.ok(
      reading.some(({ name }) => name === 'persistence.wal_sync'),
      'it waits for none',
    );
    const answer = await request(traced.server.httpPort, '/debug/api/slowlog?count=-1');
    const { entries } = answer.json() as { entries: { command: string; durable_us: number }[] };
    for (const { command, durable_us: durableUs } of entries) {
      if (command === 'SET' || command === 'MSET') assert.ok(durableUs > 0, command);
      if (command === 'GET') assert.is(durableUs, 0);
    }
    assert.ok(entries.some(({ command }) => command === 'MSET'));
    await traced.set('persistence-durability-mode', 'periodic', 'tracing-persistence-spans', 'no');
    await traced.set('tracing-scatter-gather-spans', 'no', 'slowlog-log-slower-than', -1);
  },
);

persistence.run();
