/** Tracing as the server's parts see it: the settings, the reports, and the log. */

import { type Clock, Logger, type LogRecord } from '#base';
import type { TracesPort, TraceStatus } from '#commands';
import type { Settings } from '#config';
import type { Page } from '#stats';
import type { TraceReport } from '#api-types';
import type { Router, RunningTrace } from '#router';
import type { TraceFigures } from '#telemetry';
import { type OpsLink, traceSettings } from '#main';

const OPS_MS_MAX = 5_000;
const TRACE_ID_BYTES = 16;
const SPAN_END = 24;

/** Applies the settings of tracing to main, now and after each change. */
export function followTracing(settings: Settings, tracing: Router['tracing']): void {
  const apply = (): void => {
    tracing.apply(traceSettings(settings));
  };
  apply();
  settings.onChange('tracing.enabled', apply);
  settings.onChange('tracing.sampling-rate', apply);
  settings.onChange('tracing.keep-slow-ms', apply);
  settings.onChange('tracing.keep-failed', apply);
  settings.onChange('tracing.scatter-gather-spans', apply);
  settings.onChange('tracing.shard-spans', apply);
  settings.onChange('tracing.persistence-spans', apply);
  settings.onChange('logging.per-request-spans', apply);
}

/** Replies of DEBUG TRACING: main's own counts, and the state of the ops thread. */
export class Traces implements TracesPort {
  readonly #settings: Settings;
  readonly #page: Page;
  readonly #ops: OpsLink;

  constructor(settings: Settings, page: Page, ops: OpsLink) {
    this.#settings = settings;
    this.#page = page;
    this.#ops = ops;
  }

  async status(): Promise<TraceStatus> {
    const figures = (await this.#ops.ask('trace-figures', null, OPS_MS_MAX)) as TraceFigures;
    const { isEnabled, samplingRate } = traceSettings(this.#settings);
    return {
      enabled: isEnabled ? 1 : 0,
      'sampling-rate': String(samplingRate),
      'sampled-total': this.#page.get('tracesSampled'),
      'dropped-busy-total': this.#page.get('tracesDropped'),
      'dropped-queue-total': figures.queueDropped,
      'dropped-collector-total': figures.failedTraces,
      'spans-exported-total': figures.exportedSpans,
      queued: figures.queued,
      recent: figures.recent,
      collector: figures.collector,
    };
  }

  async recent(count: number): Promise<readonly TraceReport[]> {
    return (await this.#ops.ask('traces', count, OPS_MS_MAX)) as readonly TraceReport[];
  }
}

/** Main's log, whose records the ops thread writes; those of a sampled request have its ids. */
export function mainLog(clock: Clock, ops: OpsLink, running: RunningTrace): Logger {
  return new Logger(
    'main',
    () => clock.wallMs(),
    () => ops.level,
    (record) => {
      ops.post(inRequest(record, running));
    },
  );
}

/** A record of the log with the ids of the request that main is running, if that is sampled. */
function inRequest(record: LogRecord, { trace }: RunningTrace): LogRecord {
  if (trace?.isSampled !== true) return record;
  const ids = Buffer.from(trace.ids);
  const fields = {
    trace_id: ids.toString('hex', 0, TRACE_ID_BYTES),
    span_id: ids.toString('hex', TRACE_ID_BYTES, SPAN_END),
  };
  return { ...record, fields: { ...record.fields, ...fields } };
}
