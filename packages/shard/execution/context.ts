/**
 * Context of commands in a shard: what handlers see of it; one object, pointed at each command in turn. What the executor
 * turns with each command is its `turn`.
 *
 * Large because it has the members of `ShardContext`, which are all that a handler may touch, and a few beside them. In
 * parts each handler would ask another object for each thing, with one load more for the commonest.
 */

import { type Bytes, keyName, keySlot, shardOfSlot, type Steps, unreachable } from '#base';
import type {
  Arguments,
  EventClass,
  ShardContext,
  ShardScripts,
  ShardSettingValues,
  Wait,
} from '#commands';
import { AT, type Page } from '#stats';
import type { ReplyWriter } from '#resp';
import type { Keyspace, Store } from '#store';
import type { EffectWord } from '../log/effect-record.ts';
import { CommandTime } from './command-time.ts';
import { CommandTurn } from './command-turn.ts';
import type { KeyEvents } from './key-events.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Settings } from '../settings/settings.ts';
import type { Role } from '../replica/role.ts';
import type { ShardUsers } from '../access/shard-users.ts';
import type { WaitingClients } from './blocked-clients.ts';
import type { Watches } from './watches.ts';

interface ContextOptions {
  store: Store;
  reply: ReplyWriter;
  settings: Settings;
  page: Page;
  watches: Watches;
  waitingClients: WaitingClients;
  users: Pick<ShardUsers, 'mayReadEveryKey'>;
  role: Pick<Role, 'isReplica' | 'isReported'>;
  events: KeyEvents;
  keyUse: KeyUse;
  shardIndex: number;
  shardCount: number;
  /** True when another frame or transaction has a key, or is to have it first. */
  isKept: (name: string) => boolean;
  random: () => number;
  sleep: (seconds: number) => void;
  readLog?: (settings: ShardSettingValues) => Store;
  /** Journal, which is on while commands are logged. */
  journal?: { readonly isOn: boolean };
}

export class ExecutionContext implements ShardContext {
  keyspace: Keyspace;
  readonly store: Store;
  readonly reply: ReplyWriter;
  readonly settings: Settings;
  readonly shardIndex: number;
  readonly shardCount: number;
  database = 0;
  connection = 0;
  /** State of the current command, which the executor manages. */
  readonly turn: CommandTurn;
  /** Changes that the page does not count. */
  #uncounted = 0;
  /** Lua of the shard; set once, when the executor is there. */
  #scripts: ShardScripts | undefined;
  readonly random: () => number;
  readonly sleep: (seconds: number) => void;
  readonly #readLog: (() => Store) | undefined;
  readonly #journal: ContextOptions['journal'];
  readonly #values: Float64Array;
  readonly #watches: Watches;
  readonly #waitingClients: WaitingClients;
  readonly #events: KeyEvents;
  readonly #keyUse: KeyUse;
  readonly #users: ContextOptions['users'];
  readonly #role: ContextOptions['role'];
  readonly #isKept: (name: string) => boolean;

  constructor(options: ContextOptions) {
    this.store = options.store;
    this.turn = new CommandTurn(new CommandTime(options.store));
    this.reply = options.reply;
    this.settings = options.settings;
    this.shardIndex = options.shardIndex;
    this.shardCount = options.shardCount;
    this.random = options.random;
    this.sleep = options.sleep;
    const { readLog, settings } = options;
    this.#readLog = readLog && (() => readLog(settings.all));
    this.#journal = options.journal;
    this.keyspace = options.store.databases[0] ?? unreachable('a store has a database');
    this.#values = options.page.values;
    this.#watches = options.watches;
    this.#waitingClients = options.waitingClients;
    this.#events = options.events;
    this.#keyUse = options.keyUse;
    this.#users = options.users;
    this.#role = options.role;
    this.#isKept = options.isKept;
  }

  /** Undefined without persistence. */
  get readLog(): (() => Store) | undefined {
    return this.#journal?.isOn === true ? this.#readLog : undefined;
  }

  /** Points at a database, in the name of a client, for what is done outside of a command. */
  actFor(connection: number, database: number): void {
    this.connection = connection;
    this.database = database;
    this.keyspace = this.store.databases[database]!;
  }

  mayReadEveryKey(args: Arguments): boolean {
    return this.#users.mayReadEveryKey(this.connection, args);
  }

  get scripts(): ShardScripts {
    return this.#scripts ?? unreachable('Lua is there before the first command');
  }

  /** Gives commands the Lua of the shard. */
  provide(scripts: ShardScripts): void {
    this.#scripts = scripts;
  }

  get nowMs(): number {
    return this.turn.time.nowMs;
  }

  get isLogged(): boolean {
    return this.turn.isLogged;
  }

  get isReplicated(): boolean {
    return this.turn.isReplicated;
  }

  get mayBlock(): boolean {
    return this.turn.mode.mayBlock;
  }

  get isCalled(): boolean {
    return this.turn.mode.isCalled;
  }

  get isOffering(): boolean {
    return this.turn.mode.isOffering;
  }

  get prepared(): unknown {
    return this.turn.prepared;
  }

