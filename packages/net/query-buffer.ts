/**
 * Bytes that a client has sent and that are not yet taken: a command that is not whole, or commands that must wait.
 *
 * What is taken from the front is not moved away, so a pipeline of any length is copied once. A long command that is alone
 * in it can be given away with its memory, which has room before it for what its taker puts there.
 */

import type { Bytes } from '#base';

/** Memory of a query buffer begins with this. */
const BYTES_MIN = 4 * 1024;
/** Longer commands have memory that can be given away. */
const GIVEN_BYTES_MIN = 8 * 1024 * 1024;
/** Room before one: for the head of a frame, and the places of some hundred arguments. */
const ROOM_BEFORE_BYTES = 4 * 1024;
/** Room behind it: the last bytes of a command are read together with what follows. */
const ROOM_BEHIND_BYTES = 64 * 1024;
/** Maximum size of the memory as a multiple of the received bytes, if a command is known to need that much. */
const GROWTH = 8;

export class QueryBuffer {
  bytes: Buffer = Buffer.alloc(0);
  /** Range of `bytes` that is in use. */
  start = 0;
  end = 0;

  get length(): number {
    return this.end - this.start;
  }

  /** True when the memory has free space before the used part, and is large enough to be handed over. */
  get isGivable(): boolean {
    return this.start === ROOM_BEFORE_BYTES && this.bytes.length >= GIVEN_BYTES_MIN;
  }

  /** Adds bytes; `needed` is how many the command at the front has at least. */
  append(source: Bytes, at: number, length: number, needed: number): void {
    if (this.end + length > this.bytes.length) this.#makeRoom(length, needed);
    this.bytes.set(source.subarray(at, at + length), this.end);
    this.end += length;
  }

  /** Gives the memory back. */
  clear(): void {
    this.bytes = Buffer.alloc(0);
    this.start = 0;
    this.end = 0;
  }

  /** Moves the used part to the front if that frees half of the memory, otherwise to larger memory. */
  #makeRoom(length: number, needed: number): void {
    const kept = this.length;
    const total = kept + length;
    const isRoomy = 2 * total <= this.bytes.length;
    const size = sizeFor(total, needed);
    const isGiven = !isRoomy && size === needed && needed >= GIVEN_BYTES_MIN;
    const before = isGiven ? ROOM_BEFORE_BYTES : 0;
    const room = isGiven ? before + ROOM_BEHIND_BYTES : 0;
    const target = isRoomy ? this.bytes : Buffer.allocUnsafeSlow(size + room);
    target.set(this.bytes.subarray(this.start, this.end), before);
    this.bytes = target;
    this.start = before;
    this.end = before + kept;
  }
}

/** Memory for `total` bytes of a command of `needed`: exactly that once an eighth of it is there, else twice as much. */
function sizeFor(total: number, needed: number): number {
  if (needed > total && needed <= GROWTH * total) return needed;
  return Math.max(BYTES_MIN, needed > total ? GROWTH * total : 2 * total);
}
