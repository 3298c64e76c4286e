/** Many bulk strings on their way from a shard to main, as a client gets them. */

import { type Bytes, copyBytes, writeInteger } from '#base';
import type { ReplyWriter } from '#resp';
import { PieceReader, writeWord, type PartCodec } from './parts.ts';

const FIRST_BYTES = 1_024;
/** Memory that is taken at once; a longer string has a piece of its own. */
const PIECE_BYTES_MAX = 1_048_576;
/** Bytes around a string at most: its sign, ten digits, and two ends of a line. */
const FRAME_BYTES_MAX = 15;
const DOLLAR = 0x24;
const CR = 0x0d;
const LF = 0x0a;

/** Finished bulk strings, which RESP2 and RESP3 write alike. */
export class BulkList {
  count = 0;
  readonly #full: Bytes[] = [];
  #bytes: Bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;

  push(source: Bytes, at: number, length: number): void {
    if (this.#used + length + FRAME_BYTES_MAX > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    const head = writeHead(bytes, this.#used, length);
    copyBytes(source, at, bytes, head, length);
    bytes[head + length] = CR;
    bytes[head + length + 1] = LF;
    this.#used = head + length + 2;
    this.count += 1;
  }

  /** Pieces of memory, each with whole strings. */
  get pieces(): readonly Bytes[] {
    return [...this.#full, this.#bytes.subarray(0, this.#used)];
  }

  #grow(length: number): void {
    if (this.#used > 0) this.#full.push(this.#bytes.subarray(0, this.#used));
    const room = Math.min(2 * this.#bytes.length, PIECE_BYTES_MAX);
    this.#bytes = new Uint8Array(Math.max(room, length + FRAME_BYTES_MAX));
    this.#used = 0;
  }
}

/** Writes what comes before a string, and returns where that begins. */
function writeHead(bytes: Bytes, at: number, length: number): number {
  bytes[at] = DOLLAR;
  const digits = writeInteger(length, bytes, at + 1);
  bytes[at + digits + 1] = CR;
  bytes[at + digits + 2] = LF;
  return at + digits + 3;
}

/** Finished bulk strings: how many, and the memory they lie in. */
export interface Bulks {
  readonly count: number;
  readonly pieces: readonly Bytes[];
}

export const NO_BULKS: Bulks = { count: 0, pieces: [] };

export function encodeBulks({ count, pieces }: Bulks, to: ReplyWriter): void {
  writeWord(count, to);
  writeWord(pieces.length, to);
  for (const piece of pieces) {
    writeWord(piece.length, to);
    to.raw(piece);
  }
}

export function readBulks(reader: PieceReader): Bulks {
  const count = reader.word();
  const pieces = Array.from({ length: reader.word() }, () => reader.bytes(reader.word()));
  return { count, pieces };
}

export const bulksPart: PartCodec<Bulks> = {
  encode: encodeBulks,
  decode: (pieces) => readBulks(new PieceReader(pieces)),
};

/** Writes one array of all strings. */
export function replyBulks(parts: readonly Bulks[], reply: ReplyWriter): void {
  reply.arrayHeader(parts.reduce((sum, { count }) => sum + count, 0));
  for (const { pieces } of parts) for (const piece of pieces) reply.raw(piece);
}
