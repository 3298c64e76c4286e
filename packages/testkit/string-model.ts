/**
 * Strings under one lock, answering in RESP2: what a server of many shards must look like to a client.
 */
import type { Random } from './random.ts';

/** A command as its words. */
export type Words = readonly string[];

const bulk = (value: string | undefined): string =>
  value === undefined ? '$-1\r\n' : `$${Buffer.byteLength(value)}\r\n${value}\r\n`;
const integer = (value: number): string => `:${value}\r\n`;
const error = (text: string): string => `-${text}\r\n`;
const OK = '+OK\r\n';

const NOT_INTEGER = error('ERR value is not an integer or out of range');
const NO_KEY = error('ERR no such key');

/** One keyspace and its commands. */
export class StringModel {
  readonly values = new Map<string, string>();

  /** The bytes of the reply. */
  apply(words: Words): string {
    const [name = '', ...args] = words;
    const run = this.#commands[name];
    return run === undefined ? unknown(name, args) : run(args);
  }

  readonly #commands: Readonly<Record<string, (args: Words) => string>> = {
    PING: ([message]) => (message === undefined ? '+PONG\r\n' : bulk(message)),
    ECHO: (args) =>
      args.length === 1 ? bulk(args[0]) : error("ERR wrong number of arguments for 'echo' command"),
    GET: ([key = '']) => bulk(this.values.get(key)),
    SET: (args) => this.#set(args),
    APPEND: ([key = '', tail = '']) => {
      const value = (this.values.get(key) ?? '') + tail;
      this.values.set(key, value);
      return integer(value.length);
    },
    INCR: ([key = '']) => {
      const value = this.values.get(key) ?? '0';
      if (!/^(0|-?[1-9]\d{0,14})$/.test(value)) return NOT_INTEGER;
      this.values.set(key, String(Number(value) + 1));
      return integer(Number(value) + 1);
    },
    MGET: (keys) => `*${keys.length}\r\n${keys.map((key) => bulk(this.values.get(key))).join('')}`,
    MSET: (args) => {
      for (const [key, value] of pairs(args)) this.values.set(key, value);
      return OK;
    },
    MSETNX: (args) => {
      const all = pairs(args);
      if (all.some(([key]) => this.values.has(key))) return integer(0);
      for (const [key, value] of all) this.values.set(key, value);
      return integer(1);
    },
    DEL: (keys) => integer(keys.filter((key) => this.values.delete(key)).length),
    EXISTS: (keys) => integer(keys.filter((key) => this.values.has(key)).length),
    STRLEN: ([key = '']) => integer(this.values.get(key)?.length ?? 0),
    DBSIZE: () => integer(this.values.size),
    FLUSHALL: () => {
      this.values.clear();
      return OK;
    },
    RENAME: ([from = '', to = '']) => {
      const value = this.values.get(from);
      if (value === undefined) return NO_KEY;
      this.values.delete(from);
      this.values.set(to, value);
      return OK;
    },
    RENAMENX: ([from = '', to = '']) => {
      const value = this.values.get(from);
      if (value === undefined) return NO_KEY;
      if (this.values.has(to)) return integer(0);
      this.values.delete(from);
      this.values.set(to, value);
      return integer(1);
    },
    COPY: ([from = '', to = '', replace]) => this.#copy(from, to, replace !== undefined),
  };

  #set(args: Words): string {
    const [key = '', value = '', option] = args;
    if (option === 'NX' && this.values.has(key)) return bulk(undefined);
    if (option !== undefined && option !== 'NX') return error('ERR syntax error');
    this.values.set(key, value);
    return OK;
  }

  #copy(from: string, to: string, replaces: boolean): string {
    if (from === to) return error('ERR source and destination objects are the same');
    const value = this.values.get(from);
    if (value === undefined || (this.values.has(to) && !replaces)) return integer(0);
    this.values.set(to, value);
    return integer(1);
  }
}

function pairs(args: Words): (readonly [string, string])[] {
  return Array.from({ length: args.length / 2 }, (_, nth) => [args[2 * nth]!, args[2 * nth + 1]!]);
}

