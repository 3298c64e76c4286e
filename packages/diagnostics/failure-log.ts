/** Failures in the log that may come in storms: the first at once, then a line per interval, and none is left out. */

import type { LogFields } from '#base';

/** Minimum interval of log lines about failures by default, in milliseconds. */
const INTERVAL_MS = 1_000;

export class FailureLog {
  readonly #report: (fields: LogFields) => void;
  readonly #intervalMs: number;
  /** Number of failures that were not logged yet. */
  #count = 0;
  /** The last failure. */
  #last: LogFields = {};
  #reportedMs = -Infinity;

  /** `report` writes a line, given the number of failures since the last line and the fields of the last failure. */
  constructor(report: (fields: LogFields) => void, intervalMs = INTERVAL_MS) {
    this.#report = report;
    this.#intervalMs = intervalMs;
  }

  add(failure: LogFields, nowMs: number): void {
    this.#count += 1;
    this.#last = failure;
    this.tick(nowMs);
  }

  /** Logs failures that were not logged yet, unless there was a line within the interval. Called periodically. */
  tick(nowMs: number): void {
    if (this.#count === 0 || Math.abs(nowMs - this.#reportedMs) < this.#intervalMs) return;
    this.#report({ count: this.#count, ...this.#last });
    this.#reportedMs = nowMs;
    this.#count = 0;
  }
}
