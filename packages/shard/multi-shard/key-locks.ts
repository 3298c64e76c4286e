/**
 * Key locks: the keys that a shard must not touch for now, and the frames that wait for them. Every key in use has a
 * queue of tickets, in the order of the ring; the first ticket has the key. A frame runs when its ticket is the first
 * of all its keys, so frames on other keys continue. A frame that concerns all keys is a barrier: it waits for
 * everything before it, and everything after it waits for it. Since all shards receive transactions in one order,
 * tickets never form a cycle. Each frame is checked a fixed number of times, regardless of the number of waiting
 * frames.
 */

import { assert, ChurnMap } from '#base';
import type { Frame } from '../frames/frame.ts';

/** A claim on keys: of a frame that waits, or of a transaction under way. */
interface Ticket {
  frame: Frame | undefined;
  /** Each once. */
  keys: readonly string[];
  /** True if the keys stay unchanged in place: frames that only read all keys need not wait. */
  leavesInPlace: boolean;
  /** Keys of which another ticket is the first. */
  missing: number;
}

/** A frame after a barrier, or the barrier itself, whose keys are null. */
interface Behind {
  readonly frame: Frame;
  readonly keys: readonly string[] | null;
}

export class KeyLocks {
  readonly #queues = new ChurnMap<string, Fifo<Ticket>>();
  readonly #byTransaction = new ChurnMap<number, Ticket>();
  readonly #runnable = new Fifo<Ticket>();
  readonly #behind = new Fifo<Behind>();
  readonly #run: (frame: Frame) => void;
  #tickets = 0;
  /** Number of tickets that leave their keys in place. */
  #inPlace = 0;
  #isSettling = false;
  /** Ticket that `settle` is running, and the keys that it has waited for. */
  #running: Ticket | undefined;
  #runningKeys: Iterable<string> | undefined;
  #isStopped = false;

  /** `run` processes a frame once it has its keys. */
  constructor(run: (frame: Frame) => void) {
    this.#run = run;
  }

