/**
 * Runs commands through their definitions in this thread: a command line in, a reply out.
 *
 * There are no rings and no router. Parts of gathered commands do cross their codec, so that a part
 * that does not survive the way between threads is noticed here.
 */

import { type Bytes, CommandError, errors } from '#base';
import {
  Arguments,
  commandTable,
  findKeys,
  type ClientPort,
  type CommandEntry,
  type EveryShardCommand,
  type MainContext,
  type ShardContext,
  type ShardScripts,
  type ShardSettings,
  type ShardSettingValues,
  type Wait,
} from './index.ts';
import { OwnedReply, type Protocol } from '#resp';
import { type Keyspace, Store } from '#store';
import { pointedAt, type Reply, ReplyError, RespParser, Verbatim } from '#testkit';

/** The moment at which a test context begins. */
const START_MS = 1_700_000_000_000;

/** Default settings of a server without configuration. */
const DEFAULTS: Partial<ShardSettingValues> = {
  'server.proto-max-bulk-len': 512 * 1024 * 1024,
  'encoding.hash-max-listpack-entries': 512,
  'encoding.hll-sparse-max-bytes': 3_000,
  'encoding.hash-max-listpack-value': 64,
  'encoding.set-max-intset-entries': 512,
  'encoding.set-max-listpack-entries': 128,
  'encoding.set-max-listpack-value': 64,
  'encoding.list-max-listpack-size': -2,
  'encoding.list-compress-depth': 0,
  'encoding.zset-max-listpack-entries': 128,
  'encoding.zset-max-listpack-value': 64,
  'encoding.stream-node-max-bytes': 4096,
  'encoding.stream-node-max-entries': 100,
  'streams.idmp-duration': 100,
  'streams.idmp-maxsize': 100,
};

/** Parts of a client that a test gives. */
type ClientOptions = { readonly [Part in keyof ClientPort]?: Partial<ClientPort[Part]> };

export interface CallOptions {
  protocol?: Protocol;
  databases?: number;
  shardIndex?: number;
  shardCount?: number;
  settings?: Partial<ShardSettingValues>;
  client?: ClientOptions;
  /** The ports of commands that run on main, beside the client. */
  ports?: object;
  random?: () => number;
}

/** Lua is a shard's: commands are tested without it. */
const noScripts = (): never => {
  throw new Error('scripts run in shards only');
};
const NO_SCRIPTS: ShardScripts = {
  mayCallAll: false,
  eval: noScripts,
  call: noScripts,
  load: noScripts,
  loadLibrary: noScripts,
  deleteLibrary: noScripts,
  flushLibraries: noScripts,
  restoreLibraries: noScripts,
  libraries: [],
};

/**
 * One shard and one client in memory. Time advances only when a test sets `nowMs`.
 *
 * Large because it has the members of `ShardContext`, and those that tests look at.
 */
export class CallContext implements ShardContext {
  readonly store: Store;
  readonly reply: OwnedReply;
  readonly settings: ShardSettings;
  readonly shardIndex: number;
  readonly shardCount: number;
  readonly random: () => number;
  readonly client: ClientPort;
  readonly ports: object;
  connection = 0;
  database = 0;
  mayBlock = true;
  readonly mayPrepare = false;
  readonly prepared: unknown = undefined;
  readLog: (() => Store) | undefined;
  readonly scripts: ShardScripts = NO_SCRIPTS;
  readonly isOffering = false;
  readonly isCalled = false;
  isLogged = false;
  isReplicated = false;
  /** Commands that were logged instead of those that were run. */
  logged: (readonly (string | Bytes)[])[] = [];
  /** True when keys may be read that only values name. */
  readsEveryKey = true;
  readonly answersItems = false;
  /** Waits of commands that found nothing. */
  waited: Wait[] = [];
  /** Keys that WATCH named. */
  watched: Bytes[] = [];
  readonly reportsLookUps = true;
  readonly reportsTypes = true;
  /** Look-ups that make up `hits` and `misses`: `+key` and `-key`. */
  lookUps: string[] = [];
  hits = 0;
  misses = 0;
  /** Notifications that commands announced, as `type event key`; one without a change begins with `~`. */
  announced: string[] = [];
  /** Seconds that commands asked the shard to sleep. */
  slept: number[] = [];
  /** Replies that deferred commands gave later. */
  deferred: Reply[] = [];
  #keyspace: Keyspace | undefined;

