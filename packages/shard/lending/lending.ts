/**
 * Commands with keys on several shards: a lender sends copies of its keys to the host (hosting.ts), and holds the
 * writable ones until they come back. Frames that conflict with a hold are deferred, in order.
 */

import { finish, type Pieces } from '#base';
import { addInto, commandTable, pushOnto } from '#commands';
import { AT } from '#stats';
import { FrameKind, ReplyFlag, Request, RequestFlag, type ScriptExchange } from '#link';
import { messageSent } from '#usdt';
import { type Keyspace, ValueType } from '#store';
import type { Frame } from '../frames/frame.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import {
  decodeCopies,
  encodeCopies,
  install,
  isLong,
  kept,
  KeyState,
  MessagePieces,
  unpackAll,
  viewOf,
  type CopyMessage,
  type KeyCopy,
} from '../multi-shard/key-copies.ts';
import { slotOf } from '../execution/frame-keys.ts';
import { Hosting } from './hosting.ts';
import { MigratedKeys, type MigratedKeysOptions } from './migrated-keys.ts';
import { keptNames, lentKeys, namesOf } from './lent-keys.ts';
import { pushedOf, stubOf } from '../multi-shard/stubs.ts';
import { watchPlace } from '../execution/watches.ts';

/** Options of lending: functions of its machine. */
interface LendingOptions extends MigratedKeysOptions {
  /** Undefined where scripts reach other shards by way of main only. */
  readonly exchange: ScriptExchange | undefined;
  /** Processes a frame at once. */
  dispatch(frame: Frame, names?: readonly string[] | null): void;
}

/** Frames of transactions in progress, which are processed without waiting. */
const IMMEDIATE: ReadonlySet<number> = new Set([
  ...[FrameKind.copies, FrameKind.returned, FrameKind.control],
  ...[FrameKind.prepare, FrameKind.resume, FrameKind.verdict, FrameKind.unpark, FrameKind.call],
  ...[FrameKind.introduce, FrameKind.script, FrameKind.ask, FrameKind.rdb, FrameKind.migrated],
  ...[FrameKind.stage, FrameKind.refused],
]);

/** Copies of more are refused: the command would take as much again on its host, and again for the log. */
const LENT_BYTES_MAX = 4 * 1024 ** 3;

const WATCH = commandTable.byName('WATCH');

export class Lending {
  readonly #options: LendingOptions;
  readonly #keyLocks: KeyLocks;
  readonly #messages = new MessagePieces();
  readonly hosting: Hosting;
  readonly #migratedKeys: MigratedKeys;
  /** Stopped for a barrier's frame, and not for a script of this shard. */
  #isAtBarrier = false;
  /** True if the current barrier is for a script of another shard. */
  #isAtScript = false;
  /** Frames of a script of another shard that came before this one has stopped for it. */
  #early: Frame[] = [];
  /** Scripts so far that all shards have met at one place of their order: the number of the last is the same in each. */
  #exclusiveRuns = 0;
  /** Barriers that were over before their frames could stop the shard. */
  #barriersOver = 0;

  constructor(options: LendingOptions) {
    this.#options = options;
    this.#keyLocks = options.keyLocks;
    this.hosting = new Hosting(options);
    this.#migratedKeys = new MigratedKeys(options);
  }

  /** False nearly always: then no frame need be looked at. */
  get isActive(): boolean {
    return this.#keyLocks.isActive;
  }

  /** At a barrier: nothing but its own commands may happen here. */
  get isStopped(): boolean {
    return this.#keyLocks.isStopped;
  }

  /** True while this shard is stopped for a script of another shard. */
  get isAtScript(): boolean {
    return this.#isAtScript;
  }

  /** Number of the last script for which all shards stopped. */
  get exclusiveRun(): number {
    return this.#exclusiveRuns;
  }

  /** Processes the frame, or defers it if it conflicts with a hold. */
  admit(frame: Frame): void {
    const { kind } = frame;
    if (this.#isEarly(frame)) {
      this.#early.push(frame.detached());
      return;
    }
    let names: readonly string[] | null | undefined;
    if (this.#keyLocks.isActive && !IMMEDIATE.has(kind)) {
      const passes = hasFlag(frame, RequestFlag.passesBarrier);
      names = this.keysOf(frame);
      const sees = names === null && this.#keyLocks.areAllInPlace && this.#onlyLooks(frame);
      if (!sees && !this.#keyLocks.admits(frame, names, passes)) {
        const { executor, watches, values } = this.#options;
        if (executor.entryOf(frame) === WATCH) watches.awaits(slotOf(frame), names ?? []);
        values[AT.deferred] = values[AT.deferred]! + 1;
        return;
      }
    }
    this.#options.dispatch(frame, names);
  }

