/**
 * Commands by which several clients affect each other: they block, watch, track, subscribe, and change what the others
 * look at.
 */
import type { Draw } from '../draw.ts';
import type { Words } from '../family.ts';

/** One client sends a command, or somebody outside does something to that client; `ID` stands for its number. */
export interface Move {
  readonly client: number;
  readonly words: Words;
  readonly isOutside: boolean;
}

export const ID = '<id>';
/** Stands for the payload of a key in a command that restores it. */
export const DUMPS: Readonly<Record<string, Words>> = {
  '<list>': ['RPUSH', 'dumped', 'x', 'y'],
  '<zset>': ['ZADD', 'dumped', '1', 'x', '2', 'y'],
  '<stream>': ['XADD', 'dumped', '7-1', 'f', 'x'],
};
/** Move by which a client's own end closes the connection. */
export const HANG_UP: Words = ['(closes its connection)'];
/** User that clients become, and that is deleted under them. */
const USER = 'guest';
export const MAKE_USER: Words = ['ACL', 'SETUSER', USER, 'on', 'nopass', '~*', '&*', '+@all'];

/** Keys of one shard: commands that wait for several keys there are served in the order of Redis. */
const NEAR = ['{t}1', '{t}2', '{t}3'];
const KEYS = [...NEAR, 'a', 'b', 'key:1'];

type Maker = (draw: Draw) => Words;

const makers: readonly (readonly [weight: number, maker: Maker])[] = [
  [9, (draw) => [draw.pick('BLPOP', 'BRPOP'), ...waited(draw), '0']],
  [5, (draw) => ['BLMOVE', ...moved(draw), end(draw), end(draw), '0']],
  [1, (draw) => ['BRPOPLPUSH', ...moved(draw), '0']],
  [3, (draw) => counted(draw, 'BLMPOP', end(draw))],
  [5, (draw) => [draw.pick('BZPOPMIN', 'BZPOPMAX'), ...waited(draw), '0']],
  [2, (draw) => counted(draw, 'BZMPOP', draw.pick('MIN', 'MAX'))],
  [3, (draw) => ['XREAD', 'BLOCK', '0', ...streams(draw, '$', '$', '0')]],
  [3, (draw) => ['XREADGROUP', 'GROUP', 'g', 'c', 'BLOCK', '0', ...streams(draw, '>')]],
  [6, (draw) => [draw.pick('LPUSH', 'RPUSH'), key(draw), ...draw.list(1, 3, () => value(draw))]],
  [4, (draw) => ['ZADD', key(draw), draw.integer(1, 3), value(draw)]],
  [1, (draw) => ['SADD', key(draw), value(draw)]],
  [4, (draw) => ['XADD', key(draw), `${draw.integer(1, 99)}-1`, 'f', value(draw)]],
  [2, (draw) => ['XGROUP', 'CREATE', key(draw), 'g', '$', 'MKSTREAM']],
  [1, (draw) => ['XGROUP', 'DESTROY', key(draw), 'g']],
  [3, (draw) => ['DEL', key(draw)]],
  [3, (draw) => ['RENAME', key(draw), key(draw)]],
  [2, (draw) => ['COPY', key(draw), key(draw), 'REPLACE']],
  [3, (draw) => ['SET', key(draw), value(draw)]],
  [1, (draw) => ['LPOP', key(draw)]],
  [1, (draw) => ['XACK', key(draw), 'g', `${draw.integer(1, 99)}-1`]],
  [2, (draw) => ['LMOVE', key(draw), key(draw), end(draw), end(draw)]],
  [1, (draw) => ['EXPIRE', key(draw), '-1']],
  [1, (draw) => ['MOVE', key(draw), '1']],
  [4, (draw) => ['GET', key(draw)]],
  [1, (draw) => ['TYPE', key(draw)]],
  [1, (draw) => ['LRANGE', key(draw), '0', '-1']],
  [2, (draw) => ['MGET', key(draw), key(draw)]],
  [3, (draw) => ['WATCH', key(draw), key(draw)]],
  [5, () => ['MULTI']],
  [7, () => ['EXEC']],
  [0.5, (draw) => [draw.pick('DISCARD', 'UNWATCH', 'RESET')]],
  [1, (draw) => ['SUBSCRIBE', draw.pick('channel', '__keyevent@0__:del', '__keyspace@0__:a')]],
  [1, (draw) => ['PSUBSCRIBE', draw.pick('c*', '__key*__:*')]],
  [1, (draw) => [draw.pick('UNSUBSCRIBE', 'PUNSUBSCRIBE'), draw.pick('channel', 'c*')]],
  [2, (draw) => ['PUBLISH', 'channel', value(draw)]],
  [0.5, (draw) => [draw.pick('SSUBSCRIBE', 'SUNSUBSCRIBE'), 'channel']],
  [0.5, (draw) => ['SPUBLISH', 'channel', value(draw)]],
  [0.5, (draw) => ['HELLO', draw.pick('2', '3')]],
  [1, (draw) => ['CLIENT', 'TRACKING', 'ON', ...trackingOptions(draw)]],
  [0.5, () => ['CLIENT', 'TRACKING', 'OFF']],
  [1, (draw) => ['CLIENT', 'CACHING', draw.pick('YES', 'NO')]],
  [0.3, (draw) => [draw.pick('FLUSHALL', 'FLUSHDB')]],
  [0.5, (draw) => ['SELECT', draw.pick('0', '0', '1')]],
  [0.3, () => ['SWAPDB', '0', '1']],
  ...timed(),
  ...ends(),
];