  constructor(options: CallOptions = {}) {
    this.random = options.random ?? seededRandom();
    this.store = new Store({
      databases: options.databases ?? 16,
      seed: Buffer.alloc(16, 7),
      random: this.random,
    });
    this.reply = new OwnedReply(options.protocol ?? 2);
    // Other properties of a client are provided by the tests that need them.
    this.client = {
      id: 1,
      roles: {},
      ...options.client,
      socket: { remoteAddress: '127.0.0.1:1', ...options.client?.socket },
      session: {
        database: 0,
        protocol: this.reply.protocol,
        name: '',
        authenticated: true,
        ...options.client?.session,
      },
    } as ClientPort;
    this.shardIndex = options.shardIndex ?? 0;
    this.shardCount = options.shardCount ?? 1;
    this.settings = settingsOf({ ...DEFAULTS, ...options.settings });
    this.ports = options.ports ?? {};
    this.nowMs = START_MS;
  }

  get nowMs(): number {
    return this.store.nowMs;
  }

  set nowMs(value: number) {
    this.store.nowMs = value;
    this.store.clock = Math.floor(value / 1000) % 2 ** 24;
  }

  isObeyed = false;

  isOver(endMs: number): boolean {
    return endMs <= this.nowMs;
  }

  get keyspace(): Keyspace {
    return this.#keyspace ?? this.store.databases[this.database]!;
  }

