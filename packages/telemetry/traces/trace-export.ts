/**
 * Traces on their way to the collector: a bounded queue, and one batch under way at a time.
 *
 * A collector that is dead, slow or refuses costs traces, which are counted, and nothing else.
 */

import type { Clock } from '#base';
import { CollectorState, type TelemetryLog } from '../otlp/collector-state.ts';
import { CollectorRest } from '../otlp/collector-rest.ts';
import type { ServiceIdentity } from '../otlp/resource.ts';
import type { SpanSender } from '../otlp/span-sender.ts';
import type { PlannedTrace } from './spans.ts';

/** Traces that wait for the collector. */
const QUEUE_MAX = 2_048;
/** Traces sent at once, so often: the most that this thread spends its time on. */
const BATCH_MAX = 256;
const PERIOD_MS = 250;

interface TraceExportOptions {
  readonly endpoint: string;
  readonly identity: ServiceIdentity;
  readonly log: TelemetryLog;
  readonly clock: Pick<Clock, 'nowUs'>;
}

export class TraceExport {
  readonly #options: TraceExportOptions;
  readonly #state: CollectorState;
  readonly #rest: CollectorRest;
  #queue: (() => PlannedTrace)[] = [];
  #sender: Promise<SpanSender> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: TraceExportOptions) {
    this.#options = options;
    this.#state = new CollectorState('traces', options.endpoint, options.log);
    this.#rest = new CollectorRest(options.clock);
  }

  /** Spans that the collector has taken. */
  get exportedSpans(): number {
    return this.#state.exported;
  }

  /** Traces that it has not. */
  get failedTraces(): number {
    return this.#state.failed;
  }

  /** Traces that found the queue full. */
  get droppedTraces(): number {
    return this.#dropped;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** unknown, working or failing. */
  get state(): string {
    return this.#state.state;
  }

  /** Takes a trace, which is planned only when it is sent. */
  add(plan: () => PlannedTrace): void {
    if (this.#queue.length >= QUEUE_MAX) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(plan);
    this.#timer ??= setInterval(() => {
      this.#sendBatch();
    }, PERIOD_MS);
    this.#timer.unref();
  }

  /** Sends the remaining traces, for at most `msMax`. */
  async close(msMax: number): Promise<void> {
    clearInterval(this.#timer);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
    }, msMax);
    const sendAll = async (): Promise<void> => {
      await this.#underWay;
      while (this.#queue.length > 0 && !isLate) await this.#send();
    };
    await Promise.race([sendAll(), new Promise((resolve) => setTimeout(resolve, msMax).unref())]);
    clearTimeout(timer);
    await (await this.#sender)?.close();
  }

  #sendBatch(): void {
    if (this.#underWay !== undefined || this.#rest.isResting) return;
    if (this.#queue.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#underWay = this.#send().finally(() => {
      this.#underWay = undefined;
    });
  }

  async #send(): Promise<void> {
    const count = this.#rest.batch(BATCH_MAX);
    const batch = this.#queue.slice(0, count);
    this.#queue = this.#queue.slice(count);
    try {
      const sender = await this.#loaded();
      this.#state.worked(await sender.send(batch.map((plan) => plan())));
      this.#rest.worked();
    } catch (error) {
      this.#rest.broke();
      this.#state.broke(batch.length, error instanceof Error ? error.message : String(error));
    }
  }

  #loaded(): Promise<SpanSender> {
    this.#sender ??= import('../otlp/span-sender.ts').then(
      ({ SpanSender }) => new SpanSender(this.#options.endpoint, this.#options.identity),
    );
    return this.#sender;
  }
}
