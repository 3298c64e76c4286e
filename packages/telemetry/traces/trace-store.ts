/** The ops thread's part of tracing: receives traced requests from main, keeps the latest, and exports them. */

import { type Clock, ERROR_CODES, type LogFields, UnixOffset } from '#base';
import type { TraceReport } from '#api-types';
import type { TraceRecord, TraceRingReader } from '#link';
import type { TelemetryLog } from '../otlp/collector-state.ts';
import type { ServiceIdentity } from '../otlp/resource.ts';
import { Exemplars, type Exemplar } from './exemplars.ts';
import {
  executeUs,
  idsOf,
  operationOf,
  plannedTrace,
  slowestOf,
  type PlannedTrace,
} from './spans.ts';
import { TraceExport } from './trace-export.ts';

/** Interval in milliseconds at which the ring of traced requests is read. */
const PERIOD_MS = 50;
/** Records taken at a time, so that this thread stays able to answer; main drops what finds no room. */
const RECORDS_MAX = 500;
/** The last traces are sent before the thread ends, if that is quick. */
const CLOSE_MS_MAX = 1_000;

/** Settings that can change at runtime. Sampling and logging of a request are decided by its record. */
export interface TraceSettings {
  /** True while main sends traced requests. */
  readonly isOn: boolean;
  /** Traces kept of those that are slow or have failed, and of the others. */
  readonly recentMax: number;
  readonly isEnabled: boolean;
  readonly samplingRate: number;
  /** Milliseconds from which on a trace is slow; Infinity for none. */
  readonly keepSlowMs: number;
  readonly keepsFailed: boolean;
}

/** A trace in memory. */
interface KeptTrace {
  /** Its place among all traces. */
  readonly nth: number;
  readonly plan: () => PlannedTrace;
}

interface TraceStoreOptions {
  readonly ring: TraceRingReader;
  readonly clock: Clock;
  readonly commandNames: readonly string[];
  readonly endpoint: string;
  readonly identity: ServiceIdentity;
  readonly settings: TraceSettings;
  readonly log: TelemetryLog;
}

/** Figures that the ops thread itself counts. */
export interface TraceFigures {
  readonly recent: number;
  readonly queued: number;
  readonly exportedSpans: number;
  readonly failedTraces: number;
  /** Traces that found the queue to the collector full. */
  readonly queueDropped: number;
  /** unknown, working or failing. */
  readonly collector: string;
}

