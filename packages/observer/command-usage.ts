/** Rates and shares of time of commands over the last seconds, from the pages of all threads. */

import { commandTable } from '#commands';
import { errorCounts, growth, type Page, TICKS_PER_US } from '#stats';
import { executingIn } from './executing.ts';
import type { Observer } from './observer.ts';

/** Interval of readings: rates are of the last one to two intervals. */
export const USAGE_MS = 5_000;

/** Fields of a command in a reading. */
const Field = { calls: 0, failed: 1, rejected: 2, shardUs: 3, runningUs: 4, mainUs: 5 } as const;
const FIELDS = 6;

interface Reading {
  readonly nowUs: number;
  /** Fields by command id. */
  readonly values: Float64Array;
  readonly errors: ReadonlyMap<string, number>;
}

/** Use of one command: totals, and growth in a period. */
interface CommandUse {
  readonly id: number;
  readonly command: string;
  readonly calls: number;
  readonly failed: number;
  readonly rejected: number;
  readonly callsPerSecond: number;
  readonly failedPerSecond: number;
  readonly rejectedPerSecond: number;
  readonly shardPercent: number;
  readonly mainPercent: number;
}

interface UsageReport {
  /** Length of the period of the rates. */
  readonly seconds: number;
  readonly commands: readonly CommandUse[];
  readonly errors: readonly {
    readonly code: string;
    readonly count: number;
    readonly perSecond: number;
  }[];
}

export class CommandUsage {
  readonly #observer: Observer;
  /** The last two readings, oldest first. */
  #readings: readonly [Reading, Reading];

  constructor(observer: Observer, nowUs: number) {
    this.#observer = observer;
    const first = this.#read(nowUs);
    this.#readings = [first, first];
  }

  /** Takes a reading; to be called every `USAGE_MS`. */
  sample(nowUs: number): void {
    this.#readings = [this.#readings[1], this.#read(nowUs)];
  }

  /** Returns the commands that were called, refused or run now, those with the largest share of time first. */
  report(nowUs: number): UsageReport {
    const [before] = this.#readings;
    const now = this.#read(nowUs);
    const seconds = Math.max((now.nowUs - before.nowUs) / 1_000_000, 1e-3);
    const commands = this.#observer.commandNames
      .map((command, id) => ({ command, id }))
      .filter(({ id }) => isUsed(now.values, id))
      .map(({ command, id }) => this.#use(command, id, { before, now, seconds }))
      .sort((a, b) => b.shardPercent - a.shardPercent || b.calls - a.calls);
    const errors = [...now.errors].map(([code, count]) => ({
      code,
      count,
      perSecond: growth(before.errors.get(code) ?? 0, count) / seconds,
    }));
    return { seconds, commands, errors: errors.sort((a, b) => b.count - a.count) };
  }

  #use(
    command: string,
    id: number,
    { before, now, seconds }: { before: Reading; now: Reading; seconds: number },
  ): CommandUse {
    const at = FIELDS * id;
    const total = (field: number): number => now.values[at + field]!;
    const grown = (field: number): number => growth(before.values[at + field]!, total(field));
    // The time of a call is counted at its end, and belongs to the periods in which it has run.
    const running = total(Field.runningUs) - before.values[at + Field.runningUs]!;
    const shardUs = seconds * 1_000_000 * this.#observer.shards.length;
    const percentOf = (us: number, allUs: number): number =>
      Math.min(100, Math.max(0, (100 * us) / allUs));
    return {
      id,
      command,
      calls: total(Field.calls),
      failed: total(Field.failed),
      rejected: total(Field.rejected),
      callsPerSecond: grown(Field.calls) / seconds,
      failedPerSecond: grown(Field.failed) / seconds,
      rejectedPerSecond: grown(Field.rejected) / seconds,
      shardPercent: percentOf(grown(Field.shardUs) + running, shardUs),
      mainPercent: percentOf(grown(Field.mainUs), seconds * 1_000_000),
    };
  }

  #read(nowUs: number): Reading {
    const { main, shards, commandNames, memory } = this.#observer;
    const values = new Float64Array(FIELDS * commandNames.length);
    for (const page of [main, ...shards]) addPage(values, page, page === main);
    for (const page of shards) {
      const executing = executingIn(page, memory, nowUs);
      const id = executing === null ? undefined : commandTable.byName(executing.command)?.countedAs;
      if (executing === null || id === undefined) continue;
      const at = FIELDS * id + Field.runningUs;
      values[at] = values[at]! + executing.elapsedUs;
    }
    return { nowUs, values, errors: new Map(errorCounts([main, ...shards])) };
  }
}

function addPage(values: Float64Array, page: Page, isMain: boolean): void {
  const count = values.length / FIELDS;
  for (let id = 0; id < count; id += 1) {
    const at = FIELDS * id;
    values[at + Field.calls]! += page.command(id, 'calls');
    values[at + Field.failed]! += page.command(id, 'failed');
    values[at + Field.rejected]! += page.command(id, 'rejected');
    // Main counts gathered commands with the time of their slowest shard.
    const isOnMain = isMain && commandTable.entries[id]?.command.route === 'onMain';
    const field = isOnMain ? Field.mainUs : Field.shardUs;
    values[at + field]! += page.command(id, 'ticks') / TICKS_PER_US;
  }
}

function isUsed(values: Float64Array, id: number): boolean {
  const at = FIELDS * id;
  return [Field.calls, Field.failed, Field.rejected, Field.runningUs].some(
    (field) => values[at + field]! > 0,
  );
}
