/** Acknowledgements of replicas, and who waits for them. */

import type { Replica } from './replica.ts';
import type { Stamps } from '../stamps.ts';
import type { AckWaiter, PrimaryOptions } from './primary-options.ts';

export class Acknowledgements {
  readonly #replicas: ReadonlySet<Replica>;
  readonly #options: Pick<PrimaryOptions, 'nowMs' | 'wake'>;
  readonly #stamps: Pick<Stamps, 'acknowledged'>;
  readonly #waiters = new Set<AckWaiter>();
  #isAsked = false;
  /** True when replicas are to be asked even while units of shards wait for others'. */
  #isAskedNow = false;
  /** Highest offset that a replica has acknowledged, since this server has been a primary; -1 where none has. */
  highest = -1;

  constructor(
    replicas: ReadonlySet<Replica>,
    options: Pick<PrimaryOptions, 'nowMs' | 'wake'>,
    stamps: Pick<Stamps, 'acknowledged'>,
  ) {
    this.#replicas = replicas;
    this.#options = options;
    this.#stamps = stamps;
  }

  /** Records the offset that a replica has acknowledged, and the one that it has on disk. */
  take(replica: Replica, offset: number, diskOffset: number): void {
    replica.ack.offset = Math.max(replica.ack.offset, offset);
    if (replica.slotLink === undefined) this.highest = Math.max(this.highest, offset);
    replica.ack.diskOffset = Math.max(replica.ack.diskOffset, diskOffset);
    replica.ack.ms = this.#options.nowMs();
    this.#stamps.acknowledged(replica.ack.stampLag, replica.ack.offset, replica.ack.ms);
    if (replica.ack.isAwaited && replica.state === 'online') {
      replica.ack.isAwaited = false;
      this.#options.wake();
    }
    this.look();
  }

  /** Replicas that have acknowledged an offset; `onDisk` there. */
  of(offset: number, onDisk = false): number {
    let count = 0;
    for (const replica of this.#replicas) {
      if (replica.state !== 'online' || replica.slotLink !== undefined) continue;
      if ((onDisk ? replica.ack.diskOffset : replica.ack.offset) >= offset) count += 1;
    }
    return count;
  }

  /** True while a replica that follows the stream has not acknowledged all of it, and would if it were asked to. */
  lack(offset: number): boolean {
    for (const { isStreaming, isOld, ack, slotLink } of this.#replicas) {
      if (isStreaming && !isOld && slotLink === undefined && ack.offset < offset) return true;
    }
    return false;
  }

  /**
   * Requests acknowledgements of replicas, which otherwise come only once a second. `isNow` if the writes in question
   * are in the stream; otherwise replicas are asked once all are.
   */
  ask(isNow = false): void {
    this.#isAsked = true;
    this.#isAskedNow ||= isNow;
    this.#options.wake();
  }

  /** True once after replicas are to be asked; `isSettled` while no unit of shards waits for others'. */
  takeAsked(isSettled: boolean): boolean {
    if (!this.#isAsked || !(isSettled || this.#isAskedNow)) return false;
    this.#isAsked = false;
    this.#isAskedNow = false;
    return true;
  }

  /** Adds a waiter for acknowledgements, which are requested from the replicas. */
  await(waiter: AckWaiter): void {
    this.#waiters.add(waiter);
    this.ask();
  }

  forget(waiter: AckWaiter): void {
    this.#waiters.delete(waiter);
  }

  /** Has all who wait look again. */
  look(): void {
    if (this.#waiters.size > 0) for (const waiter of [...this.#waiters]) waiter.look();
  }
}
