/** Ways in which a client writes, or does not, before it waits for replicas. */
import type { Draw } from '../draw.ts';
import { step, type Step, type Words } from '../family.ts';

/** Keys on all shards. */
const KEYS = ['a', 'b', 'c', 'd', '{t}1', '{t}2'];

/** Words of commands behind which this server may write more than Redis: that a key is over may be seen by more commands. */
const LOOSE: ReadonlySet<string> = new Set(['maxmemory', 'PXAT']);

/** Round of a client: its commands, and those of another that come while the last of them is blocked. */
export interface Round {
  readonly commands: Step;
  readonly others: Step;
  /**
   * True where this server may have written something that Redis has not, or does not count: Redis notes where a woken
   * client's writes end before its stream has them, and memory is counted otherwise.
   */
  readonly mayWriteMore: boolean;
}

const LIBRARY = `#!lua name=ways
redis.register_function('way', function(keys, args) return redis.call(unpack(args)) end)`;

type Weighed = readonly [weight: number, make: (draw: Draw) => Step];

const key = (draw: Draw): string => draw.random.pick(KEYS);
const value = (draw: Draw): string => draw.pick('x', 'y', '1', '2');
const end = (draw: Draw): string => draw.pick('LEFT', 'RIGHT');

/** Writes of one command, and moves between shards. */
const writes: readonly ((draw: Draw) => Words)[] = [
  (draw) => ['SET', key(draw), value(draw)],
  (draw) => ['MSET', key(draw), value(draw), key(draw), value(draw)],
  (draw) => ['DEL', key(draw), key(draw)],
  (draw) => [draw.pick('LPUSH', 'RPUSH'), key(draw), value(draw), value(draw)],
  (draw) => ['SADD', key(draw), value(draw), value(draw)],
  (draw) => ['ZADD', key(draw), '1', value(draw)],
  (draw) => ['HSET', key(draw), 'f', value(draw)],
  (draw) => ['INCR', key(draw)],
  (draw) => ['RENAME', key(draw), key(draw)],
  (draw) => ['COPY', key(draw), key(draw), ...draw.maybe(0.5, 'REPLACE')],
  (draw) => ['LMOVE', key(draw), key(draw), end(draw), end(draw)],
  (draw) => ['SMOVE', key(draw), key(draw), value(draw)],
  (draw) => ['SUNIONSTORE', key(draw), key(draw), key(draw)],
  (draw) => ['ZRANGESTORE', key(draw), key(draw), '0', '-1'],
  (draw) => ['SORT', key(draw), 'ALPHA', 'STORE', key(draw)],
  (draw) => ['SPOP', key(draw)],
  (draw) => ['LPOP', key(draw)],
  (draw) => ['PERSIST', key(draw)],
  (draw) => ['EXPIRE', key(draw), draw.pick('-1', '1000')],
  (draw) => ['XADD', key(draw), '*', 'f', value(draw)],
  (draw) => ['XTRIM', key(draw), 'MAXLEN', draw.pick('0', '1')],
  (draw) => ['GETDEL', key(draw)],
  () => ['FUNCTION', 'LOAD', 'REPLACE', LIBRARY],
  (draw) => ['PUBLISH', 'c', value(draw)],
];

const reads: readonly ((draw: Draw) => Words)[] = [
  (draw) => ['GET', key(draw)],
  (draw) => ['MGET', key(draw), key(draw)],
  (draw) => ['TYPE', key(draw)],
  (draw) => ['EXISTS', key(draw), key(draw)],
  (draw) => ['LRANGE', key(draw), '0', '-1'],
  () => ['DBSIZE'],
  () => ['PING'],
  () => ['ECHO', 'x'],
  () => ['SELECT', '0'],
  () => ['CONFIG', 'SET', 'slowlog-max-len', '64'],
];

const any = (draw: Draw): Words => draw.random.pick(draw.chance(0.5) ? writes : reads)(draw);

const ways: readonly Weighed[] = [
  [4, (draw) => step(draw.random.pick(writes)(draw))],
  [2, (draw) => step(draw.random.pick(reads)(draw))],
  [5, transaction],
  [3, (draw) => step(script(draw, any(draw)))],
  [1, (draw) => step(...expired(draw), any(draw))],
  [0.5, eviction],
];

function transaction(draw: Draw): Step {
  const queued = Array.from({ length: draw.random.integer(0, 4) }, () =>
    draw.chance(0.2) ? script(draw, any(draw)) : any(draw),
  );
  const watched = draw.chance(0.2) ? [['WATCH', key(draw)]] : [];
  return step(...watched, ['MULTI'], ...queued, [draw.chance(0.1) ? 'DISCARD' : 'EXEC']);
}

/** A script that calls a command, with the keys declared that it may have, or none. */
function script(draw: Draw, words: Words): Words {
  if (words[0] === 'CONFIG' || words[0] === 'FUNCTION') return ['PING'];
  const keys = draw.chance(0.7) ? KEYS : [];
  const declared = [String(keys.length), ...keys];
  return draw.chance(0.7)
    ? ['EVAL', 'return redis.call(unpack(ARGV))', ...declared, ...words]
    : ['FCALL', 'way', ...declared, ...words];
}

/** A key whose time is over at once. */
function expired(draw: Draw): Words[] {
  return [['SET', key(draw), 'x', 'PXAT', '1']];
}

function eviction(draw: Draw): Step {
  return step(
    ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random'],
    ['CONFIG', 'SET', 'maxmemory', '1'],
    ['SET', key(draw), value(draw)],
    ['CONFIG', 'SET', 'maxmemory', '0'],
  );
}

/** Commands that are blocked until another client comes with what they wait for. */
function blocked(draw: Draw): Round {
  const at = key(draw);
  const source = [['DEL', at]];
  const waits = draw.random.pick<Words>([
    ['BLPOP', at, '0'],
    ['BLMOVE', at, key(draw), end(draw), end(draw), '0'],
    ['BLMPOP', '0', '1', at, 'LEFT'],
  ]);
  const others = step(['RPUSH', at, value(draw)]);
  return { commands: step(...source, waits), others, mayWriteMore: true };
}

/** Draws what a client does before it waits for replicas. */
export function makeRound(draw: Draw): Round {
  if (draw.chance(0.12)) return blocked(draw);
  const count = draw.random.integer(1, 3);
  const steps = Array.from({ length: count }, () => draw.random.weighted(ways)(draw));
  const commands = steps.flat();
  const mayWriteMore = commands.some(({ words }) => words.some((word) => LOOSE.has(word)));
  return { commands, others: [], mayWriteMore };
}

/** Commands behind which both servers have the same before a round. */
export const BEFORE: Step = step(
  ['RESET'],
  ['CONFIG', 'SET', 'maxmemory', '0'],
  ['FUNCTION', 'LOAD', 'REPLACE', LIBRARY],
);
