/**
 * The data of a primary: of a length that is sent before, or, if it is created while it is sent, up to a mark of 40
 * bytes. Nothing follows the mark before the replica has acknowledged, so only the end is searched for it.
 */

import type { Bytes } from '#base';

/** Form in which the data come. */
interface Payload {
  /** Undefined where `mark` ends them. */
  readonly bytes: number | undefined;
  readonly mark: Buffer;
}

const MARK_BYTES = 40;

/** Returns the form that a line announces; undefined if the line does not start data. */
export function payloadOf(line: string): Payload | undefined {
  const marked = /^\$EOF:(.{40})$/s.exec(line);
  if (marked !== null) return { bytes: undefined, mark: Buffer.from(marked[1]!, 'latin1') };
  const match = /^\$(\d{1,15})$/.exec(line);
  return match === null ? undefined : { bytes: Number(match[1]), mark: Buffer.alloc(0) };
}

export class PayloadReader {
  readonly #payload: Payload;
  #left: number;
  /** The last received bytes, which may be the mark or its start. */
  #tail = Buffer.alloc(0);
  isComplete = false;

  constructor(payload: Payload) {
    this.#payload = payload;
    this.#left = payload.bytes ?? Infinity;
    this.isComplete = this.#left === 0;
  }

  /** Processes bytes and passes on the data; returns the number of processed bytes. */
  take(piece: Bytes, handOn: (data: Bytes) => void): number {
    return this.#payload.bytes === undefined
      ? this.#takeMarked(piece, handOn)
      : this.#takeCounted(piece, handOn);
  }

  #takeCounted(piece: Bytes, handOn: (data: Bytes) => void): number {
    const length = Math.min(piece.length, this.#left);
    this.#left -= length;
    if (length > 0) handOn(piece.subarray(0, length));
    this.isComplete = this.#left === 0;
    return length;
  }

  /** All but the last 40 bytes are data in any case. */
  #takeMarked(piece: Bytes, handOn: (data: Bytes) => void): number {
    const known = this.#tail.length + piece.length - MARK_BYTES;
    const fromTail = Math.max(0, Math.min(this.#tail.length, known));
    if (fromTail > 0) handOn(this.#tail.subarray(0, fromTail));
    const fromPiece = Math.max(0, known - this.#tail.length);
    if (fromPiece > 0) handOn(piece.subarray(0, fromPiece));
    this.#tail = Buffer.concat([this.#tail.subarray(fromTail), piece.subarray(fromPiece)]);
    this.isComplete = this.#tail.equals(this.#payload.mark);
    return piece.length;
  }
}
