/**
 * A load whose outcome can be checked for any remaining part of it: each piece of data shows which commands it has
 * seen, so that it can be compared with the commands that were sent and acknowledged when the server was killed.
 */
import { type Random, ReplyError, type RespClient, type Word } from '#testkit';

const ACCOUNTS = 12;
const BALANCE = 1_000;
/** Elements that LMOVE moves between two lists. */
const MOVED = 10;
/** Keys of one MSET: enough for every shard to have some. */
const TOGETHER = 6;
/** Share of transactions, and of scripts: all shards stop for one, and it takes long. */
const CONDUCTED = 0.1;
const SCRIPT = "for _, key in ipairs(#KEYS > 0 and KEYS or ARGV) do redis.call('INCR', key) end";
/** Number of keys set later after which a key is removed. */
const REMOVED_BEHIND = 5;
/** Values for which a warm tier has its place: each of the keys has one after the other. */
const BLOBS = 400;
const BLOB_BYTES = 16_000;

function blobOf(nth: number): string {
  return `${nth}:`.repeat(BLOB_BYTES).slice(0, BLOB_BYTES);
}

/** Count of one kind of operation, as the client knows it. */
class Tally {
  sent = 0;
  acked = 0;
  /** Count of acknowledged operations that the server said it had after it was last killed. */
  #base = 0;

  ack(): void {
    this.acked += 1;
  }

  /** Returns the number of operations that must be there. */
  kept(keepsAcked: boolean): number {
    return keepsAcked ? this.acked : this.#base;
  }

  /** Continues from the state of the server. */
  restart(count: number): void {
    this.sent = count;
    this.acked = count;
    this.#base = count;
  }
}

/** Makes the accounts, once. */
export async function openAccounts(client: RespClient): Promise<void> {
  for (let nth = 0; nth < ACCOUNTS; nth += 1) await client.call('SET', `account:${nth}`, BALANCE);
}

/** Returns the faults in the sum of the accounts; none when it is what it was. */
export async function accountFaults(client: RespClient): Promise<string[]> {
  const names = Array.from({ length: ACCOUNTS }, (_, nth) => `account:${nth}`);
  const balances = (await client.call('MGET', ...names)) as string[];
  const sum = balances.reduce((total, each) => total + Number(each), 0);
  return sum === ACCOUNTS * BALANCE ? [] : [`the accounts hold ${sum}`];
}

type Step = () => { readonly commands: readonly (readonly Word[])[]; readonly acked: () => void };

/** Load of one connection, with what it knows to have been written. */
export class CrashLoad {
  readonly #id: number;
  readonly #random: Random;
  readonly #counter = new Tally();
  readonly #list = new Tally();
  readonly #hash = new Tally();
  readonly #together = new Tally();
  readonly #transactions = new Tally();
  readonly #conducted = new Tally();
  readonly #scripted = new Tally();
  /** Scripts that do not say which keys they touch. */
  readonly #strayed = new Tally();
  readonly #libraries = new Tally();
  readonly #set = new Tally();
  readonly #removed = new Tally();
  readonly #blobs = new Tally();
  /** Number of the value that each key had when the server was last killed. */
  readonly #blobsLeft: number[] = new Array<number>(BLOBS).fill(0);
  readonly #steps: readonly Step[];
  /** Keys that earlier rounds have left. */
  readonly #left = new Set<string>();
  #round = 0;

