/**
 * Time of commands: the wall clock, read once for a batch and advanced by the monotonic clock; it is frozen within a
 * transaction.
 */

import type { Clock } from '#base';
import type { CommandTime } from './command-time.ts';

interface CommandClockOptions {
  readonly clock: Clock;
  /** Time of the current command. */
  readonly time: CommandTime;
  /** True while the shard is stopped for one transaction or script, whose commands come one by one. */
  isStopped(): boolean;
}

export class CommandClock {
  readonly #options: CommandClockOptions;
  #wallMs = 0;
  #readUs = 0;
  /** True if the wall clock was read while time was frozen. */
  #isBehind = false;
  /** True while a transaction is run: no key expires between two of its commands. */
  isHeld = false;

  constructor(options: CommandClockOptions) {
    this.#options = options;
  }

  /** Reads the wall clock, at these monotonic microseconds. */
  read(nowUs: number): void {
    this.#wallMs = this.#options.clock.wallMs();
    this.#readUs = nowUs;
    this.#isBehind = this.#isStill;
    const { time } = this.#options;
    if (!this.#isBehind || time.mayBeHeld) time.set(this.#wallMs);
  }

  /** Moves the time on to these monotonic microseconds. */
  advance(nowUs: number): void {
    const { time } = this.#options;
    const sinceMs = (nowUs - this.#readUs) / 1_000;
    // A script of another shard has its own time, which is used here as well.
    if (!time.mayBeHeld) {
      if ((sinceMs < 1 && !this.#isBehind) || this.#isStill) return;
      this.#isBehind = false;
    }
    time.set(this.#wallMs + Math.floor(sinceMs));
  }

  get #isStill(): boolean {
    return this.isHeld || this.#options.isStopped();
  }

  /** Unix milliseconds at which the monotonic clock was 0. */
  get beginMs(): number {
    return this.#wallMs - this.#readUs / 1_000;
  }
}
