/** Commands with big values, and what each needs to be there before. */

export type Words = readonly (string | Buffer)[];

/** Elements of each big list, set, sorted set and stream. */
const ELEMENTS = 100_000;
const FIELDS = 50_000;
const PLACES = 50_000;
const LISTED_KEYS = 45_000;
/** Keys of a command that names many. */
const MANY_KEYS = 1_000;
const STRING_BYTES = 1_000_000;
const LCS_CHARACTERS = 1_000;
const SHORT_REPEATS = 500;
const MIDDLING_REPEATS = 20;
/** Elements that one command of the filling adds. */
const ADDED_AT_ONCE = 1_000;
/** Database of the keys that KEYS and SCAN list, and of no others. */
const LISTING_DATABASE = 1;

export interface HeavyCase {
  readonly name: string;
  /** Commands of one call, which leave the data as they found them. */
  readonly commands: readonly Words[];
  /** Database of the keys; 0 if not given. */
  readonly database?: number;
  /** Calls that are sent at once, where one takes no longer than sending it; 1 if not given. */
  readonly repeats?: number;
  /** Key whose payload of DUMP each call restores. */
  readonly restores?: string;
}

/** Pseudorandom integer below `end`, the same in every run. */
function scattered(nth: number, end: number): number {
  let word = Math.imul(nth + 1, 0x9e3779b1);
  word = Math.imul(word ^ (word >>> 15), 0x85ebca6b);
  return ((word ^ (word >>> 13)) >>> 0) % end;
}

const range = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, nth) => first + nth);
const named = (prefix: string, count: number): string[] =>
  range(count).map((nth) => `${prefix}:${String(nth)}`);

/** Commands that add what `pieces` returns for each number, many at once. */
function adding(
  head: Words,
  numbers: readonly number[],
  pieces: (nth: number) => readonly string[],
): Words[] {
  const commands: Words[] = [];
  for (let first = 0; first < numbers.length; first += ADDED_AT_ONCE) {
    const some = numbers.slice(first, first + ADDED_AT_ONCE);
    commands.push([...head, ...some.flatMap(pieces)]);
  }
  return commands;
}

const score = (nth: number): string => String(scattered(nth, 1_000_000) / 4);
const longitude = (nth: number): string => (10 + scattered(nth, 20_000) / 10_000).toFixed(4);
const latitude = (nth: number): string => (50 + scattered(nth + 7, 20_000) / 10_000).toFixed(4);

/** Returns the commands that fill a database. */
export function filling(database: number): Words[] {
  if (database === LISTING_DATABASE) {
    return adding(['MSET'], range(LISTED_KEYS), (nth) => [`user:${String(nth)}:profile`, 'v']);
  }
  const all = range(ELEMENTS);
  const upper = range(ELEMENTS, ELEMENTS / 2);
  const word = (nth: number): string => `word ${String(scattered(nth, 1_000_000_007))}`;
  return [
    ...adding(['RPUSH', 'numbers'], all, (nth) => [String(scattered(nth, ELEMENTS))]),
    ...adding(['RPUSH', 'words'], all, (nth) => [word(nth)]),
    ...adding(['MSET'], all, (nth) => [`weight:${String(nth)}`, String(scattered(nth, 1_000_000))]),
    ...adding(['SADD', 'set'], all, (nth) => [`member:${String(nth)}`]),
    ...adding(['SADD', 'other-set'], upper, (nth) => [`member:${String(nth)}`]),
    ...adding(['ZADD', 'ranked'], all, (nth) => [score(nth), `member:${String(nth)}`]),
    ...adding(['ZADD', 'other-ranked'], upper, (nth) => [score(nth), `member:${String(nth)}`]),
    ...adding(['ZADD', 'lex'], all, (nth) => ['0', `member:${String(nth)}`]),
    ...adding(['HSET', 'hash'], range(FIELDS), (nth) => [`field:${String(nth)}`, word(nth)]),
    ...adding(['GEOADD', 'places'], range(PLACES), (nth) => [
      ...[longitude(nth), latitude(nth)],
      `place:${String(nth)}`,
    ]),
    ...range(3).flatMap((nth) =>
      adding(['PFADD', `seen:${String(nth)}`], all, (element) => [
        `element:${String(element + (nth * ELEMENTS) / 2)}`,
      ]),
    ),
    ...adding(['PFADD', 'seen:few'], range(500), (nth) => [`element:${String(nth)}`]),
    ...all.map((nth) => ['XADD', 'stream', `${String(nth + 1)}-1`, 'field', word(nth)]),
    ...adding(['MSET'], range(MANY_KEYS), (nth) => [`key:${String(nth)}`, word(nth)]),
    ...range(MANY_KEYS).map((nth) => ['SADD', `small:${String(nth)}`, ...named('m', 10)]),
    ...range(MANY_KEYS).map((nth) => ['ZADD', `tiny:${String(nth)}`, '1', 'a', String(nth), 'b']),
    ['SET', 'bits', Buffer.alloc(STRING_BYTES, 0x5a)],
    ['SET', 'other-bits', Buffer.alloc(STRING_BYTES, 0x33)],
    ['SET', 'zeros', Buffer.alloc(STRING_BYTES)],
    ['SET', 'text', letters(0)],
    ['SET', 'other-text', letters(1)],
  ];
}

