/** The latest snapshots, and failures of snapshots and logs, kept in memory for reports. */

import { systemErrorIn } from '#base';
import type { DiskFailureReport, SnapshotReport } from '#api-types';

/** Most snapshots, and most failures, that are kept. */
const KEPT_MAX = 20;

type FailedPart = Pick<DiskFailureReport, 'what' | 'shard'>;

export class DiskOutcomes {
  #snapshots: readonly SnapshotReport[] = [];
  #failures: readonly DiskFailureReport[] = [];

  /** Newest first. */
  get snapshots(): readonly SnapshotReport[] {
    return this.#snapshots;
  }

  /** Newest first; repetitions of one failure are one entry. */
  get failures(): readonly DiskFailureReport[] {
    return this.#failures;
  }

  saved(snapshot: SnapshotReport): void {
    this.#snapshots = [snapshot, ...this.#snapshots].slice(0, KEPT_MAX);
  }

  failed({ what, shard }: FailedPart, message: string, wallMs: number): void {
    const isSame = (each: DiskFailureReport): boolean =>
      each.what === what && each.shard === shard && each.message === message;
    const before = this.#failures.find(isSame);
    const error = systemErrorIn(message);
    const failure = {
      what,
      shard,
      message,
      code: error?.code ?? null,
      errno: error?.errno ?? null,
      count: (before?.count ?? 0) + 1,
      first_time_ms: before?.first_time_ms ?? wallMs,
      last_time_ms: wallMs,
    };
    const others = this.#failures.filter((each) => each !== before);
    this.#failures = [failure, ...others].slice(0, KEPT_MAX);
  }
}
