/** Codecs of a shard's part of an answer on its way to main. Fixed forms, since parts are on the data path. */

import { asBuffer, assert, type Bytes } from '#base';
import type { ReplyWriter } from '#resp';

export interface PartCodec<Part> {
  /** Appends the part through the writer's `raw` and `ensure`. */
  encode(part: Part, to: ReplyWriter): void;
  /** Reads it back from its pieces, whose memory is the part's from then on. */
  decode(pieces: readonly Bytes[]): Part;
}

const ABSENT = 0xffff_ffff;

/** Reads a part from left to right. What was written at once is in one piece. */
export class PieceReader {
  readonly #pieces: readonly Bytes[];
  #nth = 0;
  #at = 0;

  constructor(pieces: readonly Bytes[]) {
    this.#pieces = pieces;
  }

  word(): number {
    return asBuffer(this.bytes(4)).readUInt32LE(0);
  }

  double(): number {
    return asBuffer(this.bytes(8)).readDoubleLE(0);
  }

  bytes(length: number): Bytes {
    let piece = this.#pieces[this.#nth]!;
    while (this.#at === piece.length && length > 0) {
      this.#nth += 1;
      this.#at = 0;
      piece = this.#pieces[this.#nth]!;
    }
    const at = this.#at;
    this.#at = at + length;
    assert(this.#at <= piece.length, 'what was written at once is in one piece');
    return piece.subarray(at, at + length);
  }

  /** All that is left, which was written at once. */
  rest(): Bytes {
    const piece = this.#pieces[this.#nth]!;
    return this.bytes(piece.length - this.#at);
  }
}

/** Appends 32 bits. */
export function writeWord(value: number, to: ReplyWriter): void {
  to.ensure(4);
  const { bytes, at } = to;
  bytes[at] = value & 0xff;
  bytes[at + 1] = (value >>> 8) & 0xff;
  bytes[at + 2] = (value >>> 16) & 0xff;
  bytes[at + 3] = value >>> 24;
  to.at = at + 4;
}

/** A 53-bit integer or any double. */
export const integerPart: PartCodec<number> = {
  encode(part, to) {
    const body = Buffer.allocUnsafe(8);
    body.writeDoubleLE(part, 0);
    to.raw(body);
  },
  decode: (pieces) => new PieceReader(pieces).double(),
};

export const nothingPart: PartCodec<null> = {
  encode() {
    // Nothing to say is said with no bytes.
  },
  decode: () => null,
};

/** A list of byte strings, some of which may be absent. */
export const bytesListPart: PartCodec<readonly (Bytes | null)[]> = {
  encode(part, to) {
    writeWord(part.length, to);
    for (const item of part) {
      writeWord(item === null ? ABSENT : item.length, to);
      if (item !== null) to.raw(item);
    }
  },
  decode: (pieces) => readBytesList(new PieceReader(pieces)),
};

function readBytesList(reader: PieceReader): readonly (Bytes | null)[] {
  const count = reader.word();
  const list: (Bytes | null)[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const length = reader.word();
    list.push(length === ABSENT ? null : reader.bytes(length));
  }
  return list;
}

/** Any JSON value: for rare reports, never for a client's bytes. */
export function jsonPart<Part>(): PartCodec<Part> {
  return {
    encode(part, to) {
      to.raw(Buffer.from(JSON.stringify(part), 'utf8'));
    },
    decode: (pieces) => JSON.parse(asBuffer(new PieceReader(pieces).rest()).toString()) as Part,
  };
}