  set keyspace(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  logAs(words: readonly (string | Bytes)[]): void {
    this.logged.push(words);
  }

  watch(key: Bytes): void {
    this.watched.push(key);
  }

  concernsWaiters(): void {
    // There are no waiting clients.
  }

  logOwn(): void {
    // All keys are here.
  }

  isSpare(): boolean {
    return false;
  }

  prepare(): void {
    throw new Error('nothing else goes on meanwhile');
  }

  changedUncounted(): void {
    this.announced.push('uncounted');
  }

  countChanges(count: number): void {
    if (count > 0) this.announced.push('change');
  }

  judging(): void {
    // One shard finds the first error by itself.
  }

  owns(): boolean {
    return true;
  }

  beginItem(): void {
    // One shard has all keys.
  }

  block(wait: Wait): void {
    this.waited.push(wait);
  }

  lookedUp(...[key, at, length, isHit]: Parameters<ShardContext['lookedUp']>): void {
    const name = Buffer.from(key.slice(at, at + length)).toString('latin1');
    this.lookUps.push(`${isHit ? '+' : '-'}${name}`);
  }

  mayReadEveryKey(): boolean {
    return this.readsEveryKey;
  }

  hit(): void {
    this.hits += 1;
  }

  miss(): void {
    this.misses += 1;
  }

  changed(...[type, event, key, at, length]: Parameters<ShardContext['changed']>): void {
    this.announced.push(`${type} ${event} ${textOf(key, at, length)}`);
  }

  notify(...[type, event, ...key]: Parameters<ShardContext['notify']>): void {
    this.announced.push(`~${type} ${event} ${textOf(...key)}`);
  }

  inDatabase(database: number, announce: () => void): void {
    const selected = this.database;
    this.database = database;
    announce();
    this.database = selected;
  }

  flushed(database: number): void {
    this.announced.push(`flushed ${database}`);
  }

  swapped(one: number, other: number): void {
    this.announced.push(`swapped ${one} ${other}`);
  }

  sleep(seconds: number): void {
    this.slept.push(seconds);
  }

  /** Takes what was announced since the last time. */
  takeAnnounced(): string[] {
    const taken = this.announced;
    this.announced = [];
    return taken;
  }
}

/**
 * Runs one command and returns its reply: errors as `-ERR ...`, and all that RESP2 has as JavaScript's
 * own; `undefined` when the command answers later. For a line see `pointedAt`. A command that all shards
 * answer is run on `shards`.
 */
export function call(
  context: CallContext,
  line: string | readonly string[],
  shards: readonly CallContext[] = [context],
): unknown {
  const args = pointedAt(new Arguments(), line);
  const { reply } = context;
  reply.take();
  try {
    const entry = resolve(args);
    // A subcommand's arguments begin after its name.
    if (entry.container !== undefined && entry.container.bare !== entry) args.position = 2;
    run(entry, context, args, shards);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    reply.take();
    reply.error(error);
  }
  return decode(Buffer.from(reply.take()));
}

/** Returns a context in which these lines were called, with all their output discarded. */
export function prepared(lines: readonly string[], options: CallOptions = {}): CallContext {
  const context = new CallContext(options);
  for (const line of lines) call(context, line);
  context.takeAnnounced();
  return context;
}

function run(
  entry: CommandEntry,
  context: CallContext,
  args: Arguments,
  shards: readonly CallContext[],
): void {
  const { command } = entry;
  switch (command.route) {
    case 'oneShard':
      command.run(context, args);
      return;
    case 'onMain':
      command.run(mainContext(context), args);
      return;
    case 'byKey':
    case 'everyShard':
      gather(command as EveryShardCommand<unknown>, args, shards, context.reply);
      return;
    case 'exec':
      throw new Error('a transaction needs a router');
    case 'container':
      throw errors.wrongArguments(entry.lowerName);
  }
}

function gather(
  command: EveryShardCommand<unknown>,
  args: Arguments,
  shards: readonly CallContext[],
  reply: OwnedReply,
): void {
  const { merge } = command;
  const partOfKey = (findKeys(command.keys, args) ?? []).map(() => 0);
  const parts = shards.map((shard) => {
    const wire = new OwnedReply();
    merge.part.encode(command.run(shard, args), wire);
    const bytes = Buffer.from(wire.take());
    return merge.part.decode([bytes]);
  });
  merge.combine(parts, reply, { partOfKey });
}

function mainContext(context: CallContext): MainContext {
  const { reply, client, nowMs, ports, deferred } = context;
  const protocol = reply.protocol;
  return {
    reply,
    client,
    nowMs,
    unixUs: nowMs * 1_000,
    mayBlock: context.mayBlock,
    defer: () => (write) => {
      const later = new OwnedReply(protocol);
      write(later);
      deferred.push(decode(Buffer.from(later.take())) as Reply);
    },
    ...ports,
  };
}

function resolve(args: Arguments): CommandEntry {
  const found = commandTable.find(args.source, args.at(0), args.length(0));
  if (found === undefined) throw errors.unknownCommand(args.latin1(0), firstWords(args));
  if (found.route !== 'container') return demandArity(found, args);
  if (args.count < 2) {
    if (found.bare !== undefined) return found.bare;
    throw errors.wrongArguments(found.lowerName);
  }
  const sub = found.subcommand(args.source, args.at(1), args.length(1));
  if (sub === undefined) throw found.unknownSubcommand(args.latin1(1));
  return demandArity(sub, args);
}

function demandArity(entry: CommandEntry, args: Arguments): CommandEntry {
  if (!entry.admits(args.count)) throw entry.wrongArguments(args);
  return entry;
}

function firstWords(args: Arguments): string {
  let text = '';
  for (let index = 1; index < args.count; index += 1) text += `'${args.latin1(index)}' `;
  return text;
}

function decode(bytes: Buffer): unknown {
  const replies: unknown[] = [];
  const parser = new RespParser((reply) => replies.push(plain(reply)), true);
  parser.push(bytes);
  return replies.length > 1 ? replies : replies[0];
}

function plain(reply: Reply): unknown {
  if (reply instanceof ReplyError) return `-${reply.message}`;
  if (reply instanceof Verbatim) return reply.text;
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  if (Array.isArray(reply)) return reply.map(plain);
  if (reply instanceof Set) return new Set([...reply].map(plain));
  if (reply instanceof Map) {
    return new Map([...reply].map(([key, value]) => [plain(key), plain(value)]));
  }
  return reply;
}

function settingsOf(values: Partial<ShardSettingValues>): ShardSettings {
  const get = (name: keyof ShardSettingValues): unknown => {
    const value = values[name];
    if (value === undefined) throw new Error(`the test gives no setting ${name}`);
    return value;
  };
  return {
    number: (name) => get(name) as number,
    boolean: (name) => get(name) as boolean,
    string: (name) => get(name) as string,
    // What the test gives may change at any time.
    get revision() {
      return {};
    },
  };
}

function seededRandom(): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function textOf(bytes: Uint8Array, at: number, length: number): string {
  return Buffer.from(bytes.slice(at, at + length)).toString('latin1');
}