export class TraceStore {
  readonly exemplars = new Exemplars();
  readonly #options: TraceStoreOptions;
  readonly #export: TraceExport;
  /** One for all traces: their spans keep the order of their times. */
  readonly #unixOffset: UnixOffset;
  #count = 0;
  /** Oldest first. */
  #recent: KeptTrace[] = [];
  /** Slow and failed ones, where such are kept: others do not push them out. Oldest first. */
  #notable: KeptTrace[] = [];
  #settings: TraceSettings;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: TraceStoreOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#export = new TraceExport(options);
    this.#unixOffset = new UnixOffset(options.clock);
    this.apply(options.settings);
  }

  apply(settings: TraceSettings): void {
    this.#settings = settings;
    this.#forgetOld();
    const { isOn } = settings;
    if (isOn && this.#timer === undefined) {
      this.#timer = setInterval(() => {
        this.#look();
      }, PERIOD_MS);
      this.#timer.unref();
    } else if (!isOn) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#look();
    }
  }

  get figures(): TraceFigures {
    this.#look();
    return {
      recent: this.#recent.length + this.#notable.length,
      queued: this.#export.queued,
      exportedSpans: this.#export.exportedSpans,
      failedTraces: this.#export.failedTraces,
      queueDropped: this.#export.droppedTraces,
      collector: this.#export.state,
    };
  }

  /** The latest traces, newest first. */
  recent(countMax = Infinity): TraceReport[] {
    this.#look();
    return [...this.#recent, ...this.#notable]
      .sort((one, other) => other.nth - one.nth)
      .slice(0, countMax)
      .map(({ plan }) => reportOf(plan()));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#look();
    await this.#export.close(CLOSE_MS_MAX);
  }

  #look(): void {
    const { ring } = this.#options;
    const unixOffsetUs = this.#unixOffset.readUs();
    ring.take(RECORDS_MAX, (record) => {
      this.#take(record, unixOffsetUs);
    });
    this.#forgetOld();
  }

  #take(record: TraceRecord, unixOffsetUs: number): void {
    if (record.isLogged) this.#report(record);
    if (!record.isSampled) return;
    const { commandNames } = this.#options;
    const context = { commandNames, unixOffsetUs };
    const plan = (): PlannedTrace => plannedTrace(record, context);
    this.#count += 1;
    const kept = this.#isNotable(record) ? this.#notable : this.#recent;
    kept.push({ nth: this.#count, plan });
    this.#export.add(plan);
    this.#addExemplar(record, unixOffsetUs);
  }

  #addExemplar(record: TraceRecord, unixOffsetUs: number): void {
    const us = executedUs(record);
    if (us === undefined) return;
    const seconds = us / 1e6;
    const exemplar = (): Exemplar => {
      const { trace, span } = idsOf(record);
      const timestamp = (record.endUs + unixOffsetUs) / 1e6;
      return { labelSet: { trace_id: trace, span_id: span }, value: seconds, timestamp };
    };
    this.exemplars.add(record.command, { seconds, exemplar });
  }

  #isNotable({ startUs, endUs, error }: TraceRecord): boolean {
    const { keepSlowMs, keepsFailed } = this.#settings;
    return endUs - startUs >= keepSlowMs * 1_000 || (keepsFailed && error >= 0);
  }

  #forgetOld(): void {
    const { recentMax, keepSlowMs, keepsFailed } = this.#settings;
    if (keepSlowMs === Infinity && !keepsFailed && this.#notable.length > 0) {
      this.#recent = [...this.#recent, ...this.#notable].sort((one, other) => one.nth - other.nth);
      this.#notable = [];
    }
    this.#recent = newest(this.#recent, recentMax);
    this.#notable = newest(this.#notable, recentMax);
  }

  #report(record: TraceRecord): void {
    const { commandNames, log } = this.#options;
    const operation = operationOf(record.command, commandNames);
    const slowest = slowestOf(record.shards);
    const fields: LogFields = {
      command: operation,
      conn_id: record.connection,
      shard: slowest?.shard ?? null,
      duration_us: Math.round(record.endUs - record.startUs),
      queue_us: Math.round(Math.max(0, slowest?.queueUs ?? 0)),
      execute_us: Math.round(executedUs(record) ?? 0),
    };
    const error = ERROR_CODES[record.error];
    if (error !== undefined) fields['error'] = error;
    if (record.isSampled) {
      const { trace, span } = idsOf(record);
      fields['trace_id'] = trace;
      fields['span_id'] = span;
    }
    log('info', 'request', `${operation} was answered.`, fields);
  }
}

/** Returns the last of a list: the list itself where there are not more. */
function newest(kept: KeptTrace[], most: number): KeptTrace[] {
  return kept.length > most ? kept.slice(kept.length - most) : kept;
}

/** Returns how long executing took, of the slowest shard or of main. */
function executedUs({ shards, mainUs }: TraceRecord): number | undefined {
  const slowest = slowestOf(shards);
  return slowest === undefined ? mainUs : executeUs(slowest);
}

function reportOf({ id, spans }: PlannedTrace): TraceReport {
  return {
    trace_id: id,
    spans: spans.map((span) => ({
      span_id: span.id,
      parent_id: span.parentId,
      name: span.name,
      start_us: Math.round(span.startUs),
      duration_us: Math.round((span.endUs - span.startUs) * 1_000) / 1_000,
      attributes: span.attributes,
    })),
  };
}
