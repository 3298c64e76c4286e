/** Reads all series from the shared pages, once a second. No thread is asked for anything. */

import { residentBytes } from '#base';
import { ringDepth } from '#link';
import type { Observer } from '#observer';
import {
  type Counts,
  errorCounts,
  growth,
  HISTOGRAM_BUCKETS,
  type Page,
  sumExecutions,
  TICKS_PER_US,
  workedNowUs,
} from '#stats';
import type { SeriesOwner } from '../chunks/samples.ts';
import { GrowthSum, HistogramGrowth } from './histogram-growth.ts';
import {
  COMMAND_SERIES,
  ERROR_SERIES,
  LOG_SERIES,
  pageSeries,
  percentileSeries,
  type Series,
  SERVER_SERIES,
  SHARD_SERIES,
} from './series.ts';
import type { Reading } from './tier.ts';

/** Owner of the series that are the whole server's. */
export const SERVER = 'server';
/** Things of the whole server that have series, once there are any: their owners are named by the kind and their name. */
export type ThingKind = 'command' | 'error';

/** Returns the owner of the series of a command, or of an error code. */
export function ownerOf(kind: ThingKind, name: string): string {
  return `${kind}:${name}`;
}

/** True for the owner of a thread's series. */
export function isThread(owner: string): boolean {
  return owner !== SERVER && !owner.includes(':');
}

/** Judgement of the server's state as numbers. */
export interface Judgement {
  /** 0 healthy, 1 degraded, 2 unhealthy. */
  readonly health: number;
  /** A bit for each cause that limits the server. */
  readonly limitedBy: number;
}

interface SamplerOptions {
  readonly observer: Observer;
  readonly nowUs: () => number;
  readonly wallMs: () => number;
  readonly judged: () => Judgement;
}

/** A column that is read from a page. */
interface Column {
  readonly series: Series;
  readonly read: () => number;
}

export class Sampler implements Reading {
  /** Owners of the columns, in their order; more may follow, none changes. */
  readonly owners: SeriesOwner[] = [];
  /** Series of the columns. */
  readonly series: Series[] = [];
  readonly phases: { readonly grown: GrowthSum; readonly column: number }[] = [];
  /** Values of the latest sample; those of percentiles are NaN. */
  readonly values: number[] = [];
  readonly #options: SamplerOptions;
  readonly #reads: ((() => number) | undefined)[] = [];
  readonly #before: number[] = [];
  #judgement: Judgement = { health: 0, limitedBy: 0 };
  readonly #growths: HistogramGrowth[] = [];
  /** Phases of the server, each with those of the threads that it is the sum of. */
  readonly #sums: { readonly sum: GrowthSum; readonly parts: readonly GrowthSum[] }[] = [];
  /** Names of each owner's series, and the index of their first column. */
  readonly #places = new Map<
    string,
    { readonly names: readonly string[]; readonly start: number }
  >();
  /** Commands that have series. */
  readonly #commands = new Set<number>();
  /** Error replies by code, as of the latest sample. */
  #errors: ReadonlyMap<string, number> = new Map();

  constructor(options: SamplerOptions) {
    this.#options = options;
    const { main, shards, ops } = options.observer;
    const executing = [this.#addMain(main)];
    const queues: GrowthSum[] = [];
    for (const [shard, page] of shards.entries()) {
      const { execute, queue } = this.#addShard(page, shard);
      executing.push(execute);
      queues.push(queue);
    }
    for (const [name, page] of options.observer.frontThreads) {
      this.#add(name, columnsOf(page, pageSeries('front')), [
        ['front', this.#growth(() => page.queueHistogram)],
        ['loop', this.#growth(() => page.loopHistogram)],
      ]);
    }
    this.#add('ops', columnsOf(ops, pageSeries('ops')), [
      ['loop', this.#growth(() => ops.loopHistogram)],
    ]);
    this.#add(SERVER, this.#serverColumns(), [
      ['execute', this.#sum(executing)],
      ['queue', this.#sum(queues)],
    ]);
    this.#addThings();
  }

