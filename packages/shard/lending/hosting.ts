/**
 * Commands with keys on several shards, where they are run: the host holds every key the command names and waits
 * for the copies that lenders send; then it puts them beside its own keys, runs the ordinary code, and gives back
 * what may have changed.
 */

import { errors, keyName, type Pieces } from '#base';
import { AT } from '#stats';
import { FrameKind, HostWord, Request, RequestFlag } from '#link';
import { messageSent } from '#usdt';
import type { Keyspace, Store } from '#store';
import type { BlockedCommands } from '../blocked/blocked-commands.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Effects, OwnChanges } from '../execution/effects.ts';
import type { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';
import { isWatching, slotOf } from '../execution/frame-keys.ts';
import type { Guests } from '../execution/mode.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import {
  copyOf,
  encodeCopies,
  install,
  KeyState,
  sameState,
  unpackAll,
  type CopyMessage,
  type KeyCopy,
} from '../multi-shard/key-copies.ts';
import { keptNames } from './lent-keys.ts';
import type { IncrementalWork } from '../timed/incremental-work.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import { addedTo } from '../multi-shard/stubs.ts';
import type { Watches } from '../execution/watches.ts';

const NOTHING: Pieces = [];

/** Value of a copy that goes back unchanged. */
const NO_VALUE = { value: new Uint8Array(0), object: undefined, sent: NOTHING };

/** Options of hosting: functions of its machine. */
export interface HostingOptions {
  readonly shardIndex: number;
  readonly store: Store;
  readonly sender: ReplySender;
  readonly executor: Executor;
  readonly context: ExecutionContext;
  /** The values of the shard's page. */
  readonly values: Float64Array;
  readonly keyLocks: KeyLocks;
  readonly blocking: BlockedCommands;
  readonly effects: Effects;
  readonly work: IncrementalWork;
  readonly watches: Watches;
}

interface HostedTransaction {
  frame: Frame;
  lendersLeft: number;
  lenders: CopyMessage[];
  /** A key that the client watches here had changed. */
  readonly isBroken: boolean;
}

export class Hosting {
  readonly #options: HostingOptions;
  readonly #hosted = new Map<number, HostedTransaction>();
  /** Copies that came before their transaction's own frame. */
  readonly #early = new Map<number, CopyMessage[]>();

  constructor(options: HostingOptions) {
    this.#options = options;
  }

  /** A transaction is at its place in the order: it is run when all lent keys are there. */
  beginTransaction(frame: Frame): void {
    if (frame.words[frame.word + HostWord.lenders]! > 0) {
      this.begin(frame);
      return;
    }
    const { executor } = this.#options;
    executor.makeRoomFor(frame);
    executor.runTransaction(frame, this.#isBroken(frame));
  }

  /** A host's frame is at its place in the order. */
  begin(frame: Frame): void {
    const { words, word } = frame;
    const { values, keyLocks, executor } = this.#options;
    const transaction = words[word + HostWord.transaction]! >>> 0;
    const lendersLeft = words[word + HostWord.lenders]!;
    values[AT.lends] = values[AT.lends]! + 1;
    keyLocks.holdAll(transaction, () => executor.keys.namesOf(frame) ?? []);
    const isBroken = this.#isBroken(frame);
    const hosted = { frame: frame.detached(), lendersLeft, lenders: [], isBroken };
    this.#hosted.set(transaction, hosted);
    const early = this.#early.get(transaction) ?? [];
    this.#early.delete(transaction);
    for (const message of early) this.receive(message);
  }

  /** Judges what a transaction's client watches here, at the place of the frame, and ends its watches. */
  #isBroken(frame: Frame): boolean {
    const { executor, watches } = this.#options;
    executor.setNow();
    return isWatching(frame) && watches.take(slotOf(frame));
  }

