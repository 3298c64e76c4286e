/**
 * Commands with keys on several shards.
 *
 * The host holds every key the command names and waits for the copies that lenders send; then it puts
 * them beside its own keys, runs the ordinary code, and gives back what may have changed. A lender
 * holds the keys that may be written until then. Whatever conflicts with a hold is put aside, in order.
 */

import { finish, keyName, type Bytes, type Steps } from '#base';
import { addInto, pushOnto } from '#commands';
import { AT } from '#diag';
import { FrameKind, HostWord, ReplyFlag, Request, RequestFlag } from '#link';
import { messageSent } from '#probes';
import { ValueType, type Keyspace, type Store } from '#store';
import type { ExecutionContext } from './context.ts';
import type { Effects } from './effects.ts';
import type { Executor } from './executor.ts';
import type { Frame } from './frame.ts';
import type { Blocking } from './blocking.ts';
import type { Holds } from './holds.ts';
import {
  copyOf,
  encodeCopies,
  install,
  isLong,
  KeyState,
  sameState,
  unpack,
  type CopyMessage,
  type KeyCopy,
} from './key-copies.ts';
import { keptNames, lentKeys, namesOf } from './lent-keys.ts';
import type { LongWork } from './long-work.ts';
import { addedTo, pushedOf, stubOf } from './stubs.ts';
import type { ReplySender } from './reply-sender.ts';
import type { Watches } from './watches.ts';

/** What lending asks of the machine it is a part of. */
export interface LendingParts {
  readonly shardIndex: number;
  readonly store: Store;
  readonly sender: ReplySender;
  readonly executor: Executor;
  readonly context: ExecutionContext;
  readonly watches: Watches;
  /** The values of the shard's page. */
  readonly values: Float64Array;
  readonly holds: Holds;
  readonly blocking: Blocking;
  readonly effects: Effects;
  readonly work: LongWork;
  /** Does what a frame says, at once. */
  dispatch(frame: Frame): void;
}

/** Frames that answer what is under way, and wait for nothing. */
const IMMEDIATE: ReadonlySet<number> = new Set([
  ...[FrameKind.copies, FrameKind.returned, FrameKind.control],
  ...[FrameKind.prepare, FrameKind.resume, FrameKind.verdict, FrameKind.unpark, FrameKind.report],
  FrameKind.introduce,
]);

const NOTHING: Bytes = new Uint8Array(0);

interface HostedTransaction {
  frame: Frame;
  lendersLeft: number;
  lenders: CopyMessage[];
}

export class Lending {
  readonly #parts: LendingParts;
  readonly #holds: Holds;
  readonly #hosted = new Map<number, HostedTransaction>();
  /** Copies that came before their transaction's own frame. */
  readonly #early = new Map<number, CopyMessage[]>();

  constructor(parts: LendingParts) {
    this.#parts = parts;
    this.#holds = parts.holds;
    parts.context.isKept = (name) => parts.holds.isKept(name);
  }

  /** False nearly always: then no frame need be looked at. */
  get isActive(): boolean {
    return this.#holds.isActive;
  }

  /** At a barrier: nothing but its own commands may happen here. */
  get isStopped(): boolean {
    return this.#holds.isStopped;
  }

  /** Does what the frame says, or puts it aside when it conflicts with a hold. */
  admit(frame: Frame): void {
    const { kind } = frame;
    if (this.#holds.isActive && !IMMEDIATE.has(kind)) {
      const passes = (frame.words[frame.word + Request.kind]! & RequestFlag.passesBarrier) !== 0;
      if (!this.#holds.admits(frame, this.#keysOf(frame), passes)) {
        this.#count(AT.deferred);
        return;
      }
    }
    this.#parts.dispatch(frame);
  }

  /** Takes what goes on with something under way; false when the frame is no such. */
  takes(frame: Frame): boolean {
    if (frame.kind === FrameKind.keep) this.#keep(frame);
    else if (frame.kind === FrameKind.prepare) this.#prepare(frame);
    else if (frame.kind === FrameKind.resume) this.#resume();
    else return false;
    return true;
  }

