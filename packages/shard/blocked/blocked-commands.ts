/**
 * Commands that wait for their keys (BLPOP, XREAD BLOCK, ...).
 *
 * A command that finds nothing is put aside and run again, inside the command that changed one of its keys,
 * in the order in which they came. Where its keys are on several shards, each shard holds its own until
 * main knows which of all is there first (an offer and a verdict); only then does the client wait on all of
 * them, and whichever shard wakes main first runs it.
 */

import { asBuffer, CommandError, errors, keySlot, shardOfSlot } from '#base';
import { FrameKind, HostWord, ReplyFlag, Request, Unpark, Verdict } from '#link';
import type { Wait } from '#commands';
import type { Store } from '#store';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { DryRuns } from './dry-run.ts';
import type { Waiter, WaitingClients } from '../execution/blocked-clients.ts';

interface BlockedCommandsOptions {
  readonly shardIndex: number;
  readonly shardCount: number;
  readonly store: Store;
  readonly context: ExecutionContext;
  readonly executor: Executor;
  readonly sender: ReplySender;
  readonly keyLocks: KeyLocks;
  readonly waitingClients: WaitingClients;
  readonly dryRuns: DryRuns;
}

interface OfferState {
  /** Index of the first of the command's keys that is there, or -1. */
  readonly first: number;
  readonly wait: Wait | undefined;
  readonly flags: number;
}

export class BlockedCommands {
  readonly #options: BlockedCommandsOptions;
  /** Offers of main that wait for a verdict, by transaction. */
  readonly #offers = new Map<number, Frame>();
  #isServing = false;
  /** Main has decided that the offer being run is to wait. */
  #isParking = false;

  constructor(options: BlockedCommandsOptions) {
    this.#options = options;
  }

  /** A command found nothing. It keeps its place when it has waited before. */
  park(frame: Frame, wait: Wait): void {
    const { waitingClients, sender } = this.#options;
    const slot = frame.words[frame.word + Request.connection]!;
    const sequence = frame.words[frame.word + Request.sequence]! >>> 0;
    const known = waitingClients.find(slot, sequence);
    if (known !== undefined) {
      known.isWoken = false;
      waitingClients.retime(known);
      return;
    }
    const isOffered = frame.kind === FrameKind.offer;
    if (!isOffered || this.#isParking) {
      const transaction = frame.kind === FrameKind.command ? 0 : transactionOf(frame);
      waitingClients.add(this.#waiterFor(frame, wait, transaction));
    }
    // Main decides who waits for an offer: it is notified only of keys that existed and were removed, for example by
    // expiry.
    if (this.#isParking) return;
    const timeout = new Uint8Array(Float64Array.of(wait.timeoutMs).buffer);
    sender.send(FrameKind.parked, slot, sequence, timeout);
  }

  #waiterFor(frame: Frame, wait: Wait, transaction: number): Waiter {
    return {
      slot: frame.words[frame.word + Request.connection]!,
      sequence: frame.words[frame.word + Request.sequence]! >>> 0,
      frame: frame.detached(),
      names: this.#ownNames(frame).slice(0, wait.keyCount),
      wait,
      transaction,
      isWoken: false,
    };
  }

  /** True when a client still waits for a command that is run again. */
  isAwaited(frame: Frame): boolean {
    const slot = frame.words[frame.word + Request.connection]!;
    const sequence = frame.words[frame.word + Request.sequence]! >>> 0;
    return this.#options.waitingClients.find(slot, sequence) !== undefined;
  }

  /** A command that has waited was answered. */
  answered(frame: Frame): void {
    const slot = frame.words[frame.word + Request.connection]!;
    const waiter = this.#options.waitingClients.find(
      slot,
      frame.words[frame.word + Request.sequence]! >>> 0,
    );
    if (waiter === undefined) return;
    this.#options.waitingClients.remove(waiter);
    // Later waiters may get what this one has left.
    if (waiter.isWoken) for (const name of waiter.names) this.#options.waitingClients.touch(name);
  }

  /** True when keys that clients wait for have changed and may be looked at. */
  get mustServe(): boolean {
    const { waitingClients, keyLocks } = this.#options;
    return waitingClients.hasTouched && !keyLocks.isStopped;
  }

