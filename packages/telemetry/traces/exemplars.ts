/** For each bucket of a command's histogram the trace that fell into it last: where a slow bucket leads to. */

import { BUCKET_SECONDS } from '../metrics/buckets.ts';

export interface Exemplar {
  readonly labelSet: { readonly trace_id: string; readonly span_id: string };
  /** Seconds, within the bucket. */
  readonly value: number;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** A trace that may be shown; made when it is. */
interface ExemplarSource {
  /** Seconds, within the bucket. */
  readonly seconds: number;
  readonly exemplar: () => Exemplar;
}

export class Exemplars {
  readonly #byCommand = new Map<number, (ExemplarSource | undefined)[]>();

  add(command: number, source: ExemplarSource): void {
    let buckets = this.#byCommand.get(command);
    if (buckets === undefined) {
      buckets = new Array<ExemplarSource | undefined>(BUCKET_SECONDS.length + 1);
      this.#byCommand.set(command, buckets);
    }
    const index = BUCKET_SECONDS.findIndex((bound) => source.seconds <= bound);
    buckets[index < 0 ? BUCKET_SECONDS.length : index] = source;
  }

  /** Returns the exemplars of a command by bucket, or nothing when the command was never traced. */
  of(command: number): readonly (Exemplar | undefined)[] | undefined {
    const buckets = this.#byCommand.get(command);
    return buckets && Array.from(buckets, (source) => source?.exemplar());
  }
}
