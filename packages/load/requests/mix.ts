/** Named commands of `--mix`, each on keys of a type of its own, and the commands that fill these keys. */

import { templateOf, type Template } from './template.ts';

/** A command of a load, and how often it is sent in proportion to the others. */
export interface WeightedCommand {
  /** Name by which it is reported. */
  readonly name: string;
  readonly template: Template;
  readonly weight: number;
}

type KeyType = 'string' | 'counter' | 'hash' | 'list' | 'set' | 'zset' | 'stream' | 'none';

const KEY: Readonly<Record<KeyType, string>> = {
  string: '{prefix}key:{key}',
  counter: '{prefix}counter:{key}',
  hash: '{prefix}hash:{key}',
  list: '{prefix}list:{key}',
  set: '{prefix}set:{key}',
  zset: '{prefix}zset:{key}',
  stream: '{prefix}stream:{key}',
  none: '',
};

const FIELD = 'field:{element}';
const MEMBER = 'member:{element}';
/** Digits of `{element}`. */
const ELEMENT_DIGITS = 6;

/** Words of each command after its name and key, and the type of its key. */
const COMMANDS: Readonly<Record<string, readonly [type: KeyType, ...words: readonly string[]]>> = {
  ping: ['none'],
  get: ['string'],
  set: ['string', '{value}'],
  setex: ['string', '3600', '{value}'],
  getset: ['string', '{value}'],
  append: ['string', '{value}'],
  strlen: ['string'],
  del: ['string'],
  unlink: ['string'],
  exists: ['string'],
  expire: ['string', '3600'],
  ttl: ['string'],
  mget: ['string', ...Array.from({ length: 9 }, () => KEY.string)],
  mset: ['string', '{value}', ...Array.from({ length: 9 }, () => [KEY.string, '{value}']).flat()],
  incr: ['counter'],
  hset: ['hash', FIELD, '{value}'],
  hget: ['hash', FIELD],
  hmget: ['hash', FIELD, FIELD, FIELD],
  hgetall: ['hash'],
  hdel: ['hash', FIELD],
  hincrby: ['hash', 'counter', '1'],
  lpush: ['list', '{value}'],
  rpush: ['list', '{value}'],
  lpop: ['list'],
  rpop: ['list'],
  lrange: ['list', '0', '9'],
  lindex: ['list', '{element}'],
  llen: ['list'],
  sadd: ['set', MEMBER],
  srem: ['set', MEMBER],
  spop: ['set'],
  sismember: ['set', MEMBER],
  smembers: ['set'],
  scard: ['set'],
  zadd: ['zset', '{random}', MEMBER],
  zincrby: ['zset', '1', MEMBER],
  zrem: ['zset', MEMBER],
  zscore: ['zset', MEMBER],
  zrange: ['zset', '0', '9'],
  zpopmin: ['zset'],
  zcard: ['zset'],
  xadd: ['stream', '*', 'field', '{value}'],
  xlen: ['stream'],
  xrange: ['stream', '-', '+', 'COUNT', '10'],
  xread: ['stream', '0'],
  xtrim: ['stream', 'MAXLEN', '~', '1000'],
};

/** Words before the key, of commands whose key is not the first word after the name. */
const BEFORE_KEY: Readonly<Record<string, readonly string[]>> = {
  xread: ['COUNT', '10', 'STREAMS'],
};

/** Options that the texts of commands depend on. */
interface MixOptions {
  readonly prefix: string;
  readonly elements: number;
}

/** Reads `get:80,set:20`; a weight may be missing, and is 1 then. Throws an Error that names the mistake. */
export function readMix(text: string, { prefix }: MixOptions): WeightedCommand[] {
  return text.split(',').map((part) => {
    const [, name = '', weight = '1'] = /^\s*([a-z]+)(?::(\d+(?:\.\d+)?))?\s*$/i.exec(part) ?? [];
    const known = name.toLowerCase();
    if (name === '') throw new Error(`--mix ${text}: "${part}" is not COMMAND:WEIGHT`);
    if (!Object.hasOwn(COMMANDS, known)) {
      throw new Error(
        `--mix ${text}: unknown command ${name}; known: ${Object.keys(COMMANDS).join(', ')}; others by --command`,
      );
    }
    if (Number(weight) <= 0) throw new Error(`--mix ${text}: a weight is above 0`);
    return { name: known, template: namedTemplate(known, prefix), weight: Number(weight) };
  });
}

function namedTemplate(name: string, prefix: string): Template {
  const [type, ...words] = COMMANDS[name]!;
  const key = type === 'none' ? [] : [KEY[type]];
  return templateOf([name.toUpperCase(), ...(BEFORE_KEY[name] ?? []), ...key, ...words], prefix);
}

/** Returns the commands that fill the keys of a mix: one for each type of keys, which gives a key all its elements. */
export function fillingCommands(text: string, { prefix, elements }: MixOptions): Template[] {
  const names = readMix(text, { prefix, elements }).map(({ name }) => name);
  const types = new Set(names.map((name) => COMMANDS[name]![0]));
  return [...types].flatMap((type) => {
    const words = fillingWords(type, elements);
    return words.length === 0 ? [] : [templateOf(words, prefix)];
  });
}

function fillingWords(type: KeyType, elements: number): string[] {
  const each = (words: (element: string, nth: number) => string[]): string[] =>
    Array.from({ length: elements }, (_, nth) =>
      words(String(nth).padStart(ELEMENT_DIGITS, '0'), nth),
    ).flat();
  switch (type) {
    case 'string':
      return ['SET', KEY.string, '{value}'];
    case 'counter':
      return ['SET', KEY.counter, '0'];
    case 'hash':
      return ['HSET', KEY.hash, ...each((element) => [`field:${element}`, '{value}'])];
    case 'list':
      return ['RPUSH', KEY.list, ...each(() => ['{value}'])];
    case 'set':
      return ['SADD', KEY.set, ...each((element) => [`member:${element}`])];
    case 'zset':
      return ['ZADD', KEY.zset, ...each((element, nth) => [String(nth), `member:${element}`])];
    case 'stream':
      return ['XADD', KEY.stream, '*', ...each((element) => [`field:${element}`, '{value}'])];
    case 'none':
      return [];
  }
}