/** Keys that are over in a moment, while others wait for them; the moment is longer than any transaction takes. */
function timed(): readonly (readonly [weight: number, maker: Maker])[] {
  const brief = (draw: Draw): string => draw.integer(150, 200);
  return [
    [2, (draw) => ['PEXPIRE', key(draw), brief(draw)]],
    [0.5, (draw) => ['SET', key(draw), value(draw), 'PX', brief(draw)]],
    [1, (draw) => ['RESTORE', key(draw), brief(draw), dump(draw), 'REPLACE']],
    [1, (draw) => ['RESTORE', key(draw), '0', dump(draw), 'REPLACE']],
    [0.5, (draw) => ['GETEX', key(draw), 'PX', brief(draw)]],
  ];
}

/** Moves that end a client, in transactions as well. */
function ends(): readonly (readonly [weight: number, maker: Maker])[] {
  return [
    [2, () => ['AUTH', USER, 'any']],
    [1, () => MAKE_USER],
    [0.6, () => ['ACL', 'DELUSER', USER]],
    [0.4, (draw) => ['CLIENT', 'KILL', 'USER', USER, 'SKIPME', draw.pick('YES', 'NO')]],
    [0.6, (draw) => ['CLIENT', 'KILL', 'ID', ID, 'SKIPME', draw.pick('YES', 'NO', 'NO')]],
    [0.3, () => ['CLIENT', 'KILL', 'ID', ID]],
    [0.5, () => ['QUIT']],
    [0.5, () => ['RESET']],
    [0.6, () => HANG_UP],
  ];
}

/** Command that unblocks a client. */
export const LET_GO: Words = ['CLIENT', 'UNBLOCK', ID, 'TIMEOUT'];
const outside: readonly Words[] = [
  LET_GO,
  ['CLIENT', 'UNBLOCK', ID, 'ERROR'],
  ['CLIENT', 'KILL', 'ID', ID],
];
const OUTSIDE = 0.06;

export function makeMove(draw: Draw, clients: number): Move {
  const client = draw.random.integer(0, clients - 1);
  const isOutside = draw.chance(OUTSIDE);
  const words = isOutside ? draw.random.pick(outside) : draw.random.weighted(makers)(draw);
  return { client, isOutside, words };
}

function key(draw: Draw): string {
  return draw.random.pick(KEYS);
}

function value(draw: Draw): string {
  return draw.pick('x', 'y', '1', '2');
}

function end(draw: Draw): string {
  return draw.pick('LEFT', 'RIGHT');
}

function dump(draw: Draw): string {
  return draw.random.pick(Object.keys(DUMPS));
}

/** Draws the keys that a command waits for. */
function waited(draw: Draw): readonly string[] {
  return draw.chance(0.3) ? [key(draw)] : draw.list(1, 3, () => draw.random.pick(NEAR));
}

/**
 * Draws two keys of one shard: a move to another shard is made when main hears of it, and others may be served before.
 */
function moved(draw: Draw): readonly string[] {
  return [draw.random.pick(NEAR), draw.random.pick(NEAR)];
}

function counted(draw: Draw, name: string, where: string): Words {
  const keys = waited(draw);
  return [name, '0', String(keys.length), ...keys, where, 'COUNT', draw.integer(1, 3)];
}

function streams(draw: Draw, ...ids: readonly string[]): Words {
  const keys = waited(draw);
  return ['STREAMS', ...keys, ...keys.map(() => draw.random.pick(ids))];
}

function trackingOptions(draw: Draw): Words {
  return draw.random.pick([
    [],
    ['BCAST'],
    ['OPTIN'],
    ['OPTOUT'],
    ['NOLOOP'],
    ['BCAST', 'PREFIX', 'key'],
  ]);
}
