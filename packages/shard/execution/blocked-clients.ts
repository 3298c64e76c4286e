/**
 * Clients that wait for keys of this shard, in the order in which they came.
 *
 * A waiter is known by main's slot of its client, who waits for one command at a time.
 */

import type { Wait } from '#commands';
import type { Frame } from '../frames/frame.ts';

export interface Waiter {
  readonly slot: number;
  readonly sequence: number;
  /** The command, in its own memory, to be run again. */
  readonly frame: Frame;
  /** Names of the keys of this shard that it waits for. */
  readonly names: readonly string[];
  readonly wait: Wait;
  /** The transaction that it has with other shards; 0 when all its keys are here. */
  readonly transaction: number;
  /** True when main was notified that its key exists. */
  isWoken: boolean;
}

/** A waiter whose time has come and who was not served, by a barrier say, is looked at again after this time. */
const LATE_MS = 20;

export class WaitingClients {
  readonly #byKey = new Map<string, Set<Waiter>>();
  readonly #bySlot = new Map<number, Waiter>();
  /** Number of waiters, by key, that also wait for the deletion of the key. */
  readonly #noKeyWaiters = new Map<string, number>();
  /** Keys that have changed, in that order, and that somebody waits for. */
  readonly #touched = new Set<string>();
  /** Waiters that time may serve, and the Unix millisecond at which to look at the first of them. */
  readonly #timed = new Set<Waiter>();
  #dueMs = Infinity;

  /** False nearly always: then no change need be looked at. */
  get isActive(): boolean {
    return this.#byKey.size > 0;
  }

  get hasTouched(): boolean {
    return this.#touched.size > 0;
  }

  /** Number of keys with blocked clients, and of those whose deletion ends a wait. */
  get keyCount(): number {
    return this.#byKey.size;
  }

  get noKeyCount(): number {
    return this.#noKeyWaiters.size;
  }

  find(slot: number, sequence: number): Waiter | undefined {
    const waiter = this.#bySlot.get(slot);
    return waiter?.sequence === sequence ? waiter : undefined;
  }

  ofSlot(slot: number): Waiter | undefined {
    return this.#bySlot.get(slot);
  }

  /** Returns those who wait for a key; the set may change while it is walked. */
  of(name: string): ReadonlySet<Waiter> | undefined {
    return this.#byKey.get(name);
  }

  add(waiter: Waiter): void {
    this.#bySlot.set(waiter.slot, waiter);
    if (waiter.wait.dueMs !== undefined) {
      this.#timed.add(waiter);
      this.#dueMs = Math.min(this.#dueMs, waiter.wait.dueMs);
    }
    for (const name of waiter.names) {
      const waitingClients = this.#byKey.get(name);
      if (waitingClients === undefined) this.#byKey.set(name, new Set([waiter]));
      else waitingClients.add(waiter);
      if (waiter.wait.onNoKey === true) this.#countNoKey(name, 1);
    }
  }

  remove(waiter: Waiter): void {
    if (this.#bySlot.get(waiter.slot) === waiter) this.#bySlot.delete(waiter.slot);
    if (this.#timed.delete(waiter) && this.#timed.size === 0) this.#dueMs = Infinity;
    for (const name of waiter.names) {
      const waitingClients = this.#byKey.get(name);
      waitingClients?.delete(waiter);
      if (waitingClients?.size === 0) this.#byKey.delete(name);
      if (waiter.wait.onNoKey === true) this.#countNoKey(name, -1);
    }
  }

  #countNoKey(name: string, change: number): void {
    const count = (this.#noKeyWaiters.get(name) ?? 0) + change;
    if (count > 0) this.#noKeyWaiters.set(name, count);
    else this.#noKeyWaiters.delete(name);
  }

  /** Unix millisecond at which `touchDue` is to be called; infinite if no time serves anybody. */
  get dueMs(): number {
    return this.#dueMs;
  }

  /** Touches the keys of waiters whose time has come. */
  touchDue(nowMs: number): void {
    if (nowMs < this.#dueMs) return;
    let next = Infinity;
    for (const { wait, names } of this.#timed) {
      const dueMs = wait.dueMs ?? Infinity;
      if (dueMs <= nowMs) for (const name of names) this.touch(name);
      next = Math.min(next, Math.max(dueMs, nowMs + LATE_MS));
    }
    this.#dueMs = next;
  }

  /** The time of a waiter who was not served may be another now. */
  retime({ wait }: Waiter): void {
    if (wait.dueMs !== undefined) this.#dueMs = Math.min(this.#dueMs, wait.dueMs);
  }

  /** A key has changed. */
  touch(name: string): void {
    if (this.#byKey.has(name)) this.#touched.add(name);
  }

  /** All keys of a database (of all: -1) may have changed. */
  touchDatabase(database: number): void {
    const prefix = `${String(database)}:`;
    for (const name of this.#byKey.keys()) {
      if (database < 0 || name.startsWith(prefix)) this.#touched.add(name);
    }
  }

  /** The key that changed first. */
  takeTouched(): string | undefined {
    for (const name of this.#touched) {
      this.#touched.delete(name);
      return name;
    }
    return undefined;
  }
}
