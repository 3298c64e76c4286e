/** The string that a bitmap command works on. */

import { type Bytes, CommandError, parseInteger, parseInteger64 } from '#base';
import type { Ref } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { ShardContext } from '../contexts/contexts.ts';
import { findStringToWrite } from '../elements/lookup.ts';
import { StringForm } from '../string/encoding.ts';
import { createZeros } from '../string/write.ts';
import { byteOf } from './bits.ts';

const badOffset = new CommandError('ERR bit offset is not an integer or out of range');

/** Reads the bit offset of argument `index`. With `width`, `#n` is the n-th field of that many bits. */
export function readOffset(
  { settings, isObeyed }: ShardContext,
  args: Arguments,
  index: number,
  width = 0,
): number {
  const at = args.at(index);
  const length = args.length(index);
  const isField = width > 0 && args.source[at] === HASH_SIGN;
  const number = isField
    ? bitOfField(args.source, at + 1, length - 1, width)
    : parseInteger(args.source, at, length);
  const bytesMax = isObeyed ? Infinity : settings.number('server.proto-max-bulk-len');
  // NaN fails both comparisons.
  if (number >= 0 && byteOf(number) < bytesMax) return number;
  throw badOffset;
}

const HASH_SIGN = 0x23;

/** The first bit of the n-th field: a product beyond 64 bits loses what is beyond, as Redis 7.4 has it. */
function bitOfField(bytes: Bytes, at: number, length: number, width: number): number {
  const bit = parseInteger(bytes, at, length) * width;
  if (Number.isSafeInteger(bit)) return bit;
  const field = parseInteger64(bytes, at, length);
  return field === undefined ? NaN : Number(BigInt.asIntN(64, field * BigInt(width)));
}

interface WritableBitmap {
  ref: Ref;
  /** The string was made or has grown. */
  grown: boolean;
}

/** The key's string, made and grown with zero bytes so that it has bit `finalBit`. */
export function bitmapWithBit(
  context: ShardContext,
  args: Arguments,
  finalBit: number,
): WritableBitmap {
  const { keyspace } = context;
  const bytesNeeded = byteOf(finalBit) + 1;
  const existing = findStringToWrite(context, args, 1);
  if (existing === 0) {
    return { ref: createZeros(context, args, bytesNeeded), grown: true };
  }
  const grown = keyspace.length(existing) < bytesNeeded;
  const ref = grown ? keyspace.resize(existing, bytesNeeded) : existing;
  keyspace.setEncoding(ref, StringForm.raw);
  return { ref, grown };
}
