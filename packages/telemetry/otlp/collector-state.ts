/** State of a collector: accepted and dropped items are counted, and each change is logged once. */

import type { LogFields } from '#base';

/** Writes a line of the log. */
export type TelemetryLog = (
  level: 'info' | 'warn',
  event: string,
  message: string,
  fields?: LogFields,
) => void;

export class CollectorState {
  exported = 0;
  failed = 0;
  readonly #what: 'traces' | 'metrics';
  readonly #endpoint: string;
  readonly #log: TelemetryLog;
  #state: 'unknown' | 'working' | 'failing' = 'unknown';

  constructor(what: 'traces' | 'metrics', endpoint: string, log: TelemetryLog) {
    this.#what = what;
    this.#endpoint = endpoint;
    this.#log = log;
  }

  get state(): string {
    return this.#state;
  }

  /** Records that `count` items were accepted. */
  worked(count: number): void {
    this.exported += count;
    if (this.#state === 'failing') {
      this.#log('info', `${this.#what}-export-works`, `Collector accepts ${this.#what} again`, {
        endpoint: this.#endpoint,
      });
    }
    this.#state = 'working';
  }

  /** Records that `count` items were dropped. */
  broke(count: number, reason: string): void {
    this.failed += count;
    if (this.#state !== 'failing') {
      const message = `Collector does not accept ${this.#what}: they are dropped and counted`;
      this.#log('warn', `${this.#what}-export-failed`, message, {
        endpoint: this.#endpoint,
        reason,
      });
    }
    this.#state = 'failing';
  }
}