  isOver(endMs: number): boolean {
    return endMs <= this.nowMs && !this.#role.isReplica && !this.store.seesExpired;
  }

  get isObeyed(): boolean {
    return this.#role.isReported(this.connection);
  }

  hit(): void {
    this.#values[AT.hits] = this.#values[AT.hits]! + 1;
  }

  miss(): void {
    this.#values[AT.misses] = this.#values[AT.misses]! + 1;
  }

  get reportsLookUps(): boolean {
    return this.#keyUse.reportsLookUps;
  }

  lookedUp(key: Bytes, at: number, length: number, isHit: boolean): void {
    this.#keyUse.lookedUp(key, at, length, isHit);
  }

  changed(
    type: EventClass,
    event: string,
    key: Bytes,
    at: number,
    length: number,
    changes = 1,
  ): void {
    this.countChanges(changes);
    if (this.#events.isOn) {
      this.#events.add(type, event, this.database, key.subarray(at, at + length), true);
    }
    this.turn.guests?.touched.add(keyName(this.database, key, at, length));
    // It may have come with an end, as RESTORE and RENAME have it.
    if (this.store.reportsEnds) this.store.events.endSet(this.database, key, at, length);
    if (this.store.keepsChanges) this.store.databases[this.database]!.noteChange(key, at, length);
    this.keyChanged(this.database, key, at, length);
  }

  inDatabase(database: number, announce: () => void): void {
    const selected = this.database;
    this.database = database;
    announce();
    this.database = selected;
  }

  /** Notifies clients that watch or wait for a key, after any change of it. */
  keyChanged(database: number, key: Bytes, at: number, length: number): void {
    if (this.#watches.isActive) this.#watches.touch(database, key, at, length);
    if (this.#waitingClients.isActive)
      this.#waitingClients.touch(keyName(database, key, at, length));
  }

  concernsWaiters(key: Bytes, at: number, length: number): void {
    const name = keyName(this.database, key, at, length);
    this.turn.guests?.touched.add(name);
    if (this.#waitingClients.isActive) this.#waitingClients.touch(name);
  }

  /** True when a key that a value names may be looked up now: it is free, or the command has it. */
  hasHere(key: Bytes): boolean {
    const name = keyName(this.database, key);
    if (this.turn.guests !== undefined) return this.turn.guests.here().has(name);
    return this.isOwn(key, 0, key.length) && !this.#isKept(name);
  }

  /** True when the key belongs to this shard. */
  isOwn(bytes: Bytes, at: number, length: number): boolean {
    return this.ownerOf(bytes, at, length) === this.shardIndex;
  }

  /** The shard that a key belongs to. */
  ownerOf(bytes: Bytes, at: number, length: number): number {
    return shardOfSlot(keySlot(bytes, at, length), this.shardCount);
  }

  get answersItems(): boolean {
    return this.turn.mode.answersItems;
  }

  owns(args: Arguments, index: number): boolean {
    return !this.turn.mode.isPartial || this.isOwn(args.source, args.at(index), args.length(index));
  }

  judging(place: number): void {
    this.turn.judgement = place;
  }

  beginItem(index: number): void {
    if (this.answersItems) this.turn.items.push({ index, at: this.reply.position });
  }

  get mayPrepare(): boolean {
    return this.mayBlock && this.turn.prepared === undefined && this.turn.guests === undefined;
  }

  logOwn(...words: EffectWord[]): void {
    this.turn.guests?.ownEffects.push(words);
  }

  isSpare(key: Bytes, at: number, length: number): boolean {
    return this.turn.guests?.spare().has(keyName(this.database, key, at, length)) === true;
  }

  prepare(steps: Steps<unknown>): void {
    this.turn.steps = steps;
  }

  block(wait: Wait): void {
    this.turn.wait = wait;
  }

  watch(key: Bytes): void {
    this.#watches.watch(this.connection, this.database, key);
  }

  flushed(database: number, changes: number): void {
    this.countChanges(changes);
    this.#events.flushed();
    if (this.#watches.isActive) this.#watches.flushed(database);
    if (this.#waitingClients.isActive) this.#waitingClients.touchDatabase(database);
  }

  swapped(one: number, other: number): void {
    this.countChanges(1);
    if (this.#watches.isActive) this.#watches.swapped(one, other);
    if (!this.#waitingClients.isActive) return;
    this.#waitingClients.touchDatabase(one);
    this.#waitingClients.touchDatabase(other);
  }

  get reportsTypes(): boolean {
    return this.#events.reportsTypes;
  }

  notify(type: EventClass, event: string, key: Bytes, at: number, length: number): void {
    if (!this.#events.isOn) return;
    this.#events.add(type, event, this.database, key.subarray(at, at + length), false);
  }

  logAs(words: readonly EffectWord[]): void {
    this.turn.effects.push({ words, database: this.database });
  }

  changedUncounted(): void {
    this.#uncounted += 1;
  }

  /** Count that grows with every change that must last. */
  get changeCount(): number {
    return this.#values[AT.changes]! + this.#uncounted;
  }

  countChanges(count: number): void {
    this.#values[AT.changes] = this.#values[AT.changes]! + count;
  }
}
