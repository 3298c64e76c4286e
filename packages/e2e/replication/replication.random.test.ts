/**
 * A primary and its replica under load, with links that are cut and servers that are killed: no client sees a part of a
 * transaction.
 */
// test-tier: long

import {
  contentsOf,
  LinkProxy,
  type Random,
  ReplyError,
  type RespClient,
  until,
  withRandom,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeptServer } from '../durability/kept-server.ts';
import { untilSame } from './info.test-helper.ts';

const replicated = suite('replication under load');

const EVENTS = Number(process.env['TEST_EVENTS'] ?? 8);
const ROUNDS_PER_EVENT = 25;

/** Keys that are only ever changed together, each group in a way of its own. */
const GROUPS = ['exec', 'mset', 'script'].map((group) =>
  Array.from({ length: 6 }, (_, nth) => `${group}:${nth}`),
);
const [EXEC_KEYS, MSET_KEYS, SCRIPT_KEYS] = GROUPS as [string[], string[], string[]];

function commandsOf(random: Random, round: number): readonly (readonly string[])[] {
  const value = String(round);
  const key = `key:${random.integer(0, 200)}`;
  const together = [
    [['MULTI'], ...EXEC_KEYS.map((each) => ['SET', each, value]), ['EXEC']],
    [['MSET', ...MSET_KEYS.flatMap((each) => [each, value])]],
    [
      [
        'EVAL',
        "for _, k in ipairs(KEYS) do redis.call('SET', k, ARGV[1]) end",
        '6',
        ...SCRIPT_KEYS,
        value,
      ],
    ],
  ];
  const exclusive = [
    ['INCR', `count:${key}`],
    ['RPUSH', `list:${key}`, value],
    ['LMOVE', `list:${key}`, `list:key:${random.integer(0, 200)}`, 'LEFT', 'RIGHT'],
    ['SADD', `set:${key}`, value, key],
    ['SPOP', `set:${key}`],
    ['ZADD', `zset:${key}`, value, 'member'],
    ['HSET', `hash:${key}`, 'field', value],
    ['DEL', `list:${key}`, `set:${key}`, `hash:${key}`],
    ['XADD', `stream:${key}`, '*', 'f', value],
    ['SET', `gone:${key}`, value, 'PX', '30'],
  ];
  return [...together.flat(), ...exclusive.filter(() => random.chance(0.6))];
}

/** Reads keys that belong together, until stopped; returns the number of reads. */
async function watch(clientOf: () => RespClient, state: { isOver: boolean }): Promise<number> {
  let reads = 0;
  while (!state.isOver) {
    for (const keys of GROUPS) {
      const reply = await clientOf()
        .reply('MGET', ...keys)
        .catch(() => undefined);
      if (reply === undefined || reply instanceof ReplyError) continue;
      const values = new Set((reply as (Buffer | null)[]).map((value) => value?.toString() ?? ''));
      assert.is(values.size, 1, `${keys[0]} and others: ${[...values].join(' ')}`);
      reads += 1;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reads;
}

replicated(
  'links are cut and servers killed, and no half is ever seen',
  withRandom(async (random) => {
    const primary = new KeptServer();
    const replica = new KeptServer();
    const args = ['--set', 'replication.diskless-sync-delay-secs=0'];
    const state = { isOver: false };
    let proxy: LinkProxy | undefined;
    let watching: Promise<number> | undefined;
    try {
      await primary.start({ shards: 3, args });
      let writer = await primary.server.client({ buffers: true });
      const link = await LinkProxy.to(primary.server.port);
      proxy = link;
      const follows = [
        ...['--set', 'replication.primary-host=127.0.0.1'],
        ...['--set', `replication.primary-port=${link.port}`],
      ];
      await replica.start({ shards: 2, args: follows });
      let reader = await replica.server.client({ buffers: true });
      watching = watch(() => reader, state);
      // Reported below, where it is awaited.
      watching.catch(() => undefined);
      let round = 0;
      const events = {
        cut: () => {
          link.cut();
          return Promise.resolve();
        },
        killReplica: async () => {
          await replica.kill();
          await replica.start({ shards: 2, args: follows });
          reader = await replica.server.client({ buffers: true });
        },
        killPrimary: async () => {
          await primary.kill();
          await primary.start({ shards: 3, args });
          link.target = primary.server.port;
          link.cut();
          writer = await primary.server.client({ buffers: true });
        },
      };
      for (let nth = 0; nth < EVENTS; nth += 1) {
        for (const until = round + ROUNDS_PER_EVENT; round < until; round += 1) {
          await writer.pipeline(commandsOf(random, round));
        }
        await events[random.pick(['cut', 'cut', 'cut', 'killReplica', 'killPrimary'] as const)]();
      }
      await untilSame(writer, reader);
      state.isOver = true;
      assert.ok((await watching) > 0, 'somebody has looked');
      await until(
        async () => ((await writer.call('KEYS', 'gone:*')) as unknown[]).length === 0,
        'what is over is gone',
      );
      await untilSame(writer, reader);
      assert.equal(await contentsOf(reader), await contentsOf(writer));
      assert.not.match(replica.server.stdout, 'replica-stream-error');
    } finally {
      state.isOver = true;
      await Promise.allSettled([watching]);
      await proxy?.close();
      await primary.remove();
      await replica.remove();
    }
  }),
);

replicated.run();
