/** WAIT is about what its own client has written, and partial synchronisations that are refused are counted. */
// test-again: SVC_SERVER__FRONT_THREADS=1
import { startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeze, infoOf, untilLinked, untilOnline } from './info.test-helper.ts';
import { AT_ONCE } from './replicas.test-helper.ts';

const waits = suite('WAIT, and refused partial synchronisations');

waits(
  'WAIT counts replicas that have the writes of its client, whatever others have written',
  async () => {
    const primary = await startServer({ shards: 3, args: AT_ONCE });
    const replica = await startServer({ args: AT_ONCE });
    try {
      const [writer, other, idle] = [
        await primary.client(),
        await primary.client(),
        await primary.client(),
      ];
      await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
      await untilLinked(await replica.client());
      await untilOnline(idle, 1);
      await other.call('MSET', 'a', '1', 'b', '2', 'c', '3');
      assert.is(await other.call('WAIT', '1', '0'), 1);
      await freeze(replica);
      await writer.call('SET', 'a', 'x');
      assert.is(await writer.call('WAIT', '1', '1'), 0);
      // With no time limit: it would wait for ever.
      assert.is(await idle.call('WAIT', '1', '0'), 1);
      assert.is(await other.call('WAIT', '1', '0'), 1);
      assert.equal(await idle.call('WAITAOF', '1', '1', '0'), [1, 1]);
      const late = writer.call('WAIT', '1', '0');
      replica.signal('SIGCONT');
      assert.is(await late, 1);
    } finally {
      replica.signal('SIGCONT');
      await replica.stop();
      await primary.stop();
    }
  },
);

waits('WAITAOF replies whether the writes are on disk here, wished for or not', async () => {
  const args = [...AT_ONCE, '--set', 'persistence.durability-mode=sync'];
  const primary = await startServer({ shards: 2, args });
  const replica = await startServer({ args });
  try {
    const writer = await primary.client();
    await writer.call('MSET', 'a', '1', 'b', '2', 'c', '3');
    assert.equal(await writer.call('WAITAOF', '0', '0', '0'), [1, 0]);
    await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
    await untilLinked(await replica.client());
    await writer.call('MSET', 'a', '2', 'b', '3', 'c', '4');
    assert.equal(await writer.call('WAITAOF', '0', '1', '0'), [1, 1]);
  } finally {
    await replica.stop();
    await primary.stop();
  }
});

waits('WAITAOF counts nothing as on disk before the snapshot that the log rests on', async () => {
  const server = await startServer({
    args: ['--set', 'persistence.enabled=no', '--set', 'persistence.durability-mode=sync'],
  });
  try {
    const client = await server.client();
    await client.call('MSET', 'a', '1', 'b', '2');
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '100000000');
    await client.call('CONFIG', 'SET', 'appendonly', 'yes');
    await client.call('SET', 'c', '3');
    assert.equal(await client.call('WAITAOF', '1', '0', '1'), [0, 0]);
    await client.call('CONFIG', 'SET', 'rdb-key-save-delay', '0');
    assert.equal(await client.call('WAITAOF', '1', '0', '0'), [1, 0]);
  } finally {
    await server.stop();
  }
});

waits('who comes back when the backlog is gone is counted as refused', async () => {
  const primary = await startServer({
    args: [...AT_ONCE, '--set', 'replication.backlog-ttl-secs=1'],
  });
  const replica = await startServer({ args: AT_ONCE });
  try {
    const writer = await primary.client();
    await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
    await untilLinked(await replica.client());
    await writer.call('SET', 'a', '1');
    assert.is(await writer.call('WAIT', '1', '0'), 1);
    await freeze(replica);
    assert.is(await writer.call('CLIENT', 'KILL', 'TYPE', 'replica'), 1);
    await until(
      async () => (await infoOf(writer))['repl_backlog_active'] === '0',
      'the backlog is freed',
    );
    await writer.call('SET', 'a', '2');
    replica.signal('SIGCONT');
    await untilOnline(writer, 1);
    const stats = await infoOf(writer, 'stats');
    const counts = ['sync_full', 'sync_partial_ok', 'sync_partial_err'].map((name) => stats[name]);
    assert.equal(counts, ['2', '0', '1']);
  } finally {
    replica.signal('SIGCONT');
    await replica.stop();
    await primary.stop();
  }
});

waits.run();