  /** Null when the frame concerns all keys. */
  #keysOf(frame: Frame): readonly string[] | null {
    switch (frame.kind) {
      case FrameKind.lend:
        return namesOf(lentKeys(frame));
      case FrameKind.keep:
        return keptNames(frame);
      case FrameKind.barrier:
      case FrameKind.snapshot:
      case FrameKind.unwatch:
        return null;
      default:
        return this.#parts.executor.keys.namesOf(frame);
    }
  }

  /** Stops the shard at this place of the order, until `resume`. */
  stop(frame: Frame): void {
    const { sender, watches } = this.#parts;
    const client = frame.words[frame.word + Request.connection]!;
    this.#holds.stop();
    this.#parts.effects.beginGroup();
    const flags = watches.take(client) ? ReplyFlag.watchBroken : 0;
    sender.sendSignal(FrameKind.barrier, client, 0, flags);
  }

  /** All that the barrier's transaction does is done: it is ended in the log before anybody goes on. */
  #prepare(frame: Frame): void {
    const { effects, sender } = this.#parts;
    effects.endSharedGroup(frame.sequence);
    sender.sendSignal(FrameKind.prepare, frame.words[frame.word + Request.connection]!, 0, 0);
  }

  #resume(): void {
    // Without a log, or with a transaction that was not run, nothing has ended it before.
    this.#parts.effects.endGroup();
    this.#holds.resume();
  }

  /** A transaction is at its place in the order: it is run when all lent keys are there. */
  beginTransaction(frame: Frame): void {
    if (frame.words[frame.word + HostWord.lenders]! > 0) {
      this.beginHosting(frame);
      return;
    }
    const { executor } = this.#parts;
    executor.makeRoomFor(frame);
    executor.runTransaction(frame, false);
  }

  /** A host's frame is at its place in the order. */
  beginHosting(frame: Frame): void {
    const { words, word } = frame;
    const transaction = words[word + HostWord.transaction]! >>> 0;
    const lendersLeft = words[word + HostWord.lenders]!;
    this.#count(AT.lends);
    this.#hosted.set(transaction, { frame: frame.detached(), lendersLeft, lenders: [] });
    this.#holds.hold(transaction, this.#parts.executor.keys.namesOf(frame) ?? []);
    const early = this.#early.get(transaction) ?? [];
    this.#early.delete(transaction);
    for (const message of early) this.receive(message);
  }

  /** A lender's frame is at its place in the order. */
  lend(frame: Frame): void {
    const { store, sender, shardIndex, watches, work } = this.#parts;
    const transaction = frame.words[frame.word + Request.sequence]! >>> 0;
    const host = frame.words[frame.word + Request.connection]!;
    const watcher = frame.words[frame.word + Request.watcher]! - 1;
    // A database that does not exist is the handler's to refuse.
    const keys = lentKeys(frame).filter(({ database }) => database < store.databases.length);
    const copies = keys.map(({ database, key, writable, insertsOnly, element }) => {
      const keyspace = store.databases[database]!;
      const copy = copyOf(keyspace, database, key, writable);
      return insertsOnly ? stubOf(keyspace, copy, element) : copy;
    });
    const isAnyWritable = keys.some((key) => key.writable);
    // What is read takes time, in which nobody may write it.
    const takesLong = copies.some(isLong);
    const held = takesLong ? keys : keys.filter((key) => key.writable);
    if (held.length > 0) this.#holds.hold(transaction, namesOf(held));
    const isBroken = watcher >= 0 && watches.take(watcher);
    const { transactions } = this.#parts.effects;
    const message = { transaction, shard: shardIndex, isBroken, transactions, copies };
    const send = (body: Bytes): void => {
      if (messageSent.isWatched) messageSent.fire(shardIndex, host, 'copies');
      sender.give(FrameKind.copies, host, transaction, body);
    };
    if (!takesLong) {
      send(finish(encodeCopies(message)));
      return;
    }
    work.run(encodeCopies(message), (body) => {
      send(body);
      if (!isAnyWritable) this.#release(transaction);
    });
  }

  /** A host is told of more of its own keys, at the place of its frame. */
  #keep(frame: Frame): void {
    const { shardIndex: shard } = this.#parts;
    const transaction = frame.sequence;
    this.#holds.hold(transaction, keptNames(frame));
    this.receive({ transaction, shard, isBroken: false, transactions: 0, copies: [] });
  }

  /** The host gets copies of a lender's keys. */
  receive(message: CopyMessage): void {
    const { transaction } = message;
    const hosted = this.#hosted.get(transaction);
    if (hosted === undefined) {
      this.#early.set(transaction, [...(this.#early.get(transaction) ?? []), message]);
      return;
    }
    // What the shard keeps of its own is no copy.
    if (message.shard !== this.#parts.shardIndex) hosted.lenders.push(message);
    hosted.lendersLeft -= 1;
    if (hosted.lendersLeft > 0) return;
    this.#hosted.delete(transaction);
    this.#parts.work.run(unpackAll(hosted.lenders), () => {
      this.#runHosted(hosted);
      this.#release(transaction);
    });
  }

  /** Who waited for the transaction's keys goes on. */
  #release(transaction: number): void {
    this.#holds.release(transaction, () => {
      this.#parts.blocking.serve();
    });
  }

  /** A lender gets its keys back. */
  takeBack(message: CopyMessage): void {
    this.#parts.work.run(unpackAll([message]), () => {
      this.#install(message);
      this.#release(message.transaction);
    });
  }

  #install({ transaction, copies, changes }: CopyMessage): void {
    const { store, context, effects } = this.#parts;
    if (changes !== undefined) effects.gaveBack(transaction, changes);
    for (const copy of copies) {
      const keyspace = store.databases[copy.database]!;
      effects.preserve(copy.database, copy.key);
      if (copy.state === KeyState.pushed) this.#push(keyspace, copy);
      else install(keyspace, copy);
      if (copy.isTouched) context.keyChanged(copy.database, copy.key, 0, copy.key.length);
    }
  }

  /** Adds to a key what was added to its stub. */
  #push(keyspace: Keyspace, copy: KeyCopy): void {
    const { context } = this.#parts;
    const push = copy.type === ValueType.set ? addInto : pushOnto;
    push(context, keyspace, copy.key, pushedOf(copy));
  }

  /** Runs a command with the lent keys beside the shard's own, then gives them back. */
  #runHosted({ frame, lenders }: HostedTransaction): void {
    const { store, executor, context, blocking } = this.#parts;
    const transaction = frame.words[frame.word + HostWord.transaction]! >>> 0;
    // Evicting later could throw out a copy that the command is about to use.
    executor.makeRoomFor(frame);
    for (const { copies } of lenders) {
      for (const copy of copies) install(store.databases[copy.database]!, copy);
    }
    const touched = new Set<string>();
    context.touched = touched;
    context.ownEffects = [];
    const lent = lenders.flatMap(({ copies }) => copies);
    const lentNames = new Set(lent.map(({ database, key }) => keyName(database, key)));
    context.lent = new Set([...lentNames, ...this.#holds.namesOf(transaction)]);
    // The only command may have what is lent to be read: it is dropped afterwards.
    const spare = frame.kind === FrameKind.exec ? [] : lent.filter(({ writable }) => !writable);
    context.spare = new Set(spare.map(({ database, key }) => keyName(database, key)));
    const isBroken = lenders.some((lender) => lender.isBroken);
    const { transactions } = this.#parts.effects;
    const changesBefore = context.changeCount;
    const again = (frame.words[frame.word + Request.kind]! & RequestFlag.again) !== 0;
    if (frame.kind === FrameKind.exec) {
      executor.runTransaction(frame, isBroken);
      // What each of them says is not what all of them have done.
      context.ownEffects = [];
    } else if (!again || blocking.isAwaited(frame)) {
      executor.runCommand(frame, again);
    }
    context.touched = undefined;
    context.lent = undefined;
    context.spare = undefined;
    const isChanged = changesBefore !== context.changeCount;
    const returned = lenders.map((lender) => this.#returned(lender, touched, isChanged));
    const rests = [{ shard: this.#parts.shardIndex, transactions }, ...lenders];
    const sent = new Map(spare.map(({ object, value, sent: bytes }) => [object ?? value, bytes]));
    const changes = isChanged ? this.#changes(frame, returned, lentNames, rests, sent) : NOTHING;
    for (const message of returned) this.#giveBack({ ...message, changes });
  }

  /** What became of a lender's keys, which leave the host. */
  #returned(
    { transaction, shard, copies }: CopyMessage,
    touched: ReadonlySet<string>,
    isChanged: boolean,
  ): CopyMessage {
    const { store } = this.#parts;
    const outcome: KeyCopy[] = [];
    for (const before of copies) {
      const keyspace = store.databases[before.database]!;
      const isTouched = touched.has(keyName(before.database, before.key));
      const after = before.writable ? this.#after(keyspace, before, isTouched) : undefined;
      const ref = keyspace.peek(before.key, 0, before.key.length);
      if (ref !== 0) keyspace.takeOut(ref);
      if (after === undefined) continue;
      // An object may change without a word: what was delivered to a group.
      const mayDiffer = isTouched || (isChanged && after.state === KeyState.object);
      const isSame = !mayDiffer && sameState(before, after);
      const state = isSame ? KeyState.unchanged : after.state;
      outcome.push({ ...after, state, isTouched });
    }
    return { transaction, shard, isBroken: false, transactions: 0, copies: outcome };
  }

  /** A key as it is after the command: of a stub, what was added to it. */
  #after(keyspace: Keyspace, before: KeyCopy, isTouched: boolean): KeyCopy {
    const after = copyOf(keyspace, before.database, before.key, before.writable);
    if (!before.isStub || !isTouched) return after;
    return addedTo(keyspace, after);
  }

  /** Logs what a hosted command has changed, here and of lenders; answers it where they must log it too. */
  #changes(
    frame: Frame,
    returned: readonly CopyMessage[],
    lent: ReadonlySet<string>,
    rests: readonly Pick<CopyMessage, 'shard' | 'transactions'>[],
    sent: ReadonlyMap<unknown, Bytes>,
  ): Bytes {
    const { effects, executor } = this.#parts;
    if (!effects.isLogging) return NOTHING;
    const transaction = frame.words[frame.word + HostWord.transaction]! >>> 0;
    const written = executor.keys.written(frame);
    const own = written.filter(({ database, key }) => !lent.has(keyName(database, key)));
    return effects.hosted(
      transaction,
      own,
      returned,
      rests.map(({ shard, transactions }) => [shard, transactions]),
      // A value that was taken as it came need not be written again.
      (keyspace, key) => {
        const ref = keyspace.peek(key, 0, key.length);
        if (ref === 0) return undefined;
        return sent.get(keyspace.object(ref) ?? keyspace.value(ref).bytes);
      },
    );
  }

  #giveBack({ shard, copies, ...rest }: CopyMessage): void {
    const { sender, shardIndex, work } = this.#parts;
    if (copies.length === 0) return;
    const isChanged = copies.some(({ state }) => state !== KeyState.unchanged);
    const changes = isChanged ? rest.changes : NOTHING;
    const message = { ...rest, shard: shardIndex, copies, changes };
    work.run(encodeCopies(message), (body) => {
      if (messageSent.isWatched) messageSent.fire(shardIndex, shard, 'returned');
      sender.give(FrameKind.returned, shard, rest.transaction, body);
    });
  }

  #count(counter: number): void {
    const { values } = this.#parts;
    values[counter] = values[counter]! + 1;
  }
}

function* unpackAll(messages: readonly CopyMessage[]): Steps<void> {
  for (const { copies } of messages) for (const copy of copies) yield* unpack(copy);
}