function letters(seed: number): string {
  return String.fromCharCode(
    ...range(LCS_CHARACTERS).map((nth) => 0x61 + scattered(nth + seed * LCS_CHARACTERS, 8)),
  );
}

const small = named('small', MANY_KEYS);
const tiny = named('tiny', MANY_KEYS);
const keys = named('key', MANY_KEYS);
const circle = ['FROMLONLAT', '11', '51', 'BYRADIUS', '500', 'km'];
const HARD_PATTERN = '*e*r*1*r*f*9*';
const temporary = named('temporary', MANY_KEYS);

const one = (name: string, ...words: string[]): HeavyCase => ({ name, commands: [words] });
/** A command that takes no longer than sending it. */
const short = (name: string, ...words: string[]): HeavyCase => ({
  ...one(name, ...words),
  repeats: SHORT_REPEATS,
});
/** A command of some hundred microseconds, beside which waking a thread would still be seen. */
const middling = (name: string, ...words: string[]): HeavyCase => ({
  ...one(name, ...words),
  repeats: MIDDLING_REPEATS,
});
const listing = (name: string, ...words: string[]): HeavyCase => ({
  ...one(name, ...words),
  database: LISTING_DATABASE,
});

export const HEAVY_CASES: readonly HeavyCase[] = [
  one('sort limit', 'SORT', 'numbers', 'LIMIT', '0', '10'),
  one('sort', 'SORT', 'numbers'),
  one('sort alpha limit', 'SORT', 'words', 'ALPHA', 'LIMIT', '1000', '10'),
  one('sort set', 'SORT', 'set', 'ALPHA'),
  one('sort by get', 'SORT', 'numbers', 'BY', 'weight:*', 'GET', 'weight:*'),
  one('sort by alpha', 'SORT', 'numbers', 'BY', 'weight:*', 'ALPHA', 'GET', '#', 'LIMIT', '0', '9'),
  one('sort nosort', 'SORT', 'numbers', 'BY', 'nosort', 'GET', 'weight:*'),
  one('sort store', 'SORT', 'numbers', 'STORE', 'sorted'),
  short('lindex middle', 'LINDEX', 'words', '50000'),
  short('lset middle', 'LSET', 'words', '50000', 'word 1'),
  one('lrange all', 'LRANGE', 'words', '0', '-1'),
  short('lrange middle', 'LRANGE', 'words', '50000', '50099'),
  one('lpos', 'LPOS', 'words', 'nowhere'),
  one('lrem none', 'LREM', 'words', '0', 'nowhere'),
  one('linsert none', 'LINSERT', 'words', 'BEFORE', 'nowhere', 'x'),
  middling('pfmerge', 'PFMERGE', 'merged', 'seen:0', 'seen:1', 'seen:2'),
  middling('pfmerge sparse', 'PFMERGE', 'merged:few', 'seen:few'),
  middling('pfcount of 3', 'PFCOUNT', 'seen:0', 'seen:1', 'seen:2'),
  one('geosearch asc', 'GEOSEARCH', 'places', ...circle, 'ASC', 'WITHDIST'),
  one('geosearch', 'GEOSEARCH', 'places', ...circle),
  one('geosearch count', 'GEOSEARCH', 'places', ...circle, 'ASC', 'COUNT', '10'),
  one('geosearchstore', 'GEOSEARCHSTORE', 'found', 'places', ...circle),
  listing('keys all', 'KEYS', '*'),
  listing('keys prefix', 'KEYS', 'user:1*'),
  listing('keys hard', 'KEYS', HARD_PATTERN),
  listing('scan', 'SCAN', '0', 'COUNT', '1000000000'),
  listing('scan match', 'SCAN', '0', 'COUNT', '1000000000', 'MATCH', HARD_PATTERN),
  one('dump hash', 'DUMP', 'hash'),
  { name: 'restore hash', commands: [], restores: 'hash' },
  one('dump zset', 'DUMP', 'ranked'),
  { name: 'restore zset', commands: [], restores: 'ranked' },
  one('copy hash', 'COPY', 'hash', 'copied', 'REPLACE'),
  one('hgetall', 'HGETALL', 'hash'),
  one('hscan match', 'HSCAN', 'hash', '0', 'COUNT', '1000000000', 'MATCH', 'field:*77*'),
  one('hrandfield', 'HRANDFIELD', 'hash', '10000'),
  one('smembers', 'SMEMBERS', 'set'),
  one('sinter', 'SINTER', 'set', 'other-set'),
  one('sintercard', 'SINTERCARD', '2', 'set', 'other-set'),
  one('sunionstore', 'SUNIONSTORE', 'union', 'set', 'other-set'),
  one('sdiff', 'SDIFF', 'set', 'other-set'),
  middling('sunion of 1000', 'SUNION', ...small),
  one('srandmember', 'SRANDMEMBER', 'set', '10000'),
  one('zrange all', 'ZRANGE', 'ranked', '0', '-1', 'WITHSCORES'),
  middling('zrangebylex', 'ZRANGE', 'lex', '[member:5', '[member:6', 'BYLEX'),
  short('zcount', 'ZCOUNT', 'ranked', '1000', '200000'),
  one('zinterstore', 'ZINTERSTORE', 'inter', '2', 'ranked', 'other-ranked'),
  one('zunionstore', 'ZUNIONSTORE', 'union:z', '2', 'ranked', 'other-ranked'),
  one('zrangestore', 'ZRANGESTORE', 'ranged', 'ranked', '0', '-1'),
  middling('zunion of 1000', 'ZUNION', '1000', ...tiny, 'WITHSCORES'),
  one('xrange all', 'XRANGE', 'stream', '-', '+'),
  one('xread', 'XREAD', 'STREAMS', 'stream', '50000-1'),
  middling('bitcount', 'BITCOUNT', 'bits'),
  middling('bitpos', 'BITPOS', 'zeros', '1'),
  middling('bitop', 'BITOP', 'XOR', 'mixed', 'bits', 'other-bits'),
  middling('getrange', 'GETRANGE', 'bits', '0', '-1'),
  one('lcs', 'LCS', 'text', 'other-text'),
  middling('mget of 1000', 'MGET', ...keys),
  middling('exists of 1000', 'EXISTS', ...keys),
  {
    name: 'mset, del',
    commands: [
      ['MSET', ...temporary.flatMap((key) => [key, 'value'])],
      ['DEL', ...temporary],
    ],
  },
];