  /** Runs again what the last command has made possible, and what that makes possible in turn. */
  serve(): void {
    // At a barrier nothing is served: its transaction may make and unmake what they wait for.
    if (this.#isServing || this.#options.keyLocks.isStopped) return;
    this.#isServing = true;
    const { waitingClients } = this.#options;
    for (
      let name = waitingClients.takeTouched();
      name !== undefined;
      name = waitingClients.takeTouched()
    ) {
      this.#serveKey(name);
    }
    this.#isServing = false;
  }

  /** Serves clients whose keys have changed by timed work, such as expiry and eviction; true when there were any. */
  serveLate(): boolean {
    if (!this.mustServe) return false;
    this.#options.executor.readClock();
    this.#options.executor.readWallClock();
    this.serve();
    return true;
  }

  #serveKey(name: string): void {
    // Lent keys may be out of date; their return touches them again.
    if (this.#options.keyLocks.isLent(name)) return;
    for (const waiter of this.#options.waitingClients.of(name) ?? []) {
      const type = this.#typeOf(name);
      if (type !== waiter.wait.type && waiter.wait.onNoKey !== true) {
        if (type < 0 && this.#options.waitingClients.noKeyCount === 0) return;
        continue;
      }
      if (waiter.transaction === 0) this.#runAgain(waiter);
      else if (!this.#hasAnswer(waiter)) this.#options.waitingClients.retime(waiter);
      else if (this.#wake(waiter, name)) return;
    }
  }

  /** A number of ValueType, or -1. */
  #typeOf(name: string): number {
    const colon = name.indexOf(':');
    const keyspace = this.#options.store.databases[Number(name.slice(0, colon))]!;
    const key = Buffer.from(name.slice(colon + 1), 'latin1');
    const ref = keyspace.peek(key, 0, key.length);
    return ref === 0 ? -1 : keyspace.type(ref);
  }

  #runAgain(waiter: Waiter): void {
    this.#options.executor.runCommand(waiter.frame, true, waiter.wait);
  }

  /** True when the command would answer, were it run. */
  #hasAnswer({ frame, wait }: Waiter): boolean {
    return wait.ready === undefined || this.#options.executor.isReady(frame, wait.ready);
  }

  /**
   * Asks main whether it is this shard's turn, or to send the command again; true if no other waiter may have the key
   * meanwhile. One waiter is woken at a time: otherwise each push would cost a lent command for each waiter.
   */
  #wake(waiter: Waiter, name: string): boolean {
    const { sender, keyLocks } = this.#options;
    const isOffered = waiter.frame.kind === FrameKind.offer;
    if (waiter.isWoken) return !isOffered;
    waiter.isWoken = true;
    if (isOffered) keyLocks.claim(waiter.transaction, name);
    sender.sendSignal(FrameKind.wake, waiter.slot, waiter.sequence);
    return true;
  }

  // Keys on several shards.

  /** Says whether one of the command's keys is there, and holds them until the verdict. */
  offer(frame: Frame): void {
    const { keyLocks, sender, dryRuns } = this.#options;
    const slot = frame.words[frame.word + Request.connection]!;
    const sequence = frame.words[frame.word + Request.sequence]! >>> 0;
    const transaction = transactionOf(frame);
    const names = this.#ownNames(frame);
    const answer = dryRuns.runsOnEach(frame)
      ? this.#tryOwn(frame)
      : this.#lookForFirst(frame, names);
    keyLocks.hold(transaction, names);
    this.#offers.set(transaction, frame.detached());
    const timeoutMs = answer.wait?.timeoutMs ?? -1;
    const body = new Uint8Array(Float64Array.of(answer.first, timeoutMs).buffer);
    sender.send(FrameKind.offer, slot, sequence, body, answer.flags);
  }