  /** False nearly always: then no frame need be looked at. */
  get isActive(): boolean {
    return this.#tickets > 0 || this.#isStopped || !this.#behind.isEmpty;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** From now on only frames that pass the barrier may run. */
  stop(): void {
    assert(this.#tickets === 0, 'a shard stops when nothing is under way');
    this.stopNewcomers();
  }

  /** Stops new frames for a running script: those that have started continue. */
  stopNewcomers(): void {
    assert(!this.#isStopped, 'a shard stops once');
    this.#isStopped = true;
  }

  /** True while transactions have keys, or frames wait for them. */
  get isUnderWay(): boolean {
    return this.#tickets > 0;
  }

  resume(): void {
    assert(this.#isStopped, 'a shard that resumes was stopped');
    this.#isStopped = false;
    this.#settle();
  }

  /** True when a frame that only looks at all keys sees them as they are. */
  get areAllInPlace(): boolean {
    return !this.#isStopped && this.#behind.isEmpty && this.#tickets === this.#inPlace;
  }

  /**
   * True when a frame on these keys may run now; else it is put aside. `null` stands for all keys. A frame that
   * passes the barrier waits for keys that its own transaction lends, and for nothing else.
   */
  admits(frame: Frame, keys: readonly string[] | null, passes = false): boolean {
    if (passes) {
      if (keys === null ? this.#tickets === 0 : this.#hasFree(keys)) return true;
      this.#queue(frame.detached(), keys ?? [...this.#queues.keys()]);
      return false;
    }
    if (this.#isStopped || !this.#behind.isEmpty || (keys === null && this.#tickets > 0)) {
      this.#behind.push({ frame: frame.detached(), keys });
      return false;
    }
    if (keys === null || this.#hasFree(keys)) return true;
    this.#queue(frame.detached(), keys);
    return false;
  }

  /**
   * Keeps keys for a transaction whose frame is being run; a second frame of it may keep more. `leavesInPlace`: they are
   * neither taken away nor changed until `changes` says so.
   */
  hold(transaction: number, keys: Iterable<string>, leavesInPlace = false): void {
    const before = this.#byTransaction.get(transaction);
    const ticket: Ticket = before ?? {
      frame: undefined,
      keys: [],
      leavesInPlace,
      missing: 0,
    };
    this.#byTransaction.set(transaction, ticket);
    if (before === undefined) this.#count(ticket, 1);
    const known = ticket.keys;
    ticket.keys = eachOnce(known.length === 0 ? keys : [...known, ...keys]);
    // A set keeps the order of its first insertions.
    for (const key of known.length === 0 ? ticket.keys : ticket.keys.slice(known.length)) {
      const queue = this.#queues.get(key);
      // The first of a queue is the frame being run: its place goes over to the transaction.
      if (queue === undefined) this.#queues.set(key, new Fifo(ticket));
      else queue.replaceFirst(ticket);
    }
  }

  /** A transaction that has left its keys in place begins to change them. */
  changes(transaction: number): void {
    const ticket = this.#byTransaction.get(transaction);
    if (ticket?.leavesInPlace !== true) return;
    this.#inPlace -= 1;
    ticket.leavesInPlace = false;
  }

  /** Holds all keys of the current frame: those that it waited for, or those that `names` returns. */
  holdAll(transaction: number, names: () => readonly string[]): void {
    this.hold(transaction, this.#runningKeys ?? names());
  }

  /** True when a transaction has the key now. */
  isLent(key: string): boolean {
    const ticket = this.#queues.get(key)?.peek();
    return ticket !== undefined && ticket.frame === undefined;
  }

  /** True when a key is held by anything but the frame that is being run. */
  isKept(key: string): boolean {
    const first = this.#queues.get(key)?.peek();
    return first !== undefined && first !== this.#running;
  }

  /** Returns the names of the keys that a transaction has. */
  namesOf(transaction: number): Iterable<string> {
    return this.#byTransaction.get(transaction)?.keys ?? [];
  }

  /** Keeps a key that no transaction has for one, before all that waits for the key. */
  claim(transaction: number, key: string): void {
    const ticket: Ticket = { frame: undefined, keys: [key], leavesInPlace: false, missing: 0 };
    this.#byTransaction.set(transaction, ticket);
    this.#count(ticket, 1);
    const queue = this.#queues.get(key);
    const first = queue?.peek();
    if (queue === undefined) {
      this.#queues.set(key, new Fifo(ticket));
    } else if (first === this.#running) {
      queue.replaceFirst(ticket);
    } else {
      if (first !== undefined) first.missing += 1;
      queue.unshift(ticket);
    }
  }

  /** Releases the keys of a transaction, calls `act`, and runs the frames that waited only for these keys. */
  release(transaction: number, act?: () => void): void {
    const ticket = this.#byTransaction.get(transaction);
    if (ticket === undefined) {
      act?.();
      return;
    }
    this.#byTransaction.delete(transaction);
    this.#leave(ticket);
    act?.();
    this.#settle();
  }

  /** Runs a frame for which a hold has kept all of its keys, and ends the hold. */
  runHeld(transaction: number, frame: Frame): void {
    const ticket = this.#byTransaction.get(transaction);
    assert(ticket !== undefined, 'a hold exists');
    this.#byTransaction.delete(transaction);
    // Replaces the frame in the queues: frames that wait for its keys see its changes.
    ticket.frame = frame;
    const [running, keys] = [this.#running, this.#runningKeys];
    this.#running = ticket;
    this.#runWaited(frame, ticket.keys);
    this.#running = running;
    this.#runningKeys = keys;
    this.#leave(ticket);
    this.#settle();
  }

  #hasFree(keys: readonly string[]): boolean {
    return !keys.some((key) => this.#queues.has(key));
  }

  /** Puts the frame at the end of its keys' queues. */
  #queue(frame: Frame, keys: readonly string[]): void {
    const ticket: Ticket = { frame, keys: eachOnce(keys), leavesInPlace: false, missing: 0 };
    this.#count(ticket, 1);
    for (const key of ticket.keys) {
      const queue = this.#queues.get(key);
      if (queue === undefined) {
        this.#queues.set(key, new Fifo(ticket));
      } else {
        queue.push(ticket);
        ticket.missing += 1;
      }
    }
  }

  #count({ leavesInPlace }: Ticket, by: 1 | -1): void {
    this.#tickets += by;
    if (leavesInPlace) this.#inPlace += by;
  }

  #leave(ticket: Ticket): void {
    this.#count(ticket, -1);
    for (const key of ticket.keys) {
      const queue = this.#queues.get(key);
      // A transaction that the frame began has taken its place.
      if (queue?.peek() !== ticket) continue;
      queue.shift();
      const next = queue.peek();
      if (next === undefined) {
        this.#queues.delete(key);
        continue;
      }
      next.missing -= 1;
      if (next.missing === 0) this.#runnable.push(next);
    }
  }

  /** Runs what can run. What runs may end other transactions: that is noticed here, not deeper down. */
  #settle(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    while (this.#runNext() || this.#passBarrier());
    this.#isSettling = false;
  }

  #runNext(): boolean {
    const ticket = this.#runnable.shift();
    if (ticket?.frame === undefined) return false;
    // A claim has come before it meanwhile.
    if (ticket.missing > 0) return true;
    this.#running = ticket;
    this.#runWaited(ticket.frame, ticket.keys);
    this.#running = undefined;
    this.#leave(ticket);
    return true;
  }

  /** Takes one frame after a barrier; false while a barrier has to wait. */
  #passBarrier(): boolean {
    const next = this.#behind.peek();
    if (next === undefined || this.#isStopped) return false;
    if (next.keys === null && this.#tickets > 0) return false;
    this.#behind.shift();
    if (next.keys === null || this.#hasFree(next.keys)) this.#runWaited(next.frame, next.keys);
    else this.#queue(next.frame, next.keys);
    return true;
  }

  #runWaited(frame: Frame, keys: readonly string[] | null): void {
    this.#runningKeys = keys ?? undefined;
    this.#run(frame);
    this.#runningKeys = undefined;
  }
}

function eachOnce(keys: Iterable<string>): readonly string[] {
  const list: readonly string[] = [...keys];
  return list.length < 2 ? list : [...new Set(list)];
}

/** Queue with constant cost at both ends. */
class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  constructor(...items: Item[]) {
    this.#items = items;
  }

  get isEmpty(): boolean {
    return this.#first === this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[this.#first];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  unshift(item: Item): void {
    if (this.#first > 0) {
      this.#first -= 1;
      this.#items[this.#first] = item;
    } else {
      this.#items.unshift(item);
    }
  }

  replaceFirst(item: Item): void {
    assert(!this.isEmpty, 'a queue of tickets is not empty');
    this.#items[this.#first] = item;
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#items[this.#first] = undefined;
    this.#first += 1;
    if (this.isEmpty) {
      this.#items = [];
      this.#first = 0;
    }
    return item;
  }
}
