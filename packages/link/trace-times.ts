/**
 * What a shard tells of a traced command: the body of a `times` frame, as doubles. All times are monotonic
 * microseconds of the one clock of the process.
 *
 *   slot, sequence    whose command it is; of a transaction, EXEC's
 *   queueUs           how long the frame was in the ring; negative when it had waited for its keys
 *   startUs, endUs    from the frame's being taken to its reply's being written
 *   error             index of the error's code in ERROR_CODES, or -1
 *   parts             for each: a number of TracedPart, a detail, its start, its end
 */

import type { Bytes } from '#base';

/** What ran within a command's execution. The numbers cross threads, and a golden test freezes them. */
export const TracedPart = {
  /** A command's handler, on its data; the detail is the command's index in the table. */
  store: 0,
  /** Room was made for the command; the detail is how many keys were evicted. */
  evict: 1,
  /** Effects were written to the log; the detail is their bytes. */
  logWrite: 2,
  /** The log was synced. */
  logSync: 3,
} as const;

const HEAD = 6;
const PART = 4;
/** Parts of one command that are told of: a long transaction is not told whole. */
const PARTS_MAX = 64;

/** One part of a command's execution. */
export interface PartTimes {
  readonly part: number;
  readonly detail: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** What one shard did for one request. */
export interface ShardTimes {
  readonly slot: number;
  readonly sequence: number;
  readonly queueUs: number;
  readonly startUs: number;
  readonly endUs: number;
  readonly error: number;
  readonly parts: readonly PartTimes[];
}

/** Collects the times of one command at a time; its memory is used again for the next. */
export class TraceTimes {
  readonly #doubles = new Float64Array(HEAD + PART * PARTS_MAX);
  readonly #bytes = new Uint8Array(this.#doubles.buffer);
  #parts = 0;

  clear(): void {
    this.#parts = 0;
  }

  /** Beyond the limit, parts are left out. */
  add({ part, detail, startUs, endUs }: PartTimes): void {
    if (this.#parts === PARTS_MAX) return;
    this.#doubles.set([part, detail, startUs, endUs], HEAD + PART * this.#parts);
    this.#parts += 1;
  }

  /** The body of a frame, until the next command; forgets the parts. */
  take(head: Omit<ShardTimes, 'parts'>): Bytes {
    const { slot, sequence, queueUs, startUs, endUs, error } = head;
    this.#doubles.set([slot, sequence, queueUs, startUs, endUs, error]);
    const bytes = 8 * (HEAD + PART * this.#parts);
    this.#parts = 0;
    return this.#bytes.subarray(0, bytes);
  }
}

export function decodeTimes(body: Bytes): ShardTimes {
  const doubles = new Float64Array(Uint8Array.from(body).buffer);
  const parts: PartTimes[] = [];
  for (let at = HEAD; at + PART <= doubles.length; at += PART) {
    const [part, detail, startUs, endUs] = doubles.subarray(at, at + PART) as unknown as Four;
    parts.push({ part, detail, startUs, endUs });
  }
  const [slot, sequence, queueUs, startUs, endUs, error] = doubles as unknown as Six;
  return { slot, sequence, queueUs, startUs, endUs, error, parts };
}

type Four = readonly [number, number, number, number];
type Six = readonly [number, number, number, number, number, number];
