/**
 * Work around each change, so that it lasts: a key that a snapshot wants is written before it changes, and what was
 * done goes into the journal.
 */
import { type Bytes, isResourceError, type Pieces } from '#base';
import { type Arguments, commandTable } from '#commands';
import { FeedEnd, FrameKind, HostWord, Request } from '#link';
import { encodeRests, RecordKind, type Rest } from '#persistence';
import { walWrite } from '#usdt';
import { type Keyspace, KeyStateWriter, rdb, type SnapshotIterator, type Store } from '#store';
import type { ExecutionContext } from './context.ts';
import type { Feed, FeedGroup } from '../feed/feed.ts';
import type { Frame } from '../frames/frame.ts';
import type { EffectWord } from '../log/effect-record.ts';
import { TRANSACTION_START_BYTES, type Journal } from '../log/journal.ts';
import { KeyState, type CopyMessage } from '../multi-shard/key-copies.ts';
import { pushCommandOf } from '../multi-shard/stubs.ts';

interface EffectsOptions {
  readonly store: Store;
  readonly context: ExecutionContext;
  readonly freeze: SnapshotIterator;
  /** Undefined without persistence. */
  readonly journal: Journal | undefined;
  readonly feed: Feed;
  readonly shardIndex: number;
  /** Arguments of the current command. */
  readonly args: Arguments;
}

const NOTHING: Pieces = [];
/** Room for the states of small values. */
const STATES_BYTES = 1_024;

/** A key by its database. */
export interface NamedKey {
  readonly database: number;
  readonly key: Bytes;
}

/** Changes that a hosted command has made to the keys of the shard itself. */
export interface OwnChanges {
  /** The keys that it may have written. */
  readonly own: readonly NamedKey[];
  /** Commands that do the same to them; none where it has not said. */
  readonly ownEffects: readonly (readonly EffectWord[])[];
}

export class Effects {
  readonly #options: EffectsOptions;
  readonly #journal: Journal | undefined;
  readonly #feed: Feed;
  readonly #freeze: SnapshotIterator;
  readonly #states = new KeyStateWriter();
  #changesBefore = 0;
  #isInGroup = false;

  constructor(options: EffectsOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.#feed = options.feed;
    this.#freeze = options.freeze;
  }

  /** True while changes are logged. */
  get isLogging(): boolean {
    return this.#journal?.isOn === true;
  }

  /** True while changes are recorded for the log, replicas or both. */
  get isKept(): boolean {
    return this.isLogging || this.#feed.isOn;
  }

  /** True while keys must be preserved before they change. */
  get isFreezing(): boolean {
    return this.#freeze.isActive;
  }

  preserve(database: number, key: Bytes, at = 0, length = key.length): void {
    if (this.#freeze.isActive) this.#freeze.preserve(database, key, at, length);
  }

  /** A command that may write is about to be run. */
  begin(): void {
    const { context } = this.#options;
    if (!this.isKept) return;
    context.turn.startLogging(this.#feed.isOn);
    this.#changesBefore = context.changeCount;
  }

  /** Ends the command of the frame; returns the number of bytes logged. */
  end(frame: Frame): number {
    const { context } = this.#options;
    if (!context.isLogged) return 0;
    context.turn.stopLogging();
    const isChanged = context.changeCount !== this.#changesBefore;
    if (this.#feed.isOn) this.#report(frame, isChanged);
    // With keys of others here, what was done is logged as states when it is over.
    if (context.turn.hasGuests || !this.isLogging) return 0;
    // A share is logged though it has changed nothing: a log without it would be given it at recovery.
    const isShare = frame.kind === FrameKind.share && context.reply.errorText === null;
    if (!isShare && !isChanged) return 0;
    const journal = this.#journal!;
    const { nowMs, turn } = context;
    const { effects } = turn;
    if (effects.length === 0) {
      journal.command(frame, recordKindOf(frame), nowMs);
      if (walWrite.isWatched) this.#fire(frame);
      return frame.byteCount;
    }
    const isOpen = !this.#isInGroup && effects.length > 1;
    if (isOpen) journal.beginGroup();
    const bytes = this.#logEffects();
    if (isOpen) journal.endGroup(nowMs);
    return bytes;
  }

  /** Replicates the command of the frame. */
  #report(frame: Frame, isChanged: boolean): void {
    const { context } = this.#options;
    if (frame.kind === FrameKind.share) this.#reportShare(frame, isChanged);
    else if (isChanged && !context.turn.readsLent) this.#reportDone();
  }

  /** Replicates the effects of the current command. */
  #reportDone(): void {
    const { context, args } = this.#options;
    const feed = this.#feed;
    const { effects } = context.turn;
    if (effects.length === 0) {
      feed.command(args, context.database);
      return;
    }
    const isOpen = effects.length > 1 && feed.group === undefined;
    if (isOpen) feed.beginGroup();
    this.#reportEffects();
    if (isOpen) feed.endGroup();
  }

  #reportEffects(): void {
    for (const { words, database } of this.#options.context.turn.effects) {
      this.#feed.effect(words, database);
    }
  }

