/** How a shard's part of an answer crosses to main. Fixed forms, since parts are on the data path. */

import { asBuffer, type Bytes } from '#base';
import type { ReplyWriter } from '#resp';

export interface PartCodec<Part> {
  /** Appends the part through the writer's `raw` and `ensure`. */
  encode(part: Part, to: ReplyWriter): void;
  /** Reads it back; views into `bytes` are valid during the merge only. */
  decode(bytes: Bytes, at: number, length: number): Part;
}

const ABSENT = 0xffff_ffff;

function writeWord(value: number, to: ReplyWriter): void {
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
  decode: (bytes, at) => asBuffer(bytes).readDoubleLE(at),
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
  decode(bytes, at) {
    const buffer = asBuffer(bytes);
    const count = buffer.readUInt32LE(at);
    const list: (Bytes | null)[] = [];
    let position = at + 4;
    for (let nth = 0; nth < count; nth += 1) {
      const length = buffer.readUInt32LE(position);
      position += 4;
      if (length === ABSENT) {
        list.push(null);
      } else {
        list.push(bytes.subarray(position, position + length));
        position += length;
      }
    }
    return list;
  },
};

/** Any JSON value: for rare reports, never for a client's bytes. */
export function jsonPart<Part>(): PartCodec<Part> {
  return {
    encode(part, to) {
      to.raw(Buffer.from(JSON.stringify(part), 'utf8'));
    },
    decode: (bytes, at, length) =>
      JSON.parse(asBuffer(bytes).toString('utf8', at, at + length)) as Part,
  };
}