  /** True when a frame that concerns all keys changes none, and asks for none by name. */
  #onlyLooks(frame: Frame): boolean {
    const { kind } = frame;
    if (kind === FrameKind.snapshot || kind === FrameKind.feed) return true;
    if (kind !== FrameKind.part && kind !== FrameKind.command) return false;
    const entry = this.#options.executor.entryOf(frame);
    return entry.has('readonly') && entry.script === undefined;
  }

  /** True for a frame in the name of a script that this shard has still to stop for. */
  #isEarly(frame: Frame): boolean {
    if (this.#keyLocks.isStopped) return false;
    return frame.kind === FrameKind.prepare || hasFlag(frame, RequestFlag.passesBarrier);
  }

  /** Processes a frame that belongs to a transaction in progress; false for other frames. */
  takes(frame: Frame): boolean {
    if (frame.kind === FrameKind.keep) this.hosting.keep(frame);
    else if (frame.kind === FrameKind.prepare) this.#prepare(frame);
    else if (frame.kind === FrameKind.resume) this.#resume();
    else if (frame.kind === FrameKind.copies) this.#receive(frame);
    else if (frame.kind === FrameKind.returned) this.#receive(frame);
    else if (frame.kind === FrameKind.migrate) this.#migratedKeys.take(frame);
    else if (frame.kind === FrameKind.migrated) this.#migratedKeys.moved(frame);
    else return false;
    return true;
  }

  /** Takes a piece of a message, which is processed with its last piece. */
  #receive({ kind, body }: Frame): void {
    const pieces = this.#messages.take(body);
    if (pieces === undefined) return;
    const message = decodeCopies(pieces);
    if (kind === FrameKind.copies) this.hosting.receive(message);
    else this.#takeBack(message);
  }

  /** The names of the keys that a frame concerns; null when it concerns all. */
  keysOf(frame: Frame): readonly string[] | null {
    if (isExclusive(frame)) return null;
    switch (frame.kind) {
      case FrameKind.lend:
        return [...namesOf(lentKeys(frame)), ...watchPlaceOf(frame)];
      case FrameKind.keep:
        return keptNames(frame);
      case FrameKind.migrate:
        return this.#migratedKeys.namesIn(frame);
      case FrameKind.barrier:
      case FrameKind.snapshot:
      case FrameKind.leaveLog:
      case FrameKind.adopt:
      case FrameKind.feed:
      case FrameKind.unwatch:
        return null;
      default:
        return this.#options.executor.keys.namesOf(frame);
    }
  }

  /** Begins a script that concerns all keys: nothing but what is done in its name may happen here until `endAlone`. */
  beginExclusive(): void {
    this.#countExclusiveRun();
    this.#keyLocks.stop();
    this.#options.effects.beginGroup(true);
  }

  /** Ends it, in the log with the transaction of that number where other shards have taken part. */
  endExclusive(transaction: number | undefined): void {
    const { effects } = this.#options;
    if (transaction === undefined) effects.endGroup();
    else effects.endSharedGroup(transaction);
  }

  /** Lets other frames run again. */
  goOn(): void {
    this.#keyLocks.resume();
  }

  /** Stops the shard at this place of the order, until `resume`. */
  stop(frame: Frame): void {
    const { sender, watches } = this.#options;
    if (hasFlag(frame, RequestFlag.exclusive)) {
      this.#stopForScript();
      return;
    }
    this.#stop();
    const client = slotOf(frame);
    const flags = watches.take(client) ? ReplyFlag.watchBroken : 0;
    sender.sendSignal(FrameKind.barrier, client, 0, flags);
  }

  /** Stops for a script of another shard, unless it has ended before. No reply is sent. */
  #stopForScript(): void {
    this.#countExclusiveRun();
    if (this.#barriersOver > 0) {
      this.#barriersOver -= 1;
      return;
    }
    this.#stop();
    this.#isAtScript = true;
    const { exchange, context } = this.#options;
    const run = this.#exclusiveRuns;
    context.turn.time.hold(() => exchange?.heldTime(run));
    for (const frame of this.#early.splice(0)) this.admit(frame);
  }

  #stop(): void {
    this.#isAtBarrier = true;
    this.#keyLocks.stop();
    this.#options.effects.beginGroup(true);
  }

  /** The barrier's transaction is complete: it is ended in the log before any shard continues. */
  #prepare(frame: Frame): void {
    const { effects, sender } = this.#options;
    effects.endSharedGroup(frame.sequence);
    sender.sendSignal(FrameKind.prepare, slotOf(frame), 0, 0);
  }

  #resume(): void {
    // A script that needs no other shard does not wait for those that have still to stop.
    if (!this.#isAtBarrier) {
      this.#barriersOver += 1;
      return;
    }
    this.#isAtBarrier = false;
    if (this.#isAtScript) this.#endScriptTime();
    this.#isAtScript = false;
    // Without a log, or with a transaction that was not run, nothing has ended it before.
    this.#options.effects.endGroup();
    this.#keyLocks.resume();
  }

  /** Unfreezes time for the rest of the batch. */
  #endScriptTime(): void {
    const { executor, context } = this.#options;
    context.turn.time.hold(undefined);
    executor.readClock();
    executor.readWallClock();
  }

  #countExclusiveRun(): void {
    this.#exclusiveRuns = (this.#exclusiveRuns + 1) | 0;
  }

  /** A lender's frame is at its place in the order. */
  lend(frame: Frame): void {
    const { store, sender, shardIndex, watches, work } = this.#options;
    const transaction = frame.words[frame.word + Request.sequence]! >>> 0;
    const host = frame.words[frame.word + Request.connection]!;
    const watcher = watcherOf(frame);
    // A database that does not exist is the handler's to refuse.
    const keys = lentKeys(frame).filter(({ database }) => database < store.databases.length);
    const copies = keys.map(({ database, key, writable, insertsOnly, element }) => {
      const keyspace = store.databases[database]!;
      const copy = viewOf(keyspace, database, key, writable);
      return insertsOnly ? stubOf(keyspace, copy, element) : copy;
    });
    const isAnyWritable = keys.some((key) => key.writable);
    // Long values are read over several steps, during which they must not be written.
    const takesLong = copies.some(isLong);
    if (takesLong) copies.forEach(kept);
    const held = takesLong ? keys : keys.filter((key) => key.writable);
    if (held.length > 0) this.#keyLocks.hold(transaction, namesOf(held));
    const isBroken = watcher >= 0 && watches.take(watcher);
    const { transactions } = this.#options.effects;
    const message = { transaction, shard: shardIndex, isBroken, transactions, copies };
    const send = (pieces: Pieces): void => {
      if (messageSent.isWatched) messageSent.fire(shardIndex, host, 'copies');
      for (const piece of pieces) sender.give(FrameKind.copies, host, transaction, piece);
    };
    const release = (): void => {
      this.hosting.release(transaction);
    };
    const sent = (pieces: Pieces): void => {
      send(pieces);
      if (takesLong && !isAnyWritable) release();
    };
    // What is not sent does not come back.
    const refuse = (): void => {
      send(finish(encodeCopies({ ...message, isRefused: true, copies: [] })));
      if (held.length > 0) release();
    };
    // Keys that are not held are read at once.
    const copying = encodeCopies(message, { bytesMax: LENT_BYTES_MAX });
    if (takesLong) work.run(copying, sent, refuse);
    else work.now(copying, sent, refuse);
  }

  /** A lender gets its keys back. */
  #takeBack(message: CopyMessage): void {
    this.#options.work.run(unpackAll([message]), () => {
      this.#install(message);
      this.hosting.release(message.transaction);
    });
  }

  #install({ transaction, copies, changes }: CopyMessage): void {
    const { store, context, effects } = this.#options;
    if (changes !== undefined) effects.gaveBack(transaction, changes);
    for (const copy of copies) {
      const keyspace = store.databases[copy.database]!;
      effects.preserve(copy.database, copy.key);
      if (copy.state === KeyState.pushed) this.#push(keyspace, copy);
      else install(keyspace, copy);
      if (copy.isTouched) context.keyChanged(copy.database, copy.key, 0, copy.key.length);
    }
  }

  /** Adds the elements to a key that were added to its stub. */
  #push(keyspace: Keyspace, copy: KeyCopy): void {
    const { context } = this.#options;
    const push = copy.type === ValueType.set ? addInto : pushOnto;
    push(context, keyspace, copy.key, pushedOf(copy));
  }
}

/** True when a frame's script concerns all keys, while the other shards are stopped for it. */
export function isExclusive(frame: Frame): boolean {
  return hasFlag(frame, RequestFlag.exclusive) && frame.kind === FrameKind.command;
}

function hasFlag({ words, word }: Frame, flag: number): boolean {
  return (words[word + Request.kind]! & flag) !== 0;
}

/** The client whose watches are judged where a transaction's keys are lent; -1 when it has none. */
function watcherOf({ words, word }: Frame): number {
  return words[word + Request.watcher]! - 1;
}

function watchPlaceOf(frame: Frame): readonly string[] {
  const watcher = watcherOf(frame);
  return watcher < 0 ? [] : [watchPlace(watcher)];
}
