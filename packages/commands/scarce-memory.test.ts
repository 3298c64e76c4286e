/** A command for which there is no memory leaves its keys as they were, or as it would have made them. */
// test-tier: long
import { withoutMemory } from '#testkit';
import { call, prepared, type CallContext } from './call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const scarce = suite('scarce memory');

/** Smaller ones are V8's own. */
const ALLOCATION_BYTES_MIN = 128;

const long = 'x'.repeat(20_000);
const longer = 'y'.repeat(60_000);
const middling = 'm'.repeat(3_000);
const longKey = 'k'.repeat(3_000);
/** Settings that make small values take the way of large ones. */
const settings = {
  'encoding.hash-max-listpack-entries': 2,
  'encoding.set-max-listpack-entries': 2,
  'encoding.set-max-intset-entries': 2,
  'encoding.zset-max-listpack-entries': 2,
  'encoding.list-max-listpack-size': 2,
};

const fields = Array.from({ length: 40 }, (_, nth) => `f${nth} ${nth}`).join(' ');
const members = Array.from({ length: 40 }, (_, nth) => `m${nth}`).join(' ');
const scores = Array.from({ length: 200 }, (_, nth) => `${nth % 7} m${nth}`).join(' ');

/** Atomic commands, each with the commands that prepare its data. */
const wholes: readonly (readonly [before: readonly string[], command: string])[] = [
  [[], `SET k ${long}`],
  [['SET k v'], `SET k ${long}`],
  [[`SET k ${long}`], `SET k ${longer}`],
  [[], `SET ${longKey} ${long}`],
  [[], `SET k ${long} EX 100`],
  [['SET k v EX 100'], `SET k ${longer} KEEPTTL`],
  [[`SET k ${long}`], 'EXPIRE k 100'],
  [[`SET k ${middling}${middling}`], 'PEXPIRE k 100000'],
  [[`SET k ${long} EX 100`], 'PERSIST k'],
  [['SET k v'], `APPEND k ${long}`],
  [[`SET k ${long}`], `APPEND k ${longer}`],
  [[], 'SETRANGE k 50000 v'],
  [[`SET k ${middling}`], 'SETRANGE k 50000 v'],
  [[], 'SETBIT k 400000 1'],
  [['SET k v'], 'SETBIT k 400000 1'],
  [[`SET k ${long}`], 'SETBIT k 800000 1'],
  [[], 'BITFIELD k SET u8 400000 7'],
  [[`SET k ${long}`], 'BITFIELD k SET u8 400000 7 INCRBY u8 0 3'],
  [[`SET a ${long}`, `SET k ${longer}`], 'BITOP NOT k a'],
  [[`SET a ${long}`, `SET b ${longer}`], 'BITOP OR k a b'],
  [[`SET k ${long}`], `GETSET k ${longer}`],
  [[`SET a ${long}`, 'SET k v'], 'RENAME a k'],
  [[`SET a ${long}`], 'COPY a k'],
  [[`HSET a ${fields}`], 'COPY a k'],
  [[`HSET k ${fields}`], `HSET k f7 ${long}`],
  [[`HSET k ${fields}`], `HSET k other ${long}`],
  [[`HSET k ${fields}`], 'HEXPIRE k 100 FIELDS 1 f7'],
  [[`SADD k ${members}`], `SADD k ${long}`],
  [[`ZADD k ${scores}`], `ZADD k 9 ${long}`],
  [[`ZADD k ${scores}`], 'ZADD k 77 m3'],
  [[`RPUSH k ${members}`], `RPUSH k ${long}`],
  [[`RPUSH k ${members}`], `LSET k 7 ${long}`],
  [[`RPUSH k ${members}`], `LINSERT k BEFORE m7 ${long}`],
  [['XADD k 1-1 a b'], `XADD k 5-1 f ${long}`],
  [[`XADD k 1-1 a ${middling}`], `XADD k 5-1 f ${middling}`],
  [[], `PFADD k ${members}`],
  [[`PFADD k ${members}`], 'PFADD k other and more'],
  [[`PFADD k ${members}`], 'PFMERGE d k'],
  [[`RPUSH a ${members}`, `RPUSH k ${members}`], 'LMOVE a k LEFT RIGHT'],
  [[`RPUSH k ${long} b c d`], 'LREM k 1 b'],
  [[`ZADD a ${scores}`], 'ZRANGESTORE k a 0 -1'],
];