  /** Reads all series. */
  take(): void {
    this.#addThings();
    this.#judgement = this.#options.judged();
    for (const growing of this.#growths) growing.take();
    for (const { sum, parts } of this.#sums) {
      sum.clear();
      for (const part of parts) sum.add(part);
    }
    for (const [column, read] of this.#reads.entries()) {
      if (read === undefined) continue;
      const now = read();
      const isGrowth = this.series[column]!.kind === 'growth';
      this.values[column] = isGrowth ? growth(this.#before[column]!, now) : now;
      this.#before[column] = now;
    }
  }

  /** Returns a series of an owner; undefined if it has none of that name. */
  seriesOf(owner: string, name: string): Series | undefined {
    const found = this.#places.get(owner);
    if (found === undefined) return undefined;
    const at = found.names.indexOf(name);
    return at < 0 ? undefined : this.series[found.start + at];
  }

  #executions(page: Page): () => Counts {
    const counts = new Float64Array(HISTOGRAM_BUCKETS);
    return () => sumExecutions(page, this.#options.observer.commandNames.length, counts);
  }

  #addMain(page: Page): GrowthSum {
    const execute = this.#growth(this.#executions(page));
    this.#add('main', this.#threadColumns(page, pageSeries('main')), [
      ['execute', execute],
      ['reply', this.#growth(() => page.queueHistogram)],
      ['loop', this.#growth(() => page.loopHistogram)],
      ['scatter', this.#growth(() => page.scatterHistogram)],
    ]);
    return execute;
  }

  #addShard(page: Page, shard: number): { execute: GrowthSum; queue: GrowthSum } {
    const { observer } = this.#options;
    const execute = this.#growth(this.#executions(page));
    const queue = this.#growth(() => page.queueHistogram);
    const log = observer.logs[shard];
    const columns = [
      ...this.#threadColumns(page, pageSeries('shards')),
      ...this.#shardColumns(page, shard),
      ...(log === undefined
        ? []
        : LOG_SERIES.map((series) => ({ series, read: () => log.get(series.figure) }))),
    ];
    this.#add(`shard-${String(shard)}`, columns, [
      ['execute', execute],
      ['queue', queue],
      ['loop', this.#growth(() => page.loopHistogram)],
    ]);
    return { execute, queue };
  }

  /** Columns of a thread that runs commands: a long command counts as work while it runs. */
  #threadColumns(page: Page, list: ReturnType<typeof pageSeries>): Column[] {
    let workedUs = 0;
    const worked = (): number => {
      workedUs = Math.max(workedUs, workedNowUs(page, this.#options.nowUs()));
      return workedUs;
    };
    return columnsOf(page, list).map((column, index) =>
      list[index]!.counter === 'workedUs' ? { ...column, read: worked } : column,
    );
  }

  #shardColumns(page: Page, shard: number): Column[] {
    const { observer, nowUs } = this.#options;
    const { databases } = observer.shape;
    const depth = () => ringDepth(observer.memory, observer.layout.requests[shard]!);
    const total = (of: (database: number) => number): number => {
      let sum = 0;
      for (let database = 0; database < databases; database += 1) sum += of(database);
      return sum;
    };
    const reads: Readonly<Record<(typeof SHARD_SERIES)[number]['name'], () => number>> = {
      executed_commands: () => page.get('commands'),
      keys: () => total((database) => page.keys(database)),
      expires: () => total((database) => page.expires(database)),
      queue_depth: () => depth().frames,
      queue_bytes: () => depth().bytes,
      sync_lag_us: () => {
        const sinceUs = observer.logs[shard]?.get('unsyncedSinceUs') ?? 0;
        return sinceUs === 0 ? 0 : Math.max(0, Math.round(nowUs() - sinceUs));
      },
    };
    return SHARD_SERIES.map((series) => ({ series, read: reads[series.name] }));
  }

