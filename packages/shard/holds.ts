/**
 * Which keys a shard must leave alone for now, and the frames that wait for them.
 *
 * A frame that conflicts with a hold is put aside with its own keys held too, so that no later frame
 * overtakes it; frames on other keys go on. Since all shards meet transactions in one order, holds
 * never form a cycle.
 */

import type { Frame } from './frame.ts';

export class Holds {
  /** Keys held by transactions, with how many hold each. */
  readonly #held = new Map<string, number>();
  readonly #byTransaction = new Map<number, readonly string[]>();
  /** Keys of frames put aside. */
  readonly #awaited = new Set<string>();
  /** A frame that concerns all keys was put aside: everything behind it waits. */
  #barrier = false;
  #waiting: Frame[] = [];

  /** False nearly always: then no frame need be looked at. */
  isActive = false;

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Whether a frame on these keys must wait. `null` stands for all keys. */
  conflicts(keys: readonly string[] | null): boolean {
    if (this.#barrier) return true;
    if (keys === null) return this.isActive;
    return keys.some((key) => this.#held.has(key) || this.#awaited.has(key));
  }

  /** Puts a frame aside until the holds change. */
  putAside(frame: Frame, keys: readonly string[] | null): void {
    this.#waiting.push(frame);
    if (keys === null) this.#barrier = true;
    else for (const key of keys) this.#awaited.add(key);
    this.isActive = true;
  }

  hold(transaction: number, keys: readonly string[]): void {
    this.#byTransaction.set(transaction, keys);
    for (const key of keys) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
    this.isActive = true;
  }

  /** Ends a transaction's holds, and gives back every frame put aside, in order, to be tried again. */
  release(transaction: number): readonly Frame[] {
    for (const key of this.#byTransaction.get(transaction) ?? []) {
      const count = this.#held.get(key) ?? 1;
      if (count > 1) this.#held.set(key, count - 1);
      else this.#held.delete(key);
    }
    this.#byTransaction.delete(transaction);
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#awaited.clear();
    this.#barrier = false;
    this.isActive = this.#held.size > 0;
    return waiting;
  }
}
