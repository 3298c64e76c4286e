/** Backups of servers that run and that are stopped, and what is restored from them, compared with what was acknowledged. */
// test-tier: long

import fs from 'node:fs';
import { contentsOf, fill, keyPerShard, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type KeptServer, keptServers } from '../durability/kept-server.ts';
import { tieredArguments, fill as fillTier, KEYS, wrong } from '../tiered/tiered.test-helper.ts';
import { BackupFolder, manifestOf, PLAIN } from './backup-folder.ts';

const backups = suite('backup and restore');

const SHARDS = 3;
const newServer = keptServers(backups);
const folder = new BackupFolder(backups, SHARDS);

async function numbersOf(client: RespClient, keys: readonly string[]): Promise<number[]> {
  const values = (await client.call('MGET', ...keys)) as (Buffer | null)[];
  return values.map((value) => Number(value === null ? 0 : textOf(value)));
}

backups(
  'all types of a stopped server are restored, for another number of shards too',
  async () => {
    const kept = newServer();
    const client = await kept.start({ shards: 2, args: PLAIN });
    await fill(client);
    await client.call(
      'FUNCTION',
      'LOAD',
      "#!lua name=lib\nredis.register_function('f', function() return 1 end)",
    );
    await client.call('SAVE');
    await client.call('SET', 'after the snapshot', 'yes');
    const before = await contentsOf(await kept.server.client({ buffers: true }));
    await kept.kill();
    const listing = (): string[] =>
      fs.readdirSync(kept.data, { recursive: true }).map(String).sort();
    const files = listing();
    const from = await folder.backup(kept.data);
    assert.equal(listing(), files, 'the data folder is as it was');
    const data = await folder.restore(from);
    await folder.served(data, async (restored) => {
      assert.equal(await contentsOf(restored), before);
      assert.is(await restored.call('FCALL', 'f', '0'), 1);
    });
  },
);

/** Increment of a counter by a client, with times of the test's clock. */
interface Step {
  readonly value: number;
  readonly sentMs: number;
  readonly ackMs: number;
}

/** Asserts that a value is one that the counter had at the time. */
function assertHeld(steps: readonly Step[], value: number, atMs: number, what: string): void {
  const least = steps.filter(({ ackMs }) => ackMs < atMs).length;
  const most = steps.filter(({ sentMs }) => sentMs <= atMs + 1).length;
  assert.ok(value >= least && value <= most, `${what}: ${value}, not ${least} to ${most}`);
}

/** Clients that write until they are stopped: one key after the other, and transactions over all shards. */
function writers(kept: KeptServer) {
  let isStopped = false;
  const chain = keyPerShard(SHARDS, 'chain');
  const multi = keyPerShard(SHARDS, 'multi');
  const split = keyPerShard(SHARDS, 'split');
  const steps: Record<'chain' | 'multi' | 'split', Step[]> = { chain: [], multi: [], split: [] };
  const write = async (
    into: Step[],
    act: (client: RespClient, value: number) => Promise<unknown>,
  ) => {
    const client = await kept.server.client();
    for (let value = 1; !isStopped; value += 1) {
      const sentMs = Date.now();
      await act(client, value);
      into.push({ value, sentMs, ackMs: Date.now() });
    }
  };
  const all = Promise.all([
    write(steps.chain, async (client, value) => {
      for (const key of chain) await client.call('SET', key, String(value));
    }),
    write(steps.multi, (client, value) =>
      client.pipeline([['MULTI'], ...multi.map((key) => ['SET', key, String(value)]), ['EXEC']]),
    ),
    write(steps.split, (client, value) =>
      client.call('MSET', ...split.flatMap((key) => [key, String(value)])),
    ),
  ]);
  const stop = async (): Promise<void> => {
    isStopped = true;
    await all;
  };
  return { chain, multi, split, steps, stop };
}

type Load = ReturnType<typeof writers>;

/** Asserts that what is done on all shards is whole in a data folder; returns the counters. */
async function wholeState(data: string, { chain, multi, split }: Load) {
  const [chained, transactions, splits] = await folder.served(
    data,
    async (client) =>
      [
        await numbersOf(client, chain),
        await numbersOf(client, multi),
        await numbersOf(client, split),
      ] as const,
  );
  assert.is(new Set(transactions).size, 1, `a transaction is whole: ${String(transactions)}`);
  assert.is(new Set(splits).size, 1, `MSET is whole: ${String(splits)}`);
  return { chained, transactions: transactions[0]!, splits: splits[0]! };
}

/** Asserts that a data folder has one state of all shards, as of that time. */
async function assertStateAt(data: string, load: Load, atMs: number): Promise<void> {
  const { steps } = load;
  const { chained, transactions, splits } = await wholeState(data, load);
  assertHeld(steps.multi, transactions, atMs, 'transactions');
  assertHeld(steps.split, splits, atMs, 'MSET');
  const order = [...chained].sort((a, b) => b - a);
  assert.equal(chained, order, 'what a client wrote first is there if what it wrote later is');
  assert.ok(order[0]! - order.at(-1)! <= 1);
  assertHeld(steps.chain, chained.at(-1)!, atMs, 'one after the other');
}

async function untilWritten({ steps }: Load, count: number): Promise<void> {
  const targets = Object.values(steps).map((each) => each.length + count);
  await until(
    () => Object.values(steps).every((each, nth) => each.length >= targets[nth]!),
    'more is written',
  );
}

