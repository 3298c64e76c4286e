/** Runs a load: starts its threads, begins all at the same time, and merges what they report. */

import { Worker } from 'node:worker_threads';
import { systemClock } from '#base';
import { SharedFlag } from '#link';
import { addCounts, greatestUs, HISTOGRAM_BUCKETS, percentileUs, totalCount } from '#stats';
import { loadWorkerUrl } from '#workers';
import type { LoadStart, LoadThreadData, LoadThreadMessage } from '../engine/load-thread.ts';
import type { CommandResult, SecondResult, ThreadResult } from '../engine/recorder.ts';
import type { NodeSlots } from '../engine/slot-map.ts';
import type { LoadPlan } from '../options/plan.ts';

/** Time between the start's announcement and the start, in which all threads learn of it. */
const LEAD_US = 5_000;
const US_PER_S = 1_000_000;

/** Results of a second of all threads. */
export interface SecondPoint {
  readonly second: number;
  readonly commands: number;
  readonly errors: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
}

/** Use of the processor by a thread of the generator, in percent of one; NaN where it is unknown. */
interface ThreadUse {
  readonly cpuPercent: number;
  /** Share of the time in which it was ready to run, and had no processor. */
  readonly waitPercent: number;
  /** True if waits keep the processor busy. */
  readonly spins: boolean;
}

/** Results of a load. */
export interface LoadResult extends Omit<ThreadResult, 'commands' | 'spanUs' | 'use'> {
  readonly startedAtMs: number;
  /** Seconds from the end of the warm-up to the last reply. */
  readonly seconds: number;
  readonly commands: number;
  readonly errorCount: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly latency: Float64Array;
  readonly maxUs: number;
  readonly byCommand: readonly CommandResult[];
  readonly series: readonly SecondPoint[];
  readonly threads: readonly ThreadUse[];
  readonly isInterrupted: boolean;
}

interface RunOptions {
  /** Nodes of the cluster; none without one. */
  readonly nodes?: readonly NodeSlots[];
  /** Ends the load early; results so far remain. */
  readonly signal?: AbortSignal;
  /** Called before the measured part, at the end of the warm-up. */
  readonly atBegin?: () => Promise<void>;
  /** Called with each second that is complete. */
  readonly onSecond?: (point: SecondPoint) => void;
}

/** Runs a load to its end; rejects if a thread cannot connect or fails. */
export async function runLoad(plan: LoadPlan, options: RunOptions = {}): Promise<LoadResult> {
  const threads = Math.min(plan.threads, plan.connections);
  const run = new LoadRun({ ...plan, threads }, options);
  const stop = (): void => {
    run.stop();
  };
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted === true) run.stop();
  try {
    return await run.results(options.atBegin ?? (() => Promise.resolve()));
  } finally {
    options.signal?.removeEventListener('abort', stop);
    await run.terminate();
  }
}

class LoadRun {
  readonly #plan: LoadPlan;
  readonly #stop = SharedFlag.allocate();
  readonly #workers: readonly Worker[];
  readonly #seconds: SecondSeries;
  readonly #ready: Promise<unknown>;
  readonly #done: Promise<ThreadResult[]>;
  #isStopped = false;