  /** For a command that acts on the first key that is there. */
  #lookForFirst(frame: Frame, names: readonly string[]): OfferState {
    const all = this.#options.executor.keys.namesOf(frame) ?? [];
    const own = new Set(names);
    const first = all.findIndex((name) => own.has(name) && this.#typeOf(name) >= 0);
    if (first >= 0) return { first, wait: undefined, flags: ReplyFlag.ready };
    // With none of its keys here the command changes nothing: it says whether it waits.
    const { wait } = this.#options.dryRuns.tryCommand(frame);
    return { first, wait, flags: wait === undefined ? 0 : ReplyFlag.waits };
  }

  /** Dry run of a command that replies with an item for each key. */
  #tryOwn(frame: Frame): OfferState {
    const { wait, refusedAt } = this.#options.dryRuns.tryCommand(frame);
    if (refusedAt >= 0) return { first: refusedAt, wait: undefined, flags: ReplyFlag.error };
    if (wait?.isReady === true) return { first: 0, wait, flags: ReplyFlag.ready };
    const waits = wait !== undefined && wait.timeoutMs >= 0;
    return { first: -1, wait, flags: waits ? ReplyFlag.waits : 0 };
  }

  /** Applies main's decision on an offer, or on a client that was woken here. */
  verdict(frame: Frame): void {
    const { waitingClients, keyLocks, executor, dryRuns } = this.#options;
    const transaction = frame.words[frame.word + Request.sequence]! >>> 0;
    const verdict = frame.words[frame.word + Request.verdict]!;
    const offer = this.#offers.get(transaction);
    if (offer === undefined) {
      const waiter = waitingClients.ofSlot(frame.words[frame.word + Request.connection]!);
      if (waiter?.transaction === transaction) this.#end(waiter, verdict === Verdict.run);
      return;
    }
    this.#offers.delete(transaction);
    // A command that will wait runs again and finds nothing: a consumer group records the request.
    if (verdict === Verdict.run || verdict === Verdict.park) {
      this.#isParking = verdict === Verdict.park;
      executor.runCommand(offer, false);
      this.#isParking = false;
    }
    if (verdict === Verdict.items) dryRuns.runItems(offer);
    keyLocks.release(transaction);
  }

  /** Ends a wait, with or without running its command; the next waiter is checked then. */
  #end(waiter: Waiter, runs: boolean): void {
    const { waitingClients, keyLocks, executor } = this.#options;
    waitingClients.remove(waiter);
    if (runs) executor.runCommand(waiter.frame, true, waiter.wait);
    if (waiter.isWoken) for (const name of waiter.names) waitingClients.touch(name);
    if (waiter.transaction === 0) return;
    keyLocks.release(waiter.transaction, () => {
      this.serve();
    });
  }

  /** A client waits no longer. */
  unpark(frame: Frame): void {
    const { waitingClients, executor } = this.#options;
    const slot = frame.words[frame.word + Request.connection]!;
    const waiter = waitingClients.find(slot, frame.words[frame.word + Request.sequence]! >>> 0);
    if (waiter === undefined) return;
    this.#end(waiter, false);
    this.#options.sender.sendSignal(FrameKind.unpark, slot, waiter.sequence);
    const why = frame.words[frame.word + Request.unpark]!;
    if (why === Unpark.timeout) executor.answerWait(waiter.frame, undefined);
    if (why === Unpark.error) executor.answerWait(waiter.frame, errors.unblocked);
    if (why === Unpark.roleChanged) executor.answerWait(waiter.frame, errors.roleChanged);
    if (why === Unpark.reported) {
      const text = asBuffer(frame.body).toString('latin1');
      executor.answerWait(waiter.frame, new CommandError(text));
    }
  }

  /** Returns the names of the command's keys that this shard owns. */
  #ownNames(frame: Frame): readonly string[] {
    const { executor, shardIndex, shardCount } = this.#options;
    const names = executor.keys.namesOf(frame) ?? [];
    if (frame.kind === FrameKind.command || shardCount === 1) return names;
    return names.filter((name) => {
      const key = Buffer.from(name.slice(name.indexOf(':') + 1), 'latin1');
      return shardOfSlot(keySlot(key, 0, key.length), shardCount) === shardIndex;
    });
  }
}

function transactionOf(frame: Frame): number {
  return frame.words[frame.word + HostWord.transaction]! >>> 0;
}