  /** Adds further own keys to a hosted transaction, at the place of the frame. */
  keep(frame: Frame): void {
    const { shardIndex: shard } = this.#options;
    const transaction = frame.sequence;
    this.#options.keyLocks.hold(transaction, keptNames(frame));
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
    // Own keys of the shard are not copied.
    if (message.shard !== this.#options.shardIndex) hosted.lenders.push(message);
    hosted.lendersLeft -= 1;
    if (hosted.lendersLeft > 0) return;
    this.#hosted.delete(transaction);
    const run = (isRefused: boolean): void => {
      if (isRefused) this.#refuse(hosted);
      else this.#runHosted(hosted);
      this.release(transaction);
    };
    this.#options.work.run(
      unpackAll(hosted.lenders),
      () => {
        run(hosted.lenders.some((lender) => lender.isRefused));
      },
      () => {
        run(true);
      },
    );
  }

  /** Releases the transaction's keys and resumes the frames that waited for them. */
  release(transaction: number): void {
    this.#options.keyLocks.release(transaction, () => {
      this.#options.blocking.serve();
    });
  }

  /** Gives all keys back as they came: somebody had no room for them. */
  #refuse({ frame, lenders }: HostedTransaction): void {
    const { executor, blocking } = this.#options;
    const again = (frame.words[frame.word + Request.kind]! & RequestFlag.again) !== 0;
    if (!again || blocking.isAwaited(frame)) executor.answerWait(frame, errors.outOfResources);
    if (again) blocking.answered(frame);
    for (const { transaction, shard, copies } of lenders) {
      const unchanged = copies
        .filter(({ writable }) => writable)
        .map((copy) => ({ ...copy, ...NO_VALUE, state: KeyState.unchanged }));
      this.#giveBack({ transaction, shard, isBroken: false, transactions: 0, copies: unchanged });
    }
  }

  /** Runs a command with the lent keys beside the shard's own, then gives them back. */
  #runHosted({ frame, lenders, ...hosted }: HostedTransaction): void {
    const { store, executor, context, blocking } = this.#options;
    const transaction = frame.words[frame.word + HostWord.transaction]! >>> 0;
    // Evicting later could throw out a copy that the command is about to use.
    executor.makeRoomFor(frame);
    for (const { copies } of lenders) {
      for (const copy of copies) install(store.databases[copy.database]!, copy);
    }
    const lent = lenders.flatMap(({ copies }) => copies);
    const lentNames = madeOnce(() => namesOf(lent));
    // The only command may have what is lent to be read: it is dropped afterwards.
    const spare = frame.kind === FrameKind.exec ? [] : lent.filter(({ writable }) => !writable);
    const guests: Guests = {
      here: madeOnce(
        () => new Set([...lentNames(), ...this.#options.keyLocks.namesOf(transaction)]),
      ),
      spare: madeOnce(() => namesOf(spare)),
      readsLent: lent.some(({ writable }) => !writable),
      copies: madeOnce(() => namesOf(lent.filter(({ writable }) => !writable))),
      touched: new Set(),
      ownEffects: [],
    };
    const isBroken = hosted.isBroken || lenders.some((lender) => lender.isBroken);
    const { transactions } = this.#options.effects;
    const changesBefore = context.changeCount;
    const again = (frame.words[frame.word + Request.kind]! & RequestFlag.again) !== 0;
    const isTransaction = frame.kind === FrameKind.exec;
    const { effects } = this.#options;
    effects.beginHosted();
    context.turn.withGuests(guests, () => {
      if (isTransaction) executor.runTransaction(frame, isBroken);
      else if (!again || blocking.isAwaited(frame)) executor.runCommand(frame, again);
    });
    const isChanged = changesBefore !== context.changeCount;
    // Lenders of read-only keys have continued meanwhile, and get nothing back.
    const owners = lenders.filter(({ copies }) => copies.some(({ writable }) => writable));
    const ownerBits = owners.reduce((bits, { shard }) => bits | (1 << shard), 0);
    effects.endHosted(transaction, ownerBits, () =>
      isChanged && guests.readsLent ? executor.keys.written(frame) : [],
    );
    const returned = lenders.map((lender) => this.#returned(lender, guests.touched, isChanged));
    const rests = [{ shard: this.#options.shardIndex, transactions }, ...lenders];
    const sentAs = madeOnce(
      () => new Map(spare.map(({ object, value, sent }) => [object ?? value, sent])),
    );
    // What each command of a transaction says is not what all of them have done.
    const ownEffects = isTransaction ? [] : guests.ownEffects;
    const own = isChanged ? this.#ownChanges(frame, lentNames(), ownEffects) : undefined;
    const changes =
      own === undefined ? NOTHING : this.#changes(frame, own, returned, rests, sentAs);
    for (const message of returned) this.#giveBack({ ...message, changes });
  }

  /** Returns the outcome of a lender's keys, which leave the host. */
  #returned(
    { transaction, shard, copies }: CopyMessage,
    touched: ReadonlySet<string>,
    isChanged: boolean,
  ): CopyMessage {
    const { store } = this.#options;
    const outcome: KeyCopy[] = [];
    for (const before of copies) {
      const keyspace = store.databases[before.database]!;
      const isTouched =
        before.writable && touched.size > 0 && touched.has(keyName(before.database, before.key));
      const after = before.writable ? this.#after(keyspace, before, isTouched) : undefined;
      const ref = keyspace.peek(before.key, 0, before.key.length);
      if (ref !== 0) keyspace.takeOut(ref);
      if (after === undefined) continue;
      // An object may change without a word: what was delivered to a group.
      const mayDiffer = isTouched || (isChanged && after.state === KeyState.object);
      const isSame = !mayDiffer && sameState(before, after);
      const state = isSame ? KeyState.unchanged : after.state;
      const value = isSame ? NO_VALUE : undefined;
      outcome.push({ ...after, ...value, state, isTouched });
    }
    return { transaction, shard, isBroken: false, transactions: 0, copies: outcome };
  }

  /** Copies a key after the command: for a stub, the added elements. */
  #after(keyspace: Keyspace, before: KeyCopy, isTouched: boolean): KeyCopy {
    const after = copyOf(keyspace, before.database, before.key, before.writable);
    if (!before.isStub || !isTouched) return after;
    return addedTo(keyspace, after);
  }

  /** Returns what a hosted command may have done to this shard's own keys; undefined where nothing is logged. */
  #ownChanges(
    frame: Frame,
    lent: ReadonlySet<string>,
    ownEffects: OwnChanges['ownEffects'],
  ): OwnChanges | undefined {
    const { effects, executor } = this.#options;
    if (!effects.isLogging) return undefined;
    const written = executor.keys.written(frame);
    return {
      own: written.filter(({ database, key }) => !lent.has(keyName(database, key))),
      ownEffects,
    };
  }

  /** Logs the changes of a hosted command to own and lent keys; returns them if lenders must log them too. */
  #changes(
    frame: Frame,
    own: OwnChanges,
    returned: readonly CopyMessage[],
    rests: readonly Pick<CopyMessage, 'shard' | 'transactions'>[],
    sentAs: () => ReadonlyMap<unknown, Pieces>,
  ): Pieces {
    const { effects } = this.#options;
    const transaction = frame.words[frame.word + HostWord.transaction]! >>> 0;
    return effects.hosted(
      transaction,
      own,
      returned,
      rests.map(({ shard, transactions }) => [shard, transactions]),
      // A value that was kept unchanged need not be written again.
      (keyspace, key) => {
        const ref = keyspace.peek(key, 0, key.length);
        if (ref === 0) return undefined;
        return sentAs().get(keyspace.object(ref) ?? keyspace.value(ref).bytes);
      },
    );
  }

  #giveBack({ shard, copies, ...rest }: CopyMessage): void {
    const { sender, shardIndex, work } = this.#options;
    if (copies.length === 0) return;
    const isChanged = copies.some(({ state }) => state !== KeyState.unchanged);
    const changes = isChanged ? rest.changes : NOTHING;
    const message = { ...rest, shard: shardIndex, copies, changes };
    work.run(encodeCopies(message), (pieces) => {
      if (messageSent.isWatched) messageSent.fire(shardIndex, shard, 'returned');
      for (const piece of pieces) {
        sender.give(FrameKind.returned, shard, rest.transaction, piece);
      }
    });
  }
}

function namesOf(copies: readonly KeyCopy[]): ReadonlySet<string> {
  return new Set(copies.map(({ database, key }) => keyName(database, key)));
}

/** Makes something when it is asked for first: thousands of keys have names that few commands need. */
function madeOnce<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => (made ??= make());
}