for (const mode of ['periodic', 'sync', 'async']) {
  backups(`a backup under load has one state of all shards, in ${mode} mode`, async () => {
    const kept = newServer();
    const args = [...PLAIN, '--set', `persistence.durability-mode=${mode}`];
    await kept.start({ shards: SHARDS, args });
    const load = writers(kept);
    await untilWritten(load, 20);
    const startedMs = Date.now();
    const from = await folder.backup(kept.data);
    await untilWritten(load, 5);
    await load.stop();
    const { newest_ms: newestMs } = manifestOf(from);
    assert.ok(newestMs >= startedMs);
    const data = await folder.restore(from);
    // A reply in async mode does not wait for the log, so the logs of shards may end at different moments.
    if (mode === 'async') await wholeState(data, load);
    else await assertStateAt(data, load, newestMs);
  });
}

backups('any time between the oldest and the newest is restored, over snapshots', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: SHARDS, args: PLAIN });
  const load = writers(kept);
  const times: number[] = [];
  for (let nth = 0; nth < 3; nth += 1) {
    await untilWritten(load, 10);
    times.push(Date.now());
    await untilWritten(load, 10);
    await client.call('SAVE');
    times.push(Date.now() + 1);
    await untilWritten(load, 10);
  }
  const from = await folder.backup(kept.data);
  await load.stop();
  const { starts, newest_ms: newestMs } = manifestOf(from);
  assert.is(starts.length, 2, 'the log is kept back to the second newest snapshot');
  const oldestMs = starts.at(-1)!.time_ms;
  const within = times.filter((ms) => ms >= oldestMs);
  assert.ok(within.length >= 3);
  for (const ms of [...within, oldestMs, newestMs]) {
    const data = await folder.restore(from, '--to-time', String(ms));
    await assertStateAt(data, load, ms);
  }
});

backups(
  'a time is given in ISO 8601, seconds or milliseconds, and must be in the range',
  async () => {
    const kept = newServer();
    const client = await kept.start({ shards: 2, args: PLAIN });
    await client.call('SET', 'k', 'first');
    const [seconds, micros] = (await client.call('TIME')) as readonly unknown[];
    const ms =
      Number(textOf(seconds as string)) * 1_000 +
      Math.ceil(Number(textOf(micros as string)) / 1_000);
    await until(() => Date.now() > ms + 5, 'the clock has gone on');
    await client.call('SET', 'k', 'second');
    const from = await folder.backup(kept.data);
    const forms = [
      String(ms),
      (ms / 1_000).toFixed(3),
      new Date(ms).toISOString(),
      new Date(ms + 7_200_000).toISOString().replace('Z', '+02:00'),
    ];
    for (const form of forms) {
      const end = await folder.run('restore', '--from', from, '--dry-run', `--to-time=${form}`);
      assert.is(end.exitCode, 0, end.stderr);
      assert.match(end.stdout, `as of ${new Date(ms).toISOString()}`);
      assert.match(end.stdout, /The last of 1 replayed changes/);
    }
    const data = await folder.restore(from, '--to-time', String(ms));
    assert.is(
      await folder.served(data, async (one) => textOf(await one.call('GET', 'k'))),
      'first',
    );
    for (const wrong of [
      'yesterday',
      '2026-11-29T03:00:00',
      '1e400',
      '2026-13-01T00:00:00Z',
      '-5',
    ]) {
      assert.match(
        await folder.refused('restore', '--from', from, `--to-time=${wrong}`),
        '--to-time needs a time',
      );
    }
    const { newest_ms: newestMs, starts } = manifestOf(from);
    const range = `it has ${new Date(starts.at(-1)!.time_ms).toISOString()} to ${new Date(newestMs).toISOString()}`;
    for (const outside of [newestMs + 1, starts.at(-1)!.time_ms - 1]) {
      assert.match(
        await folder.refused('restore', '--from', from, '--to-time', String(outside)),
        range,
      );
    }
  },
);

backups('snapshots that are taken during backups do not disturb them', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: SHARDS, args: PLAIN });
  const load = writers(kept);
  await untilWritten(load, 5);
  const end = new AbortController();
  const saving = (async () => {
    while (!end.signal.aborted) await client.call('SAVE');
  })();
  for (let nth = 0; nth < 3; nth += 1) {
    const from = await folder.backup(kept.data);
    await assertStateAt(await folder.restore(from), load, manifestOf(from).newest_ms);
  }
  end.abort();
  await saving;
  await load.stop();
});

backups('after persistence was switched on, a backup has the new data', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: 1, args: PLAIN });
  await client.call('SET', 'k', 'v');
  await kept.stop();
  const off = ['--set', 'persistence.enabled=no'];
  const again = await kept.start({ shards: 1, args: [...PLAIN, ...off] });
  await again.call('SET', 'k', 'newer');
  await again.call('CONFIG', 'SET', 'appendonly', 'yes');
  const isSaved = async (): Promise<boolean> =>
    textOf(await again.call('INFO', 'persistence')).includes('log_awaits_snapshot:0');
  await until(isSaved, 'the snapshot is on disk');
  const data = await folder.restore(await folder.backup(kept.data));
  assert.is(await folder.served(data, async (one) => textOf(await one.call('GET', 'k'))), 'newer');
});

backups('values in the warm tier are in the backup, and are restored to one', async () => {
  const kept = newServer();
  const client = await kept.start({ shards: 2, args: tieredArguments() });
  await fillTier(client, 0, KEYS / 2);
  await client.call('SAVE');
  await fillTier(client, KEYS / 2, KEYS);
  const info = textOf(await client.call('INFO', 'tiered'));
  assert.match(info, /tiered_warm_keys:[1-9]\d{3}/);
  const from = await folder.backup(kept.data);
  const data = await folder.restore(from, ...tieredArguments());
  const check = async (restored: RespClient): Promise<void> => {
    assert.is(await restored.call('DBSIZE'), KEYS);
    assert.equal(await wrong(restored, 7), []);
  };
  await folder.served(data, check, tieredArguments());
});

backups.run();
