/** Readings of everything that facts are made of, half a second apart, and differences over a window of them. */

import {
  type Counts,
  growth,
  HISTOGRAM_BUCKETS,
  type LogFigure,
  percentileUs,
  type Page,
  sumExecutions,
} from '#stats';
import type { Observer } from './observer.ts';
import { SampleSlice } from './execution-sampler.ts';
import type { MachineReading } from './machine-reader.ts';
import type { ThreadTimes } from './thread-times.ts';

type Counter = Parameters<Page['get']>[0];

/** Readings kept: eleven of them span five seconds. */
const READINGS_MAX = 11;

const COUNTERS = [
  ...['commands', 'gcMinorUs', 'gcMajorUs', 'gcIncrementalUs', 'gcWeakUs', 'gcUsMax'],
  ...['oomRejections', 'evicted', 'hits', 'misses', 'tierFetches', 'barriers', 'barrierUs'],
] as const satisfies readonly Counter[];

const FIGURES = ['syncs', 'syncUs'] as const satisfies readonly LogFigure[];

type Read = (typeof COUNTERS)[number];

interface Reading {
  readonly atUs: number;
  readonly times: ReadonlyMap<string, ThreadTimes>;
  readonly machine: MachineReading;
  /** Counters of each thread, in the order of COUNTERS. */
  readonly counters: ReadonlyMap<string, Float64Array>;
  /** Calls and ticks of each command, by shard. */
  readonly commands: readonly Float64Array[];
  /** Times of requests in the queue, and of executions, by shard. */
  readonly queues: readonly Float64Array[];
  readonly executions: readonly Counts[];
  readonly logs: readonly Float64Array[];
  /** Samples since the reading before. */
  readonly samples: readonly SampleSlice[];
}

interface ReadParts {
  readonly atUs: number;
  readonly times: ReadonlyMap<string, ThreadTimes>;
  readonly machine: MachineReading;
  readonly samples: readonly SampleSlice[];
}

/** Reads the pages. */
export function readingOf({ threads, shards, logs, shape }: Observer, parts: ReadParts): Reading {
  return {
    ...parts,
    counters: new Map(
      threads.map(([name, page]) => [name, Float64Array.from(COUNTERS, (each) => page.get(each))]),
    ),
    commands: shards.map((page) => {
      const rows = new Float64Array(2 * shape.commands);
      for (let id = 0; id < shape.commands; id += 1) {
        rows[2 * id] = page.command(id, 'calls');
        rows[2 * id + 1] = page.command(id, 'ticks');
      }
      return rows;
    }),
    queues: shards.map((page) => page.queueHistogram.slice()),
    executions: shards.map((page) =>
      sumExecutions(page, shape.commands, new Float64Array(HISTOGRAM_BUCKETS)),
    ),
    logs: logs.map((log) => Float64Array.from(FIGURES, (figure) => log.get(figure))),
  };
}

/** Requests of a window in one phase. */
interface PhaseTimes {
  readonly requests: number;
  readonly p99Us: number;
}

export class Window {
  readonly #readings: Reading[] = [];
  readonly #differenceScratch = new Float64Array(HISTOGRAM_BUCKETS);

  add(reading: Reading): void {
    this.#readings.push(reading);
    if (this.#readings.length > READINGS_MAX) this.#readings.shift();
  }

  get first(): Reading {
    return this.#readings[0]!;
  }

  get last(): Reading {
    return this.#readings.at(-1)!;
  }

  /** True when there is a difference. */
  get isWhole(): boolean {
    return this.#readings.length > 1;
  }

  get us(): number {
    return this.last.atUs - this.first.atUs;
  }

  /** Growth of a thread's counter. */
  grown(thread: string, counter: Read): number {
    const at = COUNTERS.indexOf(counter);
    const before = this.first.counters.get(thread)?.[at] ?? 0;
    return growth(before, this.last.counters.get(thread)?.[at] ?? 0);
  }

  /** Growth of a thread's time. */
  time(thread: string, time: keyof ThreadTimes): number {
    const [before, after] = [this.first.times.get(thread), this.last.times.get(thread)];
    if (before === undefined || after === undefined) return 0;
    return Math.max(0, after[time] - before[time]);
  }

  command(shard: number, id: number): { readonly calls: number; readonly ticks: number } {
    const [before, after] = [this.first.commands[shard]!, this.last.commands[shard]!];
    return {
      calls: growth(before[2 * id]!, after[2 * id]!),
      ticks: growth(before[2 * id + 1]!, after[2 * id + 1]!),
    };
  }

  /** Growth of a figure over all logs. */
  log(figure: (typeof FIGURES)[number]): number {
    const at = FIGURES.indexOf(figure);
    return this.last.logs.reduce(
      (sum, log, shard) => sum + growth(this.first.logs[shard]![at]!, log[at]!),
      0,
    );
  }

  /** Time that requests of the window waited for a shard, or that their execution took there. */
  times(of: 'queues' | 'executions', shard: number): PhaseTimes {
    const [before, after] = [this.first[of][shard]!, this.last[of][shard]!];
    const counts = this.#differenceScratch;
    let requests = 0;
    for (let bucket = 0; bucket < counts.length; bucket += 1) {
      counts[bucket] = growth(before[bucket]!, after[bucket]!);
      requests += counts[bucket]!;
    }
    return { requests, p99Us: percentileUs(counts, 0.99) };
  }

  /** Samples of a shard; those of the first reading are from before the window. */
  samples(shard: number): SampleSlice {
    const all = new SampleSlice();
    for (const reading of this.#readings.slice(1)) all.add(reading.samples[shard]!);
    return all;
  }
}
