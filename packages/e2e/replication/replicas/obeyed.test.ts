/** Commands of a primary are run although the replica refuses them to clients: limits, rules of arguments, sizes. */
// test-limit: 120s

import {
  contentsOf,
  needs,
  type Random,
  redisProgram,
  type RespClient,
  startRedis,
  startServer,
  withRandom,
  type Word,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked, untilSame } from '../info.test-helper.ts';

const obeyed = suite('a primary is obeyed');

/** Beyond the limit of the replica for one string. */
const FAR = '2000000';
const LARGE = Buffer.alloc(1_500_000, 'x');
const SCRIPT = `redis.call('XADD', KEYS[1], 'MAXLEN', '~', '1', 'LIMIT', '2', '*', 'f', 'v')
redis.call('SETRANGE', KEYS[2], ${FAR}, 'x')`;

const COMMANDS: readonly (readonly Word[])[] = [
  ['SET', 'large', LARGE],
  ['APPEND', 'large', LARGE],
  ['SETRANGE', 'range', FAR, 'x'],
  ['SETBIT', 'bit', '20000000', '1'],
  ['BITFIELD', 'field', 'SET', 'u8', '20000000', '7'],
  ['BITFIELD', 'field', 'INCRBY', 'u8', '#2000000', '7'],
  ['XADD', 'stream', 'MAXLEN', '~', '1000', 'LIMIT', '100', '1-1', 'f', 'v'],
  ['XADD', 'stream', 'MINID', '~', '1', 'LIMIT', '10', '2-1', 'f', 'v'],
  ['XTRIM', 'stream', 'MAXLEN', '~', '1', 'LIMIT', '1'],
  ['MULTI'],
  ['XADD', 'stream', 'MAXLEN', '~', '1000', 'LIMIT', '100', '3-1', 'f', 'v'],
  ['SETRANGE', 'in multi', FAR, 'x'],
  ['XTRIM', 'stream', 'MINID', '~', '2', 'LIMIT', '0'],
  ['EXEC'],
  ['EVAL', SCRIPT, '2', 'of script', 'range of script'],
];

/** Random changes of a stream, with limits of all kinds. */
function randomTrims(random: Random): Word[][] {
  return Array.from({ length: 300 }, (_, nth) => {
    const key = `trimmed ${random.integer(0, 2)}`;
    const strategy = random.chance(0.5) ? 'MAXLEN' : 'MINID';
    const threshold = String(
      strategy === 'MAXLEN' ? random.integer(0, 199) : random.integer(0, 299),
    );
    const limit = random.chance(0.5) ? [] : ['LIMIT', String(random.integer(0, 119))];
    const how = random.chance(0.33) ? [threshold] : ['~', threshold, ...limit];
    if (random.chance(0.33)) return ['XTRIM', key, strategy, ...how];
    return ['XADD', key, strategy, ...how, `${nth + 1}-1`, 'f', 'v'];
  });
}

/** Values of all kinds as DUMP has them, restored under another name. */
async function restoreAll(primary: RespClient): Promise<void> {
  for (const key of ['large', 'stream', 'field', 'trimmed 0']) {
    const payload = (await primary.call('DUMP', key)) as Buffer;
    await primary.call('RESTORE', `${key} again`, '0', payload, 'FREQ', '7');
    await primary.call('RESTORE', `${key} ending`, '1000000', payload, 'IDLETIME', '100');
  }
}

for (const kind of ['svc', ...(needs(redisProgram()) ? ['redis'] : [])]) {
  obeyed(
    `${kind}: with smaller limits on the replica both have the same`,
    withRandom(async (random) => {
      const first = await (kind === 'redis'
        ? startRedis(['--repl-diskless-sync-delay', '0', '--stream-node-max-entries', '10'])
        : startServer({
            shards: 2,
            args: [
              ...['--set', 'replication.diskless-sync-delay-secs=0'],
              ...['--set', 'encoding.stream-node-max-entries=10'],
            ],
          }));
      const second = await startServer({
        shards: 2,
        args: [
          ...['--set', 'server.proto-max-bulk-len=1mb'],
          ...['--set', 'server.query-buffer-limit=1mb'],
        ],
      });
      try {
        const primary = await first.client({ buffers: true });
        const replica = await second.client({ buffers: true });
        await replica.call('REPLICAOF', '127.0.0.1', first.port);
        await untilLinked(replica);
        for (const words of COMMANDS) await primary.call(...words);
        await primary.pipeline(randomTrims(random));
        await restoreAll(primary);
        await untilSame(primary, replica);
        const stats = await infoOf(replica, 'stats');
        assert.is((await infoOf(replica))['master_stream_last_error'], '');
        assert.is(stats['unexpected_error_replies'], '0');
        assert.is(stats['replica_sync_full'], '1');
        assert.equal(await contentsOf(replica), await contentsOf(primary));
      } finally {
        await second.stop();
        await first.stop();
      }
    }),
  );
}

obeyed.run();
