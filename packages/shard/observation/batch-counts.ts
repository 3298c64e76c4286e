/**
 * Commands of a batch that were run, to be counted before their replies are shown.
 *
 * Counting is the same for all of them, and each thing that is counted lies in other memory: in one loop over many
 * commands it costs half of what it does after each. What is no plain command from the ring is counted by itself.
 */

import { AT, DEFAULT_USER_ROW, type Page, TICKS_PER_US } from '#stats';
import type { Slowness } from './slowness.ts';
import type { Unsettled } from './unsettled-bands.ts';

/** Commands that are counted together at most: what is noted of them stays in the nearest cache. */
const COMMANDS_MAX = 256;

/** Numbers of a row in `times`. */
const START_US = 0;
const END_US = 1;
const TIMES = 2;

/** Numbers of a row in `facts`. */
const COMMAND = 0;
const QUEUE_US = 1;
const PLACE = 2;
const DETAIL_FIELDS = 3;

interface BatchCountsOptions {
  readonly page: Page;
  readonly slowness: Slowness;
  readonly unsettled: Unsettled;
  /** Unix milliseconds at the zero of the clock. */
  readonly unixLeadMs: () => number;
}

export class BatchCounts {
  readonly #options: BatchCountsOptions;
  readonly #page: Page;
  readonly #times = new Float64Array(COMMANDS_MAX * TIMES);
  readonly #details = new Int32Array(COMMANDS_MAX * DETAIL_FIELDS);
  #length = 0;

  constructor(options: BatchCountsOptions) {
    this.#options = options;
    this.#page = options.page;
  }

  /** True when `count` must be called before another command is noted. */
  get isFull(): boolean {
    return this.#length === COMMANDS_MAX;
  }

  /** Notes a command of the default user without an error. `place` is its frame's in the ring. */
  add(countedAs: number, startUs: number, endUs: number, queueUs: number, place: number): void {
    const nth = this.#length;
    this.#length = nth + 1;
    const [times, details] = [this.#times, this.#details];
    times[nth * TIMES + START_US] = startUs;
    times[nth * TIMES + END_US] = endUs;
    details[nth * DETAIL_FIELDS + COMMAND] = countedAs;
    details[nth * DETAIL_FIELDS + QUEUE_US] = queueUs;
    details[nth * DETAIL_FIELDS + PLACE] = place;
  }

  /** Counts what was noted. */
  count(): void {
    const length = this.#length;
    if (length === 0) return;
    this.#length = 0;
    const page = this.#page;
    const { actor } = page;
    page.actor = DEFAULT_USER_ROW;
    this.#countTimes(length);
    page.actor = actor;
    if (this.#options.slowness.noticeUs < Infinity) this.#notice(length);
  }

  #countTimes(length: number): void {
    const page = this.#page;
    const { unsettled } = this.#options;
    const [times, details] = [this.#times, this.#details];
    let allTicks = 0;
    let allQueueUs = 0;
    for (let nth = 0; nth < length; nth += 1) {
      const endUs = times[nth * TIMES + END_US]!;
      const executeUs = endUs - times[nth * TIMES + START_US]!;
      const queueUs = details[nth * DETAIL_FIELDS + QUEUE_US]!;
      const ticks = executeUs * TICKS_PER_US;
      allTicks += ticks;
      allQueueUs += queueUs;
      page.executed(details[nth * DETAIL_FIELDS + COMMAND]!, ticks);
      page.queued(queueUs * TICKS_PER_US);
      unsettled.count(queueUs + executeUs, endUs);
    }
    const { values } = page;
    values[AT.commands] = values[AT.commands]! + length;
    values[AT.queueUs] = values[AT.queueUs]! + allQueueUs;
    values[AT.executeTicks] = values[AT.executeTicks]! + allTicks;
  }

  /** Notes those that took long. */
  #notice(length: number): void {
    const { slowness, unixLeadMs } = this.#options;
    const times = this.#times;
    const slowerThanUs = slowness.slowLog.threshold;
    const leadMs = unixLeadMs();
    let logged = 0;
    let sumUs = 0;
    let mostUs = 0;
    for (let nth = 0; nth < length; nth += 1) {
      const endUs = times[nth * TIMES + END_US]!;
      const us = endUs - times[nth * TIMES + START_US]!;
      if (us >= slowness.eventUs) slowness.occurred('command', us, leadMs + endUs / 1_000);
      if (us < slowerThanUs) continue;
      logged += 1;
      sumUs += us;
      if (us > mostUs) mostUs = us;
    }
    if (logged === 0) return;
    this.#page.slow(sumUs, mostUs, logged);
    this.#log(length, logged, leadMs);
  }

  /** Logs `logged` of the commands as slow, without those that the others would write over. */
  #log(length: number, logged: number, leadMs: number): void {
    const { slowness, unsettled } = this.#options;
    const { slowLog, ring } = slowness;
    const [times, details] = [this.#times, this.#details];
    let passed = Math.max(0, logged - slowLog.lengthMax);
    if (passed > 0) slowLog.pass(passed);
    for (let nth = 0; nth < length; nth += 1) {
      const endUs = times[nth * TIMES + END_US]!;
      const us = endUs - times[nth * TIMES + START_US]!;
      if (us < slowLog.threshold) continue;
      passed -= 1;
      if (passed >= 0) continue;
      const command = ring.commandAt(details[nth * DETAIL_FIELDS + PLACE]!);
      const unixMs = leadMs + endUs / 1_000;
      const entry = slowLog.note(command, unixMs, us, details[nth * DETAIL_FIELDS + QUEUE_US]!);
      unsettled.logged(slowLog, entry, endUs);
    }
  }
}
