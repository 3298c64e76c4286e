/** A shard's share of snapshots: all its keys as they are at one place of the order, sent piece by piece. */

import type { LibraryDetails } from '#commands';
import { AT, type Page } from '#stats';
import { LIBRARIES_PIECE, rdb, SNAPSHOT_STEP_KEYS, SnapshotIterator, type Store } from '#store';
import type { Journal } from '../log/journal.ts';
import type { ShardSlices } from '../modules/shard-module.ts';
import { FullSync, type SyncOrder } from './full-sync.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import { PIECES_AHEAD_MAX, type SnapshotOutlet } from './snapshot-pieces.ts';

/** Most microseconds of one slice: as much as a batch of commands takes. */
const SLICE_US = 300;
/** Pause between two slices, in microseconds, so that main and clients on the same machine get a core in time. */
const REST_US = 300;
/**
 * Pause between slices of a full sync, in microseconds: a replica waits for it, so it is no longer than waking other
 * threads takes.
 */
const SYNC_REST_US = 50;
/** A walk that waits for the disk, or for room at main, looks again after this time. */
const POLL_MS = 0.3;

/** So much of a delay is made up for that was longer than wanted. */
const LATE_US_MAX = 2_000;

interface SnapshotsOptions {
  readonly shardCount: number;
  readonly store: Store;
  readonly journal: Journal | undefined;
  readonly outlet: SnapshotOutlet | undefined;
  readonly sender: ReplySender;
  readonly page: Page;
  readonly nowUs: () => number;
}

export class Snapshots implements ShardSlices {
  readonly freeze: SnapshotIterator;
  readonly #options: SnapshotsOptions;
  #number = 0;
  #restUntilUs = 0;
  /** Microseconds that a key takes longer. */
  #keyDelayUs = 0;
  /** Keys written for the last move of slots to another node. */
  movedKeys = 0;
  /** Running full sync; undefined during a snapshot, and when idle. */
  #sync: FullSync | undefined;

  constructor(options: SnapshotsOptions) {
    this.#options = options;
    this.freeze = new SnapshotIterator(options.store);
  }