function unknown(name: string, args: Words): string {
  const shown = args.map((word) => `'${word}' `).join('');
  return error(`ERR unknown command '${name}', with args beginning with: ${shown}`);
}

/** A command by chance, on one of the keys; now and then a client's mistake. */
function randomCommand(random: Random, keys: readonly string[]): Words {
  const key = (): string => random.pick(keys);
  const some = (least: number): string[] =>
    Array.from({ length: random.integer(least, 5) }, () => key());
  const value = (): string =>
    random.chance(0.5) ? String(random.integer(-5, 1_000)) : `v${random.integer(0, 99)}`;
  const distinct = (): string[] => random.shuffled(keys).slice(0, random.integer(1, 4));
  const makers: readonly (() => Words)[] = [
    ...new Array<() => Words>(6).fill(() => ['GET', key()]),
    ...new Array<() => Words>(5).fill(() => ['SET', key(), value()]),
    ...new Array<() => Words>(4).fill(() => ['INCR', key()]),
    ...new Array<() => Words>(3).fill(() => ['MGET', ...some(1)]),
    ...new Array<() => Words>(3).fill(() => ['RENAME', key(), key()]),
    () => ['MSET', ...distinct().flatMap((name) => [name, value()])],
    () => ['MSETNX', ...distinct().flatMap((name) => [name, value()])],
    () => ['SET', key(), value(), 'NX'],
    () => ['SET', key(), value(), 'NEVER'],
    () => ['RENAMENX', key(), key()],
    () => ['COPY', key(), key()],
    () => ['COPY', key(), key(), 'REPLACE'],
    () => ['DEL', ...new Set(some(1))],
    () => ['EXISTS', ...some(1)],
    () => ['STRLEN', key()],
    () => ['APPEND', key(), value()],
    () => ['PING'],
    () => ['PING', value()],
    () => ['ECHO'],
    () => ['NOSUCH', key(), value()],
    () => ['DBSIZE'],
    () => (random.chance(0.2) ? ['FLUSHALL'] : ['GET', key()]),
  ];
  return random.pick(makers)();
}

/** One connection's view of the model: what it says between MULTI and EXEC is done at EXEC. */
export class SessionModel {
  readonly #model: StringModel;
  #queue: Words[] | undefined;
  #isBroken = false;

  constructor(model: StringModel) {
    this.#model = model;
  }

  apply(words: Words): string {
    const [name] = words;
    if (name === 'MULTI') {
      this.#queue = [];
      this.#isBroken = false;
      return OK;
    }
    const queue = this.#queue;
    if (queue === undefined) return this.#model.apply(words);
    if (name === 'EXEC') return this.#exec(queue);
    if (name === 'DISCARD') {
      this.#queue = undefined;
      return OK;
    }
    if (name === 'NOSUCH' || (name === 'ECHO' && words.length === 1)) {
      this.#isBroken = true;
      return this.#model.apply(words);
    }
    queue.push(words);
    return '+QUEUED\r\n';
  }

  #exec(queue: readonly Words[]): string {
    this.#queue = undefined;
    if (this.#isBroken) {
      return error('EXECABORT Transaction discarded because of previous errors.');
    }
    const replies = queue.map((words) => this.#model.apply(words));
    return `*${queue.length}\r\n${replies.join('')}`;
  }
}

/** A random command, or a whole transaction of them. */
export function randomCommands(random: Random, keys: readonly string[]): Words[] {
  if (!random.chance(0.05)) return [randomCommand(random, keys)];
  const isPlain = random.chance(0.7);
  const body: Words[] = [];
  while (body.length < random.integer(1, 6)) {
    const words = randomCommand(random, keys);
    // Most transactions stay with one shard and the keys lent to it; the rest are conducted.
    if (!isPlain || !['PING', 'ECHO', 'NOSUCH', 'DBSIZE', 'FLUSHALL'].includes(words[0]!)) {
      body.push(words);
    }
  }
  return [['MULTI'], ...body, [random.chance(0.9) ? 'EXEC' : 'DISCARD']];
}
