/** Records that are too long for a block: their parts, on the way to the disk and back. */

import { type Bytes, bytesOfPieces, type Pieces } from '#base';
import { frameBytes } from '#link';
import { Record, RECORD_HEADER_BYTES, RecordKind } from './record.ts';

/** A record in its own memory; its head is in the first piece. */
export type RecordPieces = readonly [Bytes, ...Bytes[]];

/** A longer record in several pieces is written in parts. */
const WHOLE_RECORD_MAX = 64 * 1024 * 1024;

/** Content of a block of its own, and how many records end with it. */
interface RecordBlock {
  readonly pieces: Pieces;
  readonly records: number;
}

/** The blocks that a record is written in. */
export function blocksOf(record: Pieces): RecordBlock[] {
  let toCome = bytesOfPieces(record);
  if (record.length === 1 || toCome <= WHOLE_RECORD_MAX) {
    return [{ pieces: [...record, paddingOf(toCome)], records: 1 }];
  }
  return record.map((piece) => {
    toCome -= piece.length;
    const pieces = [headOf(piece.length, toCome), piece, paddingOf(piece.length)];
    return { pieces, records: toCome === 0 ? 1 : 0 };
  });
}

function paddingOf(bytes: number): Bytes {
  return new Uint8Array(frameBytes(bytes) - bytes);
}

/** Returns the head of a part of `bytes` bytes. */
function headOf(bytes: number, toCome: number): Bytes {
  const head = new Uint8Array(RECORD_HEADER_BYTES);
  const view = new DataView(head.buffer);
  view.setInt32(4 * Record.bytes, frameBytes(RECORD_HEADER_BYTES + bytes), true);
  view.setInt32(4 * Record.kind, RecordKind.part, true);
  view.setFloat64(4 * Record.toCome, toCome, true);
  view.setInt32(4 * Record.bodyBytes, bytes, true);
  return head;
}

/** Takes parts as they are read. */
export class PartCollector {
  #pieces: Bytes[] = [];

  /** True when no record is open. */
  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Takes the part that begins at that byte, in memory that may be used again; returns the record when it is whole. */
  take(bytes: Bytes, at: number): RecordPieces | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at, RECORD_HEADER_BYTES);
    const from = at + RECORD_HEADER_BYTES;
    const length = view.getInt32(4 * Record.bodyBytes, true);
    this.#pieces.push(bytes.slice(from, from + length));
    if (view.getFloat64(4 * Record.toCome, true) > 0) return undefined;
    const record = this.#pieces as [Bytes, ...Bytes[]];
    this.#pieces = [];
    return record;
  }

  /** Forgets a record that was never whole; returns true if there was one. */
  drop(): boolean {
    const wasBegun = !this.isEmpty;
    this.#pieces = [];
    return wasBegun;
  }
}
