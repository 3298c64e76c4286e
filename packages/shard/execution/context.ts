/** Context of commands in a shard: what they touch; one object, pointed at each command in turn. */

import { keyName, keySlot, shardOfSlot, unreachable, type Bytes, type Steps } from '#base';
import type { Arguments, EventClass, ShardContext, ShardSettingValues, Wait } from '#commands';
import { AT, type Page } from '#stats';
import type { ReplyWriter } from '#resp';
import type { Keyspace, Store } from '#store';
import type { EffectWord } from '../log/effect-record.ts';
import type { ItemMark } from './items.ts';
import type { KeyEvents } from './key-events.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Settings } from '../settings.ts';
import type { WaitingClients } from '../blocked/blocked-clients.ts';
import type { Watches } from './watches.ts';

interface ContextOptions {
  store: Store;
  reply: ReplyWriter;
  settings: Settings;
  page: Page;
  watches: Watches;
  waitingClients: WaitingClients;
  events: KeyEvents;
  keyUse: KeyUse;
  shardIndex: number;
  shardCount: number;
  random: () => number;
  sleep: (seconds: number) => void;
  readLog?: (settings: ShardSettingValues) => Store;
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
  nowMs = 0;
  /** True when the command may leave its client waiting: not in a transaction. */
  mayBlock = true;
  isOffering = false;
  /** Runs on this shard's keys only, and main puts the items together: where they begin, by argument. */
  items: ItemMark[] | undefined;
  /** Progress of the judgement of such a command, which runs on this shard's keys only. */
  judgement = 0;
  /** The command's other keys are other shards' matter. */
  isPartial = false;
  /** True when another frame or transaction has a key, or is to have it first. */
  isKept: (name: string) => boolean = () => false;
  /** While keys of other shards are lent: all that are here. Else every key is looked for here. */
  lent: ReadonlySet<string> | undefined;
  /** With them here: commands that do what was done to this shard's own. */
  ownEffects: (readonly EffectWord[])[] = [];
  /** Lent keys that are dropped after the command. */
  spare: ReadonlySet<string> | undefined;
  /** Wait of the command, when it has found nothing. */
  parked: Wait | undefined;
  /** Steps that the command has to do first, and that take long. */
  preparing: Steps<unknown> | undefined;
  /** Result of the steps in `preparing`, when the command is run again. */
  prepared: unknown;
  /** While keys of other shards are here: the names of those that commands have changed. */
  touched: Set<string> | undefined;
  isLogged = false;
  /** Changes that the page does not count. */
  uncounted = 0;
  /** Commands that do what the one at hand has done, where itself would not. */
  readonly effects: (readonly EffectWord[])[] = [];
  readonly random: () => number;
  readonly sleep: (seconds: number) => void;
  readonly readLog: (() => Store) | undefined;
  readonly #values: Float64Array;
  readonly #watches: Watches;
  readonly #waitingClients: WaitingClients;
  readonly #events: KeyEvents;
  readonly #keyUse: KeyUse;

  constructor(parts: ContextOptions) {
    this.store = parts.store;
    this.reply = parts.reply;
    this.settings = parts.settings;
    this.shardIndex = parts.shardIndex;
    this.shardCount = parts.shardCount;
    this.random = parts.random;
    this.sleep = parts.sleep;
    const { readLog, settings } = parts;
    this.readLog = readLog && (() => readLog(settings.all));
    this.keyspace = parts.store.databases[0] ?? unreachable('a store has a database');
    this.#values = parts.page.values;
    this.#watches = parts.watches;
    this.#waitingClients = parts.waitingClients;
    this.#events = parts.events;
    this.#keyUse = parts.keyUse;
  }

  hit(): void {
    this.#values[AT.hits] = this.#values[AT.hits]! + 1;
  }

  miss(): void {
    this.#values[AT.misses] = this.#values[AT.misses]! + 1;
  }

  get tellsLookUps(): boolean {
    return this.#keyUse.tellsLookUps;
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
    this.touched?.add(keyName(this.database, key, at, length));
    this.keyChanged(this.database, key, at, length);
  }

  /** Tells those who watch or wait for a key, whatever has changed it. */
  keyChanged(database: number, key: Bytes, at: number, length: number): void {
    if (this.#watches.isActive) this.#watches.touch(database, key, at, length);
    if (this.#waitingClients.isActive)
      this.#waitingClients.touch(keyName(database, key, at, length));
  }

  concernsWaiters(key: Bytes, at: number, length: number): void {
    const name = keyName(this.database, key, at, length);
    this.touched?.add(name);
    if (this.#waitingClients.isActive) this.#waitingClients.touch(name);
  }

  /** True when a key that a value names may be looked up now: it is free, or the command has it. */
  hasHere(key: Bytes): boolean {
    const name = keyName(this.database, key);
    if (this.lent !== undefined) return this.lent.has(name);
    return this.isOwn(key, 0, key.length) && !this.isKept(name);
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
    return this.items !== undefined;
  }

  owns(args: Arguments, index: number): boolean {
    return !this.isPartial || this.isOwn(args.source, args.at(index), args.length(index));
  }

  judging(place: number): void {
    this.judgement = place;
  }

  beginItem(index: number): void {
    this.items?.push({ index, at: this.reply.position });
  }

  /** True when the command is neither done nor refused. */
  get isPutOff(): boolean {
    return this.parked !== undefined || this.preparing !== undefined;
  }

  get mayPrepare(): boolean {
    return this.mayBlock && this.prepared === undefined && this.lent === undefined;
  }

  logOwn(...words: EffectWord[]): void {
    if (this.lent !== undefined) this.ownEffects.push(words);
  }

  isSpare(key: Bytes, at: number, length: number): boolean {
    return this.spare?.has(keyName(this.database, key, at, length)) === true;
  }

  prepare(steps: Steps<unknown>): void {
    this.preparing = steps;
  }

  /** Takes the wait of the command, which then waits no longer. */
  takeWait(): Wait | undefined {
    const wait = this.parked;
    this.parked = undefined;
    return wait;
  }

  block(wait: Wait): void {
    this.parked = wait;
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

  notify(type: EventClass, event: string, key: Bytes, at: number, length: number): void {
    if (!this.#events.isOn) return;
    this.#events.add(type, event, this.database, key.subarray(at, at + length), false);
  }

  logAs(words: readonly EffectWord[]): void {
    this.effects.push(words);
  }

  changedUncounted(): void {
    this.uncounted += 1;
  }

  /** Count that grows with every change that must last. */
  get changeCount(): number {
    return this.#values[AT.changes]! + this.uncounted;
  }

  countChanges(count: number): void {
    this.#values[AT.changes] = this.#values[AT.changes]! + count;
  }
}