  #serverColumns(): Column[] {
    const { observer, wallMs } = this.#options;
    const { main } = observer;
    const reads: Readonly<Record<(typeof SERVER_SERIES)[number]['name'], () => number>> = {
      rss_bytes: residentBytes,
      snapshot_age_seconds: () => {
        const savedMs = main.get('lastSaveMs');
        return savedMs === 0 ? NaN : Math.max(0, Math.round((wallMs() - savedMs) / 1_000));
      },
      health: () => this.#judgement.health,
      limited_by: () => this.#judgement.limitedBy,
    };
    return SERVER_SERIES.map((series) => ({ series, read: reads[series.name] }));
  }

  /** Adds series of commands that were called, and of errors that were replied, for the first time. */
  #addThings(): void {
    this.#addCalledCommands();
    const { main, shards } = this.#options.observer;
    this.#errors = new Map(errorCounts([main, ...shards]));
    for (const code of this.#errors.keys()) {
      const owner = ownerOf('error', code);
      if (this.#places.has(owner)) continue;
      const read = (): number => this.#errors.get(code) ?? 0;
      this.#add(owner, [{ series: ERROR_SERIES[0], read }], [], ERROR_NAMES);
    }
  }

  #addCalledCommands(): void {
    const { main, shards, commandNames } = this.#options.observer;
    const pages = [main, ...shards];
    for (const [id, name] of commandNames.entries()) {
      if (this.#commands.has(id) || pages.every((page) => wasUnused(page, id))) continue;
      this.#commands.add(id);
      this.#add(ownerOf('command', name), commandColumns(pages, id), [], COMMAND_NAMES);
    }
  }

  #add(
    owner: string,
    columns: readonly Column[],
    phases: readonly (readonly [phase: string, grown: GrowthSum])[],
    names: readonly string[] = namesOf(columns, phases),
  ): void {
    this.#places.set(owner, { names, start: this.series.length });
    for (const { series, read } of columns) this.#addColumn(series, read);
    for (const [phase, grown] of phases) {
      this.phases.push({ grown, column: this.series.length });
      for (const series of percentileSeries(phase)) this.#addColumn(series, undefined);
    }
    const alike = this.owners.find((known) => sameNames(known.names, names));
    this.owners.push({ owner, names: alike?.names ?? names });
  }

  #addColumn(series: Series, read: (() => number) | undefined): void {
    this.series.push(series);
    this.#reads.push(read);
    this.values.push(NaN);
    // What was counted of a command or an error before it is known here is a part of its first sample.
    const isNew = [...COMMAND_SERIES, ...ERROR_SERIES].some((each) => each === series);
    this.#before.push(isNew ? 0 : (read?.() ?? 0));
  }

  #growth(read: () => Counts): GrowthSum {
    const growing = new HistogramGrowth(read);
    this.#growths.push(growing);
    return growing.grown;
  }

  #sum(parts: readonly GrowthSum[]): GrowthSum {
    const sum = new GrowthSum();
    this.#sums.push({ sum, parts });
    return sum;
  }
}

const COMMAND_NAMES = COMMAND_SERIES.map(({ name }) => name);
const ERROR_NAMES = ERROR_SERIES.map(({ name }) => name);

function columnsOf(page: Page, list: ReturnType<typeof pageSeries>): Column[] {
  return list.map((series) => ({ series, read: () => page.get(series.counter) }));
}

function commandColumns(pages: readonly Page[], id: number): Column[] {
  const total = (field: 'calls' | 'ticks' | 'failed' | 'rejected'): number =>
    pages.reduce((sum, page) => sum + page.command(id, field), 0);
  const reads = {
    calls: () => total('calls'),
    time_us: () => Math.round(total('ticks') / TICKS_PER_US),
    failed: () => total('failed'),
    rejected: () => total('rejected'),
  };
  return COMMAND_SERIES.map((series) => ({ series, read: reads[series.name] }));
}

function wasUnused(page: Page, id: number): boolean {
  return page.command(id, 'calls') === 0 && page.command(id, 'rejected') === 0;
}

function namesOf(
  columns: readonly Column[],
  phases: readonly (readonly [phase: string, grown: GrowthSum])[],
): string[] {
  return [
    ...columns.map(({ series }) => series.name),
    ...phases.flatMap(([phase]) => percentileSeries(phase).map(({ name }) => name)),
  ];
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name, index) => name === b[index]);
}