  constructor(plan: LoadPlan, { nodes = [], onSecond }: RunOptions) {
    this.#plan = plan;
    this.#seconds = new SecondSeries(plan.threads, onSecond ?? (() => undefined));
    this.#workers = Array.from({ length: plan.threads }, (_, index) => {
      const share = { index, count: plan.threads };
      const workerData: LoadThreadData = { plan, share, nodes, stop: this.#stop };
      return new Worker(loadWorkerUrl, { workerData, name: `svc-load-${index}` });
    });
    const watched = this.#workers.map((worker, index) => this.#watch(worker, index));
    this.#ready = Promise.all(watched.map(({ ready }) => ready));
    this.#done = Promise.all(watched.map(({ done }) => done));
    // A failure before the start rejects both, and one of them is waited for.
    this.#done.catch(() => undefined);
    this.#ready.catch(() => undefined);
  }

  stop(): void {
    this.#isStopped = true;
    new SharedFlag(this.#stop).raise();
  }

  async results(atBegin: () => Promise<void>): Promise<LoadResult> {
    await this.#ready;
    const { warmupSeconds } = this.#plan;
    if (warmupSeconds === 0) await atBegin();
    const start: LoadStart = { startUs: systemClock.nowUs() + LEAD_US };
    const startedAtMs = systemClock.wallMs();
    for (const worker of this.#workers) worker.postMessage(start);
    const begun = warmupSeconds === 0 ? undefined : this.#afterWarmup(start, atBegin);
    const results = await this.#done;
    await begun;
    return merged(results, this.#seconds.points(), startedAtMs, this.#isStopped);
  }

  async terminate(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  async #afterWarmup({ startUs }: LoadStart, atBegin: () => Promise<void>): Promise<void> {
    const fromUs = startUs + this.#plan.warmupSeconds * US_PER_S;
    let timer: NodeJS.Timeout | undefined;
    const warm = new Promise((resolve) => {
      timer = setTimeout(resolve, (fromUs - systemClock.nowUs()) / 1_000);
    });
    // A load that ends in its warm-up has nothing to be read.
    await Promise.race([warm, this.#done.catch(() => undefined)]);
    clearTimeout(timer);
    await atBegin();
  }

  #watch(worker: Worker, index: number): { ready: Promise<void>; done: Promise<ThreadResult> } {
    let isReady: () => void;
    let isDone: (result: ThreadResult) => void;
    const failures: ((error: Error) => void)[] = [];
    const ready = new Promise<void>((resolve, reject) => {
      isReady = resolve;
      failures.push(reject);
    });
    const done = new Promise<ThreadResult>((resolve, reject) => {
      isDone = resolve;
      failures.push(reject);
    });
    const fail = (error: Error): void => {
      for (const reject of failures) reject(error);
    };
    worker.on('message', (message: LoadThreadMessage) => {
      if (message.kind === 'ready') isReady();
      else if (message.kind === 'failed') fail(new Error(message.message));
      else if (message.kind === 'second') this.#seconds.add(index, message.result);
      else {
        this.#seconds.end(index);
        isDone(message.result);
      }
    });
    worker.on('error', fail);
    worker.on('exit', (code) => {
      fail(new Error(`a thread of the load ended with code ${String(code)}`));
    });
    return { ready, done };
  }
}

interface OpenSecond {
  commands: number;
  errors: number;
  bytesIn: number;
  bytesOut: number;
  readonly latency: Float64Array;
}

/** Merges the seconds of all threads; their histograms are kept until all threads have reached a later one. */
class SecondSeries {
  readonly #open = new Map<number, OpenSecond>();
  readonly #points: SecondPoint[] = [];
  readonly #reached: number[];
  readonly #complete: (point: SecondPoint) => void;

  /** `complete` is called with each second that all threads have ended. */
  constructor(threads: number, complete: (point: SecondPoint) => void) {
    this.#complete = complete;
    this.#reached = Array.from({ length: threads }, () => -1);
  }

  add(thread: number, { second, ...result }: SecondResult): void {
    const sum = this.#open.get(second);
    if (sum === undefined) {
      this.#open.set(second, { ...result });
    } else {
      sum.commands += result.commands;
      sum.errors += result.errors;
      sum.bytesIn += result.bytesIn;
      sum.bytesOut += result.bytesOut;
      addCounts(sum.latency, result.latency);
    }
    this.#reached[thread] = second;
    this.#close(Math.min(...this.#reached));
  }

  /** A thread has no further seconds. */
  end(thread: number): void {
    this.#reached[thread] = Infinity;
    this.#close(Math.min(...this.#reached));
  }

  points(): readonly SecondPoint[] {
    return this.#points.sort((a, b) => a.second - b.second);
  }

  #close(before: number): void {
    for (const [second, { latency, ...sums }] of this.#open) {
      if (second >= before) continue;
      this.#open.delete(second);
      const point = {
        second,
        ...sums,
        p50Us: percentileUs(latency, 0.5),
        p99Us: percentileUs(latency, 0.99),
        p999Us: percentileUs(latency, 0.999),
        maxUs: greatestUs(latency),
      };
      this.#points.push(point);
      this.#complete(point);
    }
  }
}

function merged(
  results: readonly ThreadResult[],
  series: readonly SecondPoint[],
  startedAtMs: number,
  isInterrupted: boolean,
): LoadResult {
  const byCommand = results[0]!.commands.map(({ name }, nth) =>
    mergedCommand(
      name,
      results.map(({ commands }) => commands[nth]!),
    ),
  );
  const all = mergedCommand('all', byCommand);
  const sum = (pick: (result: ThreadResult) => number): number =>
    results.reduce((total, result) => total + pick(result), 0);
  const errors: Record<string, number> = {};
  for (const result of results) {
    for (const [code, count] of Object.entries(result.errors)) {
      errors[code] = (errors[code] ?? 0) + count;
    }
  }
  const late = new Float64Array(HISTOGRAM_BUCKETS);
  for (const result of results) addCounts(late, result.late);
  const spanUs = Math.max(...results.map((result) => result.spanUs));
  return {
    startedAtMs,
    seconds: spanUs / US_PER_S,
    commands: all.commands,
    errorCount: all.errors,
    errors,
    bytesIn: series.reduce((total, { bytesIn }) => total + bytesIn, 0),
    bytesOut: series.reduce((total, { bytesOut }) => total + bytesOut, 0),
    latency: all.latency,
    maxUs: all.maxUs,
    byCommand,
    series,
    warmupCommands: sum(({ warmupCommands }) => warmupCommands),
    moved: sum(({ moved }) => moved),
    asked: sum(({ asked }) => asked),
    connectionsLost: sum(({ connectionsLost }) => connectionsLost),
    lossReasons: [...new Set(results.flatMap(({ lossReasons }) => lossReasons))],
    unanswered: sum(({ unanswered }) => unanswered),
    unsent: sum(({ unsent }) => unsent),
    late,
    threads: results.map(({ use, spanUs: ownUs }) => ({
      cpuPercent: ownUs > 0 ? (100 * use.cpuUs) / ownUs : NaN,
      waitPercent: ownUs > 0 ? (100 * use.waitUs) / ownUs : NaN,
      spins: use.spins,
    })),
    isInterrupted,
  };
}

function mergedCommand(name: string, parts: readonly CommandResult[]): CommandResult {
  const latency = new Float64Array(HISTOGRAM_BUCKETS);
  for (const part of parts) addCounts(latency, part.latency);
  return {
    name,
    commands: totalCount(latency),
    errors: parts.reduce((sum, { errors }) => sum + errors, 0),
    latency,
    maxUs: Math.max(...parts.map(({ maxUs }) => maxUs)),
  };
}
