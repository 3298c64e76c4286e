/** The ops thread from its start, which may be before main has its settings. */

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import type { OpsData } from '#http';
import { opsWorkerUrl } from '#workers';

/** Young generation of its heap: nearly all of its objects are short-lived, except traces that wait for the collector. */
const YOUNG_GENERATION_MB = 16;

export class OpsWorker {
  readonly #worker = new Worker(opsWorkerUrl, {
    name: 'svc-ops',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  #failure: Error | undefined;

  constructor() {
    // An error event of a thread without a listener would end the process.
    this.#worker.on('error', (error) => {
      this.#failure = error;
    });
    this.#worker.unref();
  }

  /** Has it begin; `died` is called when it ends by an error, or has. */
  run(data: OpsData & { readonly port: MessagePort }, died: (error: Error) => void): void {
    if (this.#failure !== undefined) {
      died(this.#failure);
      return;
    }
    this.#worker.on('error', died);
    this.#worker.postMessage(data, [data.port]);
  }

  ref(): void {
    this.#worker.ref();
  }

  unref(): void {
    this.#worker.unref();
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Starts the thread beside the loading of main; where there is one processor only, main would wait for it. */
export function earlyOpsWorker(): OpsWorker | undefined {
  return availableParallelism() > 1 ? new OpsWorker() : undefined;
}
