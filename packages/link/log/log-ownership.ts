/**
 * Owner of a shard's log, and the position at which writing continues.
 *
 * Where replies wait for the log the shard writes it itself, and otherwise the disk thread does: so all that a writer
 * knows of the log stands in shared memory, for the thread that owns the log.
 *
 *   word 0     owner of the log, a number of `LogThread`
 *   byte 64    doubles, in the order of `FIELDS`: read and written only by the owner
 */

import type { LinkMemory } from '../memory.ts';

const FIELDS_AT = 64;

const NOBODY = 0;

export const LogThread = { diskThread: 1, shard: 2 } as const;

/** State of the last segment. */
const FileState = { closed: 0, open: 1, left: 2 } as const;

/** One double each. */
const FIELDS = [
  'state',
  /** File of the open segment; then its bytes, blocks, and how many of them are on disk. */
  'descriptor',
  'bytes',
  'blocks',
  'syncedBlocks',
  /** Unix milliseconds at which it was made. */
  'createdMs',
  /** The file's size: more than `bytes` where zeros are ahead. */
  'size',
  /** The number of the last segment, 0 when there is none. */
  'number',
  /** Records that were dropped since the last segment, or are not in it for certain. */
  'lost',
  /** Number of the segment before the last, 0 when there is none, and the records that are missing between the two. */
  'before',
  'lostBefore',
  /** 1 while a sync is under way that the disk thread does not wait for. */
  'syncing',
  /** Life of the server that writes the log. */
  'epoch',
  /** Number of the first snapshot that the log can rest on, while none is on disk; else 0. */
  'foundation',
] as const;

type PenField = (typeof FIELDS)[number];

const AT = Object.fromEntries(FIELDS.map((name, index) => [name, index])) as Readonly<
  Record<PenField, number>
>;

/** Bytes that this takes in the link memory. */
export const LOG_OWNER_BYTES = FIELDS_AT + FIELDS.length * Float64Array.BYTES_PER_ELEMENT;

export class LogOwner {
  readonly #words: Int32Array;
  readonly #at: number;
  readonly #fields: Float64Array;
  readonly #holder: number;

  /** The end of one that may hold it. */
  constructor(memory: LinkMemory, at: number, holder: number) {
    this.#holder = holder;
    this.#words = memory.words;
    this.#at = at >> 2;
    this.#fields = new Float64Array(memory.bytes.buffer, at + FIELDS_AT, FIELDS.length);
  }

  /** Blocks until the log is free, and takes it. */
  take(): void {
    while (!this.tryTake()) {
      const holder = Atomics.load(this.#words, this.#at);
      if (holder !== NOBODY) Atomics.wait(this.#words, this.#at, holder);
    }
  }

  /** Takes the log if it is free; returns whether it was. */
  tryTake(): boolean {
    return Atomics.compareExchange(this.#words, this.#at, NOBODY, this.#holder) === NOBODY;
  }

  give(): void {
    Atomics.store(this.#words, this.#at, NOBODY);
    Atomics.notify(this.#words, this.#at, 1);
  }

  /** Called when the thread of this object has ended. If it owned the log, the log is closed: its progress is unknown. */
  endHolder(): void {
    if (Atomics.load(this.#words, this.#at) !== this.#holder) return;
    this.isOpen = false;
    this.give();
  }

  /** Starts a segment whose file has `bytes` bytes and was created at `createdMs`. */
  begin(number: number, descriptor: number, bytes: number, createdMs: number): void {
    this.set('number', number).set('descriptor', descriptor).set('createdMs', createdMs);
    this.set('bytes', bytes).set('size', bytes);
    for (const field of ['blocks', 'syncedBlocks', 'lost'] as const) this.set(field, 0);
    this.isOpen = true;
  }

  /** True when records go into a file. */
  get isOpen(): boolean {
    return this.get('state') === FileState.open;
  }

  set isOpen(value: boolean) {
    this.set('state', value ? FileState.open : FileState.closed);
  }

  /** True when nothing is written to the segment's file any more, and it has yet to be closed. */
  get isLeft(): boolean {
    return this.get('state') === FileState.left;
  }

  /** The file is closed by the thread that has opened it. */
  leave(): void {
    this.set('state', FileState.left);
  }

  get(field: PenField): number {
    return this.#fields[AT[field]]!;
  }

  set(field: PenField, value: number): this {
    this.#fields[AT[field]] = value;
    return this;
  }

  add(field: PenField, amount: number): void {
    this.#fields[AT[field]]! += amount;
  }
}
