/**
 * Times of a traced command on a shard: the body of a `times` frame, as doubles. All times are monotonic
 * microseconds of the one clock of the process.
 *
 *   slot, sequence    client and number of the command; of a transaction, EXEC's
 *   queueUs           time that the frame was in the ring; negative when it had waited for its keys
 *   startUs, endUs    from the frame's being taken to its reply's being written
 *   error             index of the error's code in ERROR_CODES, or -1
 *   parts             for each: a number of TracedPart, a detail, its start, its end
 */

import type { Bytes } from '#base';

/** Parts of a command's execution. The numbers cross threads, and a golden test freezes them. */
export const TracedPart = {
  /** A command's handler, on its data; the detail is the command's index in the table. */
  store: 0,
  /** Room was made for the command; the detail is how many keys were evicted. */
  evict: 1,
  /** Effects were written to the log; the detail is their bytes. */
  logWrite: 2,
  /** The reply waited until the log was synced: the last part, whose end is written in when it is known. */
  logSync: 3,
  /** A command that a script called, ahead of the script's own part; the detail is the command's index in the table. */
  call: 4,
  /** The command waited for values of the warm tier before it ran; the detail is how many. */
  fetch: 5,
} as const;

/** Doubles of a body. */
export const TimesAt = {
  slot: 0,
  sequence: 1,
  queueUs: 2,
  startUs: 3,
  endUs: 4,
  error: 5,
} as const;
export const TIMES_HEAD = 6;
export const TIMES_PART = 4;
/**
 * Maximum number of parts of one command that are recorded, besides the wait for a sync: a long transaction is
 * truncated.
 */
const PARTS_MAX = 64;
/** Parts that the calls of scripts leave to the others. */
const PARTS_BESIDE_CALLS = 8;

/** Writes the end of the wait for the log's sync into a body of `length` doubles, if there was a wait. */
export function settleTimes(
  doubles: Float64Array,
  at: number,
  length: number,
  endUs: number,
): void {
  const part = at + length - TIMES_PART;
  if (length > TIMES_HEAD && doubles[part] === TracedPart.logSync) doubles[part + 3] = endUs;
}

/** Execution of a command on a shard: its times and result. */
export interface ShardTimes {
  readonly queueUs: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly error: number;
}

/** Collects the times of one command at a time; its memory is used again for the next. */
export class TraceTimes {
  readonly #doubles = new Float64Array(TIMES_HEAD + TIMES_PART * (PARTS_MAX + 1));
  readonly #bytes = new Uint8Array(this.#doubles.buffer);
  #end = TIMES_HEAD;

  clear(): void {
    this.#end = TIMES_HEAD;
  }

  /** A number of TracedPart. Beyond the limit, parts are left out. */
  add(part: number, detail: number, startUs: number, endUs: number): void {
    const doubles = this.#doubles;
    const at = this.#end;
    if (at >= doubles.length - TIMES_PART * partsKeptFrom(part)) return;
    doubles[at] = part;
    doubles[at + 1] = detail;
    doubles[at + 2] = startUs;
    doubles[at + 3] = endUs;
    this.#end = at + TIMES_PART;
  }

  /** The body of a frame, until the next command; forgets the parts. */
  take(slot: number, sequence: number, times: ShardTimes): Bytes {
    const doubles = this.#doubles;
    doubles[TimesAt.slot] = slot;
    doubles[TimesAt.sequence] = sequence;
    doubles[TimesAt.queueUs] = times.queueUs;
    doubles[TimesAt.startUs] = times.startUs;
    doubles[TimesAt.endUs] = times.endUs;
    doubles[TimesAt.error] = times.error;
    const bytes = 8 * this.#end;
    this.#end = TIMES_HEAD;
    return this.#bytes.subarray(0, bytes);
  }
}

/** Number of parts for which there must be room behind a part of this kind. */
function partsKeptFrom(part: number): number {
  if (part === TracedPart.logSync) return 0;
  return part === TracedPart.call ? 1 + PARTS_BESIDE_CALLS : 1;
}