  /** Replicates a part of a command, even without changes: the other parts wait for it. */
  #reportShare({ words, word }: Frame, isChanged: boolean): void {
    const { context } = this.#options;
    const entry = commandTable.entries[words[word + Request.command]!]!;
    const isWhole = entry.route === 'everyShard';
    const isDone = context.reply.errorText === null && (isChanged || isWhole);
    this.#feed.beginGroup();
    if (isDone) this.#reportDone();
    this.#feed.endGroup({
      kind: isWhole ? FeedEnd.whole : FeedEnd.share,
      transaction: words[word + HostWord.transaction]! >>> 0,
      parts: words[word + HostWord.lenders]!,
    });
  }

  #logEffects(): number {
    const { context } = this.#options;
    let bytes = 0;
    for (const { words, database } of context.turn.effects) {
      bytes += this.#journal!.effect(words, database, context.nowMs);
    }
    return bytes;
  }

  /** Returns a mark for `called`, from which the changes of a called command count. */
  get mark(): number {
    return this.#options.context.changeCount;
  }

  /** The current command was called by a script, at a mark: its changes are kept until the script is logged. */
  called(mark: number, effectsBefore: number): void {
    const { context, args } = this.#options;
    if (!context.isLogged || context.turn.hasGuests || context.changeCount === mark) return;
    if (context.turn.effects.length === effectsBefore) context.logAs(wordsOf(args));
  }

  /** Logs what a script has done so far: others are about to do something in its name. Needs an open group. */
  flushCalled(): void {
    if (!this.#options.context.isLogged) return;
    if (this.isLogging) this.#logEffects();
    if (this.#feed.isOn) this.#reportEffects();
    this.#options.context.turn.forgetEffects();
    this.#changesBefore = this.#options.context.changeCount;
  }

  get isInGroup(): boolean {
    return this.#isInGroup;
  }

  /** A command has failed for want of room when it may have changed these keys: they are logged as they are now. */
  leaves(keys: readonly NamedKey[]): void {
    const { context, store } = this.#options;
    context.turn.forgetEffects();
    for (const { database, key } of keys) {
      context.changed('g', '', key, 0, key.length);
      // Logged effects belong to the database of the command.
      if (database !== context.database || !context.isLogged) continue;
      const words = stateCommand(store.databases[database]!, key);
      if (words !== undefined) context.logAs(words);
    }
  }

  #fire(frame: Frame): void {
    const { args, shardIndex } = this.#options;
    walWrite.fire(shardIndex, args.count > 1 ? args.latin1(1) : '', frame.byteCount);
  }

  /** Begins a group; `isShared` on all shards. */
  beginGroup(isShared = false): void {
    this.#isInGroup = true;
    if (this.isLogging) this.#journal!.beginGroup();
    if (this.#reportsGroups) this.#feed.beginGroup(isShared);
  }

  endGroup(): void {
    this.#isInGroup = false;
    if (this.isLogging) this.#journal!.endGroup(this.#options.context.nowMs);
    if (this.#reportsGroups) this.#feed.endGroup();
  }

  /** Ends a group on all shards. */
  endSharedGroup(transaction: number): void {
    this.#isInGroup = false;
    if (this.isLogging) this.#journal!.endSharedGroup(transaction, this.#options.context.nowMs);
    if (!this.#feed.isOn) return;
    this.#feed.endGroup({
      kind: FeedEnd.barrier,
      transaction,
      parts: this.#options.context.shardCount,
    });
  }

  /** True unless the command uses keys of other shards, whose changes are in another group. */
  get #reportsGroups(): boolean {
    return this.#feed.isOn && !this.#options.context.turn.hasGuests;
  }

  /** Leaves the current group, if it is local to this shard: later changes are not part of it. `goOn` continues it. */
  leaveGroup(): FeedGroup | undefined {
    return this.#feed.isOn ? this.#feed.leave() : undefined;
  }

  goOn(group: FeedGroup | undefined): void {
    if (this.#feed.isOn) this.#feed.enter(group);
  }

  /** Number of transactions in the log before the one that takes part now, on which it depends. */
  get transactions(): number {
    return this.#journal?.transactions ?? 0;
  }

  /** A key was removed without a command, by expiry for example; `reader` is the client whose read found it, or -1. */
  removed(database: number, bytes: Bytes, at: number, length: number, reader = -1): void {
    if (!this.isKept) return;
    const key = bytes.slice(at, at + length);
    this.#absent(RecordKind.removed, database, key);
    // A copy that is read only is no key: its owner may have given it another value meanwhile.
    if (!this.#feed.isOn || this.#options.context.turn.isCopy(database, key)) return;
    // As Redis with lazyfree-lazy-expire and -eviction, which are always on.
    this.#feed.effect(['UNLINK', key], database);
    if (reader >= 0) this.#feed.causedBy(reader);
  }

  /** Fields of a hash have expired. */
  fieldsExpired(
    database: number,
    bytes: Bytes,
    at: number,
    length: number,
    fields: readonly Bytes[],
  ): void {
    if (!this.isKept) return;
    const key = bytes.slice(at, at + length);
    this.#absent(RecordKind.fieldsExpired, database, key);
    this.fieldsDropped(database, key, fields);
  }

  /** A command has met fields that had ended, and has removed them. The log's reader does so by itself. */
  fieldsDropped(database: number, key: Bytes, fields: readonly Bytes[]): void {
    if (!this.#feed.isOn || this.#options.context.turn.isCopy(database, key)) return;
    this.#feed.effect(['HDEL', key, ...fields], database);
  }

  #absent(kind: number, database: number, key: Bytes): void {
    if (!this.isLogging) return;
    this.#states.writeAbsent(key, database);
    this.#journal!.states(kind, this.#states.take(), this.#options.store.nowMs);
  }

  /**
   * Logs what a hosted command has changed: this shard's own keys, and those of lenders; and what it rests on, here
   * and where keys were lent. Where the command has said what does the same to its own keys, that is logged, not what
   * they are. `atHand` may have the pieces of a value, which are given away. Answers what lenders have
   * to log too, so that it is found wherever one of the logs has it.
   */
  hosted(
    transaction: number,
    changed: OwnChanges,
    returned: readonly CopyMessage[],
    rests: readonly Rest[],
    atHand: (keyspace: Keyspace, key: Bytes) => Pieces | undefined,
  ): Pieces {
    const { store, shardIndex, context } = this.#options;
    const { own, ownEffects } = changed;
    const head = encodeRests(rests);
    const states = new KeyStateWriter(STATES_BYTES, TRANSACTION_START_BYTES + head.length);
    const recordOf = (words: readonly EffectWord[], database: number): Bytes =>
      this.#journal!.effectRecord(words, database, context.nowMs);
    let isShared = false;
    for (const { shard, copies } of returned) {
      for (const copy of copies) {
        if (copy.state === KeyState.unchanged) continue;
        isShared = true;
        if (copy.state !== KeyState.pushed) {
          states.writeCopy(copy, shard);
          continue;
        }
        const { database, key } = copy;
        states.writeEffect(recordOf(pushCommandOf(copy), database), database, shard, key);
      }
    }
    for (const words of ownEffects) {
      const { database } = context;
      states.writeEffect(recordOf(words, database), database, shardIndex);
    }
    for (const { database, key } of ownEffects.length > 0 ? [] : own) {
      const keyspace = store.databases[database];
      if (keyspace === undefined) continue;
      // What is given away cannot go to lenders too.
      const value = isShared || own.length > 1 ? undefined : atHand(keyspace, key);
      states.writeKey(keyspace, key, database, shardIndex, value);
    }
    if (states.count === 0) return NOTHING;
    const { pieces } = states;
    const [first, ...rest] = pieces;
    first.set(head, TRANSACTION_START_BYTES);
    const body = [first.subarray(TRANSACTION_START_BYTES), ...rest];
    const shared = isShared ? body.map((piece) => piece.slice()) : NOTHING;
    this.#journal!.transactionRecord(transaction, pieces, context.nowMs);
    return shared;
  }

  /** A command begins that has keys of other shards here. */
  beginHosted(): void {
    if (this.#feed.isOn) this.#feed.beginGroup();
  }

  /**
   * Ends a hosted transaction whose keys are still here: their new values are replicated, unless the command itself
   * was. `shards` is a bitmap of shards that lent writable keys.
   */
  endHosted(transaction: number, shards: number, written: () => readonly NamedKey[]): void {
    const feed = this.#feed;
    if (!feed.isOn) return;
    for (const { database, key } of written()) {
      const keyspace = this.#options.store.databases[database];
      const words = keyspace === undefined ? undefined : stateCommand(keyspace, key);
      if (words !== undefined) feed.effect(words, database);
    }
    const isAny = (feed.group?.count ?? 0) > 0;
    if (isAny) feed.endGroup({ kind: FeedEnd.hosted, transaction, parts: shards });
    else feed.endGroup();
  }

  /** Keys that were lent come back changed. */
  gaveBack(transaction: number, changes: Pieces): void {
    if (!this.isLogging || changes.length === 0) return;
    this.#journal!.transaction(transaction, changes, this.#options.context.nowMs);
  }
}

/** Returns the kind of record that replays a command. */
function recordKindOf({ kind }: Frame): number {
  if (kind === FrameKind.share) return RecordKind.share;
  return kind === FrameKind.offer ? RecordKind.each : RecordKind.command;
}

/** A command that makes the key what it is; undefined when there is no room for that either. */
function stateCommand(keyspace: Keyspace, key: Bytes): readonly EffectWord[] | undefined {
  const ref = keyspace.peek(key, 0, key.length);
  if (ref === 0) return ['DEL', key];
  const endMs = keyspace.expireAt(ref);
  const end = endMs < 0 ? ['0'] : [String(endMs), 'ABSTTL'];
  const [ttl = '0', ...flags] = end;
  try {
    return ['RESTORE', key, ttl, rdb.dumpPortably(keyspace, ref), 'REPLACE', ...flags];
  } catch (error) {
    if (isResourceError(error)) return undefined;
    throw error;
  }
}

/** Returns a copy of the words of a command. */
function wordsOf(args: Arguments): readonly EffectWord[] {
  return Array.from({ length: args.count }, (_, index) => args.copy(index));
}
