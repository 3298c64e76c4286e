/** Failures in the log that may come in storms: the first at once, then a line a second, and none is left out. */

import type { LogFields } from '#base';

/** Minimum interval of log lines about failures, in milliseconds. */
const INTERVAL_MS = 1_000;

export class FailureLog {
  readonly #report: (fields: LogFields) => void;
  /** Number of failures that were not logged yet. */
  #count = 0;
  /** The last failure. */
  #last: LogFields = {};
  #reportedMs = -Infinity;

  /** `tell` writes a line: how many failures there were since the last one, and the last of them. */
  constructor(report: (fields: LogFields) => void) {
    this.#report = report;
  }

  add(failure: LogFields, nowMs: number): void {
    this.#count += 1;
    this.#last = failure;
    this.tick(nowMs);
  }

  /** Logs failures that were not logged yet, unless there was a line within the last second. Called periodically. */
  tick(nowMs: number): void {
    if (this.#count === 0 || Math.abs(nowMs - this.#reportedMs) < INTERVAL_MS) return;
    this.#report({ count: this.#count, ...this.#last });
    this.#reportedMs = nowMs;
    this.#count = 0;
  }
}