/** Commands that may come half way: run again, they end as if nothing had been. */
const repeatable: readonly (readonly [before: readonly string[], command: string])[] = [
  [[], `MSET a ${long} b ${longer} c 1`],
  [[], `HSET k ${fields} g ${long}`],
  [[], `XADD k 5-1 f ${long}`],
  [[`SADD a ${members}`, 'SADD b m1 m2'], 'SDIFFSTORE k a b'],
  [[`HSET k ${fields}`], `HSET k ${fields} g ${long} h ${longer} f1 ${long}`],
  [[], `SADD k ${members} ${long} ${longer}`],
  [['SADD k 1 2'], 'SADD k 1 2 3 4 5 6 7 8 9 10 a b c'],
  [[], `ZADD k ${scores}`],
  [['ZADD k 1 a'], `ZADD k ${scores} 7 ${long}`],
  [[`HSET k ${fields}`], 'HEXPIRE k 100 FIELDS 5 f1 f2 f3 f4 f5'],
  [[`HSET k ${fields}`], `HDEL k ${members.replaceAll('m', 'f')}`],
  [[`SADD k ${members}`], `SREM k ${members}`],
  [[`ZADD k ${scores}`], 'ZREMRANGEBYSCORE k 0 4'],
];

function contents(context: CallContext): string {
  const keys = (call(context, 'KEYS *') as string[]).sort();
  return JSON.stringify(
    keys.map((key) => [
      key,
      call(context, ['DUMP', key]),
      call(context, ['PTTL', key]),
      call(context, ['TYPE', key]) === 'hash' ? ttls(context, key) : null,
    ]),
  );
}

function ttls(context: CallContext, key: string): unknown {
  const names = call(context, ['HKEYS', key]) as string[];
  return call(context, ['HPTTL', key, 'FIELDS', String(names.length), ...names]);
}

/** Everything goes, and nothing is counted any more. */
function empty(context: CallContext): void {
  for (const key of call(context, 'KEYS *') as string[]) call(context, ['DEL', key]);
  const { memory } = context.store;
  assert.equal([memory.recordBytes, memory.blobBytes, memory.objectBytes], [0, 0, 0]);
  assert.is(call(context, 'DBSIZE'), 0);
}

/** The command with its first allocation failing, then its second, up to the last one that it makes. */
function eachFailure(
  before: readonly string[],
  command: string,
  judge: (context: CallContext, name: string) => void,
): void {
  for (let nth = 0; ; nth += 1) {
    const context = prepared(before, { settings });
    const hasFailed = withoutMemory(nth, ALLOCATION_BYTES_MIN, () => call(context, command));
    context.reply.take();
    if (!hasFailed) {
      return;
    }
    judge(context, `${command.slice(0, 40)}, allocation ${nth}`);
    empty(context);
  }
}

for (const [before, command] of wholes) {
  const name = [...before, command].map((line) => line.slice(0, 30)).join('; ');
  scarce(`leaves keys whole: ${name}`, () => {
    const old = contents(prepared(before, { settings }));
    const made = contents(prepared([...before, command], { settings }));
    eachFailure(before, command, (context, what) => {
      const now = contents(context);
      assert.ok(now === old || now === made, what);
    });
  });
}

for (const [before, command] of repeatable) {
  const name = [...before, command].map((line) => line.slice(0, 30)).join('; ');
  scarce(`leaves keys sound: ${name}`, () => {
    const made = contents(prepared([...before, command], { settings }));
    eachFailure(before, command, (context, what) => {
      contents(context);
      call(context, command);
      assert.is(contents(context).length, made.length, what);
    });
  });
}

scarce.run();
