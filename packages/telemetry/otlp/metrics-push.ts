/** Pushes the metrics to a collector at an interval. One reading is under way at a time; none is kept. */

import type { MetricDefinition, MetricSource } from '../metrics/definition.ts';
import { CollectorState, type TelemetryLog } from './collector-state.ts';
import type { MetricSender } from './metric-sender.ts';
import type { ServiceIdentity } from './resource.ts';

/** The last reading is sent before the thread ends, if that is quick. */
const CLOSE_MS_MAX = 1_000;

interface MetricsPushOptions {
  readonly endpoint: string;
  readonly identity: ServiceIdentity;
  readonly definitions: readonly MetricDefinition[];
  /** Reads everything, at the moment. */
  readonly take: () => MetricSource;
  readonly log: TelemetryLog;
}

export class MetricsPush {
  readonly #options: MetricsPushOptions;
  readonly #state: CollectorState;
  #sender: Promise<MetricSender> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #intervalMs = 0;
  #underWay: Promise<void> | undefined;

  constructor(options: MetricsPushOptions) {
    this.#options = options;
    this.#state = new CollectorState('metrics', options.endpoint, options.log);
  }

  /** Readings that the collector has taken, and those that it has not. */
  get exported(): number {
    return this.#state.exported;
  }

  get failed(): number {
    return this.#state.failed;
  }

  /** Pushes so often from now on; begins with the first call. */
  every(intervalMs: number): void {
    if (intervalMs === this.#intervalMs) return;
    this.#intervalMs = intervalMs;
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#push();
    }, intervalMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const last = (async () => {
      await this.#underWay;
      await this.#send();
    })();
    await Promise.race([last, new Promise((resolve) => setTimeout(resolve, CLOSE_MS_MAX).unref())]);
    await (await this.#sender)?.close();
  }

  #push(): void {
    // What a slow collector misses it gets with the next: everything is cumulative.
    if (this.#underWay !== undefined) return;
    this.#underWay = this.#send().finally(() => {
      this.#underWay = undefined;
    });
  }

  async #send(): Promise<void> {
    try {
      const sender = await this.#loaded();
      await sender.send(this.#options.take());
      this.#state.worked(1);
    } catch (error) {
      this.#state.broke(1, error instanceof Error ? error.message : String(error));
    }
  }

  #loaded(): Promise<MetricSender> {
    const { endpoint, identity, definitions, take } = this.#options;
    this.#sender ??= import('./metric-sender.ts').then(({ MetricSender }) => {
      const { main, nowUs, wallMs } = take();
      const startMs = wallMs - (nowUs - main.get('startedUs')) / 1_000;
      return new MetricSender({ endpoint, identity, definitions, startMs });
    });
    return this.#sender;
  }
}
