/** Logs from the ops thread when writes are refused for want of good replicas, and when they are accepted again. */

import type { LogFields } from '#base';
import { errorIndex, type Page } from '#stats';

const NO_REPLICAS = errorIndex('NOREPLICAS ');

interface ReplicaWatchOptions {
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Good replicas that writes need. */
  readonly minReplicas: () => number;
  readonly log: (level: 'warn' | 'info', event: string, message: string, fields: LogFields) => void;
}

export class ReplicaWatch {
  readonly #options: ReplicaWatchOptions;
  /** Begin of the refusals in monotonic microseconds, and the errors until then; undefined while writes are accepted. */
  #began: { readonly us: number; readonly refused: number } | undefined;

  constructor(options: ReplicaWatchOptions) {
    this.#options = options;
  }

  look(nowUs: number): void {
    const { main, minReplicas, log } = this.#options;
    const isLacking = main.get('lacksReplicas') === 1;
    if (isLacking && this.#began === undefined) {
      this.#began = { us: nowUs, refused: this.#refused };
      log('warn', 'no-good-replicas', 'Writes are refused: too few good replicas', {
        good_replicas: main.get('goodReplicas'),
        min_replicas: minReplicas(),
      });
    } else if (!isLacking && this.#began !== undefined) {
      const { us, refused } = this.#began;
      this.#began = undefined;
      log('info', 'good-replicas', 'Writes are accepted again: enough good replicas', {
        good_replicas: main.get('goodReplicas'),
        ms: Math.round((nowUs - us) / 1_000),
        // CONFIG RESETSTAT resets the counters.
        refused: Math.max(0, this.#refused - refused),
      });
    }
  }

  /** Commands refused with NOREPLICAS. */
  get #refused(): number {
    const { main, shards } = this.#options;
    return [main, ...shards].reduce((sum, page) => sum + page.errorCount(NO_REPLICAS), 0);
  }
}