  constructor(id: number, random: Random) {
    this.#id = id;
    this.#random = random;
    this.#steps = [
      () => this.#count(this.#counter, () => ['INCR', `counter:${id}`]),
      () => this.#count(this.#list, (nth) => ['RPUSH', `list:${id}`, nth]),
      () => this.#count(this.#hash, (nth) => ['HSET', `hash:${id}`, `field ${nth}`, nth]),
      () =>
        this.#count(this.#together, (nth) => [
          'MSET',
          ...Array.from({ length: TOGETHER }, (_, key) => [`together:${id}:${key}`, nth]).flat(),
        ]),
      () => this.#transfer(),
      () => this.#conduct(),
      () => this.#script(),
      () => this.#loadLibrary(),
      () => this.#move(),
      () => this.#setNext(),
      () => this.#remove(),
      () => this.#setBlob(),
    ];
  }

  /** Makes what LMOVE moves, once. */
  async begin(client: RespClient): Promise<void> {
    const elements = Array.from({ length: MOVED }, (_, nth) => nth);
    await client.call('RPUSH', `from:${this.#id}`, ...elements);
  }

  /** Sends one more thing to do; ends when it is acknowledged, and throws when the connection has ended. */
  async step(client: RespClient): Promise<void> {
    const { commands, acked } = this.#random.pick(this.#steps)();
    const replies = await client.pipeline(commands);
    const refused = replies.flat().find((reply) => reply instanceof ReplyError);
    if (refused !== undefined) throw refused;
    acked();
  }

  #count(tally: Tally, words: (nth: number) => readonly Word[]): ReturnType<Step> {
    tally.sent += 1;
    return {
      commands: [words(tally.sent)],
      acked: () => {
        tally.ack();
      },
    };
  }

  #transfer(): ReturnType<Step> {
    const tally = this.#transactions;
    tally.sent += 1;
    const [from, to] = this.#random.shuffled(Array.from({ length: ACCOUNTS }, (_, nth) => nth));
    const amount = this.#random.integer(1, 9);
    return {
      commands: [
        ['MULTI'],
        ['DECRBY', `account:${from}`, amount],
        ['INCRBY', `account:${to}`, amount],
        ['INCR', `transactions:${this.#id}:a`],
        ['INCR', `transactions:${this.#id}:b`],
        ['EXEC'],
      ],
      acked: () => {
        tally.ack();
      },
    };
  }

  /** A transaction for which all shards stop, since DBSIZE asks every one of them. */
  #conduct(): ReturnType<Step> {
    if (!this.#random.chance(CONDUCTED)) return this.#transfer();
    const tally = this.#conducted;
    tally.sent += 1;
    return {
      commands: [
        ['MULTI'],
        ...this.#keysOf('conducted').map((key) => ['INCR', key]),
        ['DBSIZE'],
        ['EXEC'],
      ],
      acked: () => {
        tally.ack();
      },
    };
  }

  #keysOf(what: string): readonly string[] {
    return Array.from({ length: TOGETHER }, (_, nth) => `${what}:${this.#id}:${nth}`);
  }

  /** A script that writes on all shards. */
  #script(): ReturnType<Step> {
    const isReported = !this.#random.chance(CONDUCTED);
    const keys = this.#keysOf(isReported ? 'scripted' : 'strayed');
    return this.#count(isReported ? this.#scripted : this.#strayed, () => [
      ...['EVAL', SCRIPT, isReported ? keys.length : 0],
      ...keys,
    ]);
  }

  #loadLibrary(): ReturnType<Step> {
    if (!this.#random.chance(CONDUCTED)) return this.#script();
    const name = this.#library;
    return this.#count(this.#libraries, (nth) => [
      ...['FUNCTION', 'LOAD', 'REPLACE'],
      `#!lua name=${name}\nredis.register_function('${name}', function() return ${nth} end)`,
    ]);
  }

  /** Returns the number of the library that is there, or 0. */
  async #libraryVersion(client: RespClient): Promise<number> {
    const version = Number(await client.reply('FCALL', this.#library, 0));
    return Number.isNaN(version) ? 0 : version;
  }

  get #library(): string {
    return `library${this.#id}`;
  }

  #setNext(): ReturnType<Step> {
    return this.#count(this.#set, (nth) => ['SET', `${this.#removalPrefix}${nth}`, nth]);
  }

  #setBlob(): ReturnType<Step> {
    return this.#count(this.#blobs, (nth) => [
      ...['SET', `blob:${this.#id}:${nth % BLOBS}`],
      blobOf(nth),
    ]);
  }

  /** Each key has a whole value: the last that was acknowledged, or a later one that was sent. */
  async #blobFaults(client: RespClient, keepsAcked: boolean): Promise<string[]> {
    const tally = this.#blobs;
    const faults: string[] = [];
    for (let key = 0; key < BLOBS; key += 1) {
      const name = `blob:${this.#id}:${key}`;
      const value = (await client.call('GET', name)) as string | null;
      const found = value === null ? 0 : Number.parseInt(value, 10);
      if (value !== null && value !== blobOf(found)) faults.push(`${name} is torn`);
      const kept = tally.kept(keepsAcked);
      const last = kept - ((((kept - key) % BLOBS) + BLOBS) % BLOBS);
      const least = last > tally.kept(false) ? last : this.#blobsLeft[key]!;
      if (found < least || found > tally.sent || (found > 0 && found % BLOBS !== key)) {
        faults.push(`${name}: ${found}, of ${least} to ${tally.sent}`);
      }
      this.#blobsLeft[key] = found;
    }
    tally.restart(tally.sent);
    return faults;
  }

  #move(): ReturnType<Step> {
    const lists = this.#random.shuffled([`from:${this.#id}`, `to:${this.#id}`]);
    return { commands: [['LMOVE', ...lists, 'LEFT', 'RIGHT']], acked: () => undefined };
  }

  #remove(): ReturnType<Step> {
    const tally = this.#removed;
    // Nothing is removed before it was set: then this is one more that is set.
    if (tally.sent + REMOVED_BEHIND >= this.#set.sent) return this.#setNext();
    return this.#count(tally, (nth) => ['DEL', `${this.#removalPrefix}${nth}`]);
  }

  /**
   * Returns data that the server has and should not have, or lacks: all acknowledged data must exist, or none of this
   * round; data that was sent may not exist twice; data that belongs together exists as a whole or not at all.
   * Continues from there.
   */
  async faults(client: RespClient, keepsAcked: boolean): Promise<string[]> {
    const id = this.#id;
    const number = async (...words: Word[]): Promise<number> => Number(await client.call(...words));
    const numbers = async (...words: Word[]): Promise<number[]> =>
      ((await client.call(...words)) as (string | null)[]).map(Number);
    const faults: string[] = [];
    const judge = (what: string, tally: Tally, found: number): void => {
      const least = tally.kept(keepsAcked);
      if (found < least) faults.push(`${what} of ${id}: ${found}, but ${least} were acknowledged`);
      if (found > tally.sent) faults.push(`${what} of ${id}: ${found} of ${tally.sent} sent`);
    };
    const same = (what: string, values: readonly number[]): number => {
      const [first] = values;
      if (values.some((value) => value !== first))
        faults.push(`${what} of ${id}: ${values.join()}`);
      return first ?? 0;
    };
    const [counter, list, together] = [
      await number('GET', `counter:${id}`),
      await numbers('LRANGE', `list:${id}`, 0, -1),
      await numbers('MGET', ...this.#keysOf('together')),
    ];
    judge('INCR', this.#counter, counter);
    this.#counter.restart(counter);
    judge('RPUSH', this.#list, list.length);
    if (list.some((value, nth) => value !== nth + 1)) faults.push(`the list of ${id} has a gap`);
    this.#list.restart(list.length);
    const fields = await number('HLEN', `hash:${id}`);
    judge('HSET', this.#hash, fields);
    this.#hash.restart(fields);
    const value = same('MSET', together);
    judge('MSET', this.#together, value);
    this.#together.restart(value);
    for (const [what, tally] of [
      ['conducted', this.#conducted],
      ['scripted', this.#scripted],
      ['strayed', this.#strayed],
    ] as const) {
      const each = same(what, await numbers('MGET', ...this.#keysOf(what)));
      judge(what, tally, each);
      tally.restart(each);
    }
    const version = await this.#libraryVersion(client);
    judge('FUNCTION LOAD', this.#libraries, version);
    this.#libraries.restart(version);
    const names = ['a', 'b'].map((name) => `transactions:${id}:${name}`);
    const done = same('EXEC', await numbers('MGET', ...names));
    judge('EXEC', this.#transactions, done);
    this.#transactions.restart(done);
    const moved = [
      ...(await numbers('LRANGE', `from:${id}`, 0, -1)),
      ...(await numbers('LRANGE', `to:${id}`, 0, -1)),
    ];
    const sorted = moved.sort((a, b) => a - b).join();
    const whole = Array.from({ length: MOVED }, (_, nth) => nth).join();
    if (sorted !== whole) faults.push(`LMOVE of ${id}: ${sorted}`);
    faults.push(...(await this.#removalFaults(client, keepsAcked)));
    faults.push(...(await this.#blobFaults(client, keepsAcked)));
    return faults;
  }

  /** Every key that was set and removed is judged by itself: logs of several shards may end at several moments. */
  async #removalFaults(client: RespClient, keepsAcked: boolean): Promise<string[]> {
    const prefix = this.#removalPrefix;
    const found = new Set((await client.call('KEYS', `removed:${this.#id}:*`)) as string[]);
    const set = this.#set;
    const faults: string[] = [];
    for (let nth = 1; nth <= set.sent; nth += 1) {
      const key = `${prefix}${nth}`;
      const isThere = found.delete(key);
      if (isThere && nth <= this.#removed.kept(keepsAcked)) faults.push(`${key} is back`);
      if (!isThere && nth > this.#removed.sent && nth <= set.kept(keepsAcked)) {
        faults.push(`${key} is lost`);
      }
      if (isThere) this.#left.add(key);
    }
    const earlier = [...this.#left].filter((key) => !key.startsWith(prefix));
    for (const key of earlier) if (!found.delete(key)) faults.push(`${key} was there, and is lost`);
    for (const key of found) faults.push(`${key} was gone, and is back`);
    this.#round += 1;
    set.restart(0);
    this.#removed.restart(0);
    return faults;
  }

  get #removalPrefix(): string {
    return `removed:${this.#id}:${this.#round}:`;
  }
}

/** True when an error says that the connection has ended, as it does when the server is killed. */
export function isEnd(error: unknown): boolean {
  return error instanceof Error && !(error instanceof ReplyError);
}