  /**
   * Delays each key by `us` microseconds; a negative number is the number of keys for each microsecond. All shards
   * write at the same time, so the delay of a key is multiplied by the number of shards.
   */
  delayKeys(us: number): void {
    const { shardCount } = this.#options;
    const keyDelayUs = (us < 0 ? -1 / us : us) * shardCount;
    if (keyDelayUs === this.#keyDelayUs) return;
    this.#keyDelayUs = keyDelayUs;
    this.#restUntilUs = 0;
    const keysPerRest = keyDelayUs > 0 ? Math.ceil(REST_US / keyDelayUs) : SNAPSHOT_STEP_KEYS;
    this.freeze.stepKeys = Math.min(keysPerRest, SNAPSHOT_STEP_KEYS);
  }

  get isActive(): boolean {
    return this.freeze.isActive || this.#sync !== undefined;
  }

  /**
   * Freezes all keys and sends the libraries; the log continues in a new segment, or starts here if there was none
   * before.
   */
  begin(number: number, libraries: readonly LibraryDetails[]): void {
    const { journal, outlet } = this.#options;
    this.#endBefore();
    if (journal?.isOn === false) journal.begin();
    else journal?.cut(number);
    this.#number = number;
    if (libraries.length > 0) {
      const codes = libraries.map(({ code }) => Buffer.from(code, 'latin1'));
      outlet?.send(number, rdb.dumpFunctions(codes), LIBRARIES_PIECE, false);
    }
    this.freeze.begin(
      (states, count, isGiven) => outlet?.send(number, states, count, isGiven),
      () => outlet?.fail(number),
    );
  }

  /** Keeps all keys as they are now, and sends them to main in the form of Redis' snapshots. */
  beginSync(order: SyncOrder, libraries: readonly LibraryDetails[]): void {
    this.#endBefore();
    if (order.slots !== null) this.movedKeys = 0;
    this.#sync = new FullSync(order, this.freeze, this.#options.sender, () => {
      this.movedKeys += 1;
    });
    this.#sync.begin(libraries.map(({ code }) => Buffer.from(code, 'latin1')));
  }

  /** Grants the sync `byteCount` more bytes. */
  grant(number: number, byteCount: number): void {
    if (this.#sync?.number === number) this.#sync.grant(byteCount);
  }

  /** Abandons the rest of a full sync. */
  abandonSync(number: number): void {
    if (this.#sync?.number === number) this.#sync.abandon();
  }

  /** Ends a snapshot that failed before; the rest of it is dropped. */
  #endBefore(): void {
    this.#sync = undefined;
    if (!this.freeze.isActive) return;
    this.freeze.abandon();
    while (!this.freeze.slice(this.#options.nowUs, Infinity));
  }

  /** Switches persistence off. */
  leaveLog(): void {
    const { journal, outlet } = this.#options;
    // The walk continues on its own.
    if (this.#sync === undefined) this.freeze.abandon();
    if (journal?.isOn !== true) return;
    journal.leave();
    outlet?.leaveLog();
  }

  /** Performs a slice of work; false if nothing could be done. */
  slice(): boolean {
    const { outlet, nowUs, page } = this.#options;
    if (this.#sync !== undefined) return this.#sliceSync(this.#sync);
    // The walk rests until the disk has caught up.
    if (outlet !== undefined && outlet.ahead >= PIECES_AHEAD_MAX) return false;
    const startUs = nowUs();
    if (startUs < this.#restUntilUs) return false;
    const { walkedKeys } = this.freeze;
    const isThrough = this.freeze.slice(nowUs, this.#sliceUs);
    const endUs = nowUs();
    this.#rest(endUs, walkedKeys);
    page.add('snapshotUs', endUs - startUs);
    page.values[AT.snapshotPreservedBytes] = this.freeze.preservedBytes;
    if (!isThrough) return !this.freeze.isWaiting;
    if (!this.freeze.isWhole) return false;
    outlet?.send(this.#number, new Uint8Array(0), 0, false);
    return false;
  }

  /** For how many milliseconds there is nothing to do. */
  dueInMs(nowUs: number): number {
    const restUs = this.#restUntilUs - nowUs;
    return restUs > 0 ? Math.min(restUs / 1_000, POLL_MS) : POLL_MS;
  }

  #sliceSync(sync: FullSync): boolean {
    const { nowUs, page } = this.#options;
    const startUs = nowUs();
    if (startUs < this.#restUntilUs) return false;
    const { walkedKeys } = this.freeze;
    const isBusy = sync.slice(nowUs, this.#sliceUs);
    const endUs = nowUs();
    if (isBusy) this.#rest(endUs, walkedKeys);
    page.add('snapshotUs', endUs - startUs);
    if (sync.hasEnded) this.#sync = undefined;
    return isBusy;
  }

  get #isDelayed(): boolean {
    return this.#keyDelayUs > 0 && this.freeze.isActive && this.freeze.isWhole;
  }

  get #sliceUs(): number {
    return this.#isDelayed && this.freeze.stepKeys < SNAPSHOT_STEP_KEYS ? 0 : SLICE_US;
  }

  /** Pauses after a slice; `before` is the number of keys written before it. */
  #rest(endUs: number, before: number): void {
    if (!this.#isDelayed) {
      this.#restUntilUs = endUs + (this.#sync === undefined ? REST_US : SYNC_REST_US);
      return;
    }
    const delayUs = (this.freeze.walkedKeys - before) * this.#keyDelayUs;
    const fromUs = Math.max(this.#restUntilUs, endUs - LATE_US_MAX);
    this.#restUntilUs = fromUs + Math.max(delayUs, REST_US);
  }
}
