/** For each bucket of a command's histogram the trace that fell into it last: where a slow bucket leads to. */

import { BUCKET_SECONDS } from '../metrics/buckets.ts';

export interface Exemplar {
  readonly labelSet: { readonly trace_id: string; readonly span_id: string };
  /** Seconds, within the bucket. */
  readonly value: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

export class Exemplars {
  readonly #byCommand = new Map<number, (Exemplar | undefined)[]>();

  add(command: number, exemplar: Exemplar): void {
    let buckets = this.#byCommand.get(command);
    if (buckets === undefined) {
      buckets = new Array<Exemplar | undefined>(BUCKET_SECONDS.length + 1);
      this.#byCommand.set(command, buckets);
    }
    const index = BUCKET_SECONDS.findIndex((bound) => exemplar.value <= bound);
    buckets[index < 0 ? BUCKET_SECONDS.length : index] = exemplar;
  }

  /** By bucket, or nothing when the command was never traced. */
  of(command: number): readonly (Exemplar | undefined)[] | undefined {
    return this.#byCommand.get(command);
  }
}
