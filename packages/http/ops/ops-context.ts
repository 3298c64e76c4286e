/** What the HTTP side stands on: given by the ops thread, used by every group of routes. */

import { systemClock, type LogFields } from '#base';
import { ThreadRates } from '#stats';
import type { Sight } from '#observer';
import type { TraceDesk } from '#telemetry';
import type { MainDesk } from './reports.ts';
import type { HttpFixedSettings, HttpLiveSettings } from '../views/settings.ts';

/** Between two readings from which rates are made, as main has them. */
const SAMPLE_MS = 100;

export interface OpsHttpParts {
  readonly sight: Sight;
  readonly version: string;
  readonly fixed: HttpFixedSettings;
  readonly live: HttpLiveSettings;
  readonly desk: MainDesk;
  /** Where the task is that packs bundles. */
  readonly bundleTask: string;
  readonly traces: TraceDesk;
  /** The latest lines of the log. */
  recentLogLines(): readonly string[];
  logLinesDropped(): number;
  log(
    level: 'trace' | 'info' | 'warn' | 'error',
    event: string,
    message: string,
    fields?: LogFields,
  ): void;
}

export class Surroundings {
  readonly sight: Sight;
  readonly version: string;
  readonly fixed: HttpFixedSettings;
  readonly desk: MainDesk;
  readonly traces: TraceDesk;
  readonly clock = systemClock;
  live: HttpLiveSettings;
  readonly recentLogLines: OpsHttpParts['recentLogLines'];
  readonly logLinesDropped: OpsHttpParts['logLinesDropped'];
  readonly log: OpsHttpParts['log'];
  readonly mainRates: ThreadRates;
  readonly shardRates: readonly ThreadRates[];
  readonly #sampler: NodeJS.Timeout;

  constructor(parts: OpsHttpParts) {
    this.sight = parts.sight;
    this.version = parts.version;
    this.fixed = parts.fixed;
    this.live = parts.live;
    this.desk = parts.desk;
    this.traces = parts.traces;
    this.recentLogLines = () => parts.recentLogLines();
    this.logLinesDropped = () => parts.logLinesDropped();
    this.log = (level, event, message, fields) => {
      parts.log(level, event, message, fields);
    };
    this.mainRates = new ThreadRates(this.sight.main);
    this.shardRates = this.sight.shards.map((page) => new ThreadRates(page));
    this.#sampler = setInterval(() => {
      this.#sample();
    }, SAMPLE_MS);
    this.#sampler.unref();
  }

  close(): void {
    clearInterval(this.#sampler);
  }

  #sample(): void {
    const nowUs = this.clock.nowUs();
    this.mainRates.sample(nowUs);
    for (const rates of this.shardRates) rates.sample(nowUs);
  }
}
