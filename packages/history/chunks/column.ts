/**
 * The values of one series in a chunk. Most series never change within a chunk: these take one byte, or nine.
 *
 *   kind     content
 *   absent   -: no sample has a value
 *   zero     -
 *   constant one double
 *   whole    length, then for each sample the difference to the one before it
 *   thousandths as `whole`, of the values times 1,000
 *   double   length, then the values
 *
 * With the flag SPARSE the content begins with a bit for each sample that has a value.
 */

import { ByteReader, type ByteWriter, DamagedChunk } from './byte-writer.ts';

const Kind = { absent: 0, zero: 1, constant: 2, whole: 3, thousandths: 4, double: 5 } as const;
const SPARSE = 0x80;
const THOUSAND = 1_000;
/** Largest whole number of which sums and differences are exact. */
const WHOLE_MAX = 2 ** 51;

/** Writes the first `count` values; NaN is no value. `scratch` is cleared before and after. */
export function writeColumn(
  writer: ByteWriter,
  scratch: ByteWriter,
  values: Float64Array,
  count: number,
): void {
  const known = values.subarray(0, count).filter((value) => !Number.isNaN(value));
  const kind = kindOf(known);
  const isSparse = known.length > 0 && known.length < count;
  writer.byte(isSparse ? kind | SPARSE : kind);
  if (isSparse) writer.append(presence(values, count));
  if (kind === Kind.constant) writer.double(known[0]!);
  if (kind < Kind.whole) return;
  scratch.clear();
  writeValues(scratch, known, kind);
  writer.varint(scratch.length);
  writer.append(scratch.bytes);
}

/** Reads the values of `count` samples, or skips them where they are not wanted. */
export function readColumn(
  reader: ByteReader,
  count: number,
  isWanted: boolean,
): Float64Array | undefined {
  const head = reader.byte();
  const kind = head & ~SPARSE;
  if (kind > Kind.double) throw new DamagedChunk(`a column of kind ${kind} is not known`);
  const places = (head & SPARSE) === 0 ? undefined : reader.take(Math.ceil(count / 8));
  const constant = kind === Kind.constant ? reader.double() : 0;
  const content = kind < Kind.whole ? undefined : reader.take(reader.varint());
  if (!isWanted) return undefined;
  const values = new Float64Array(count).fill(NaN);
  if (kind === Kind.absent) return values;
  const next = content === undefined ? () => constant : valueReader(new ByteReader(content), kind);
  for (let index = 0; index < count; index += 1) {
    const isThere = places === undefined || (places[index >> 3]! & (1 << (index & 7))) !== 0;
    if (isThere) values[index] = next();
  }
  return values;
}

function kindOf(known: Float64Array): number {
  const [first] = known;
  if (first === undefined) return Kind.absent;
  if (known.every((value) => value === first)) return first === 0 ? Kind.zero : Kind.constant;
  if (known.every((value) => isWhole(value))) return Kind.whole;
  const areThousandths = known.every(
    (value) =>
      isWhole(Math.round(value * THOUSAND)) && Math.round(value * THOUSAND) / THOUSAND === value,
  );
  return areThousandths ? Kind.thousandths : Kind.double;
}

function isWhole(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= WHOLE_MAX;
}

function presence(values: Float64Array, count: number): Uint8Array {
  const places = new Uint8Array(Math.ceil(count / 8));
  for (let index = 0; index < count; index += 1) {
    if (!Number.isNaN(values[index]!)) places[index >> 3]! |= 1 << (index & 7);
  }
  return places;
}

function writeValues(writer: ByteWriter, known: Float64Array, kind: number): void {
  let before = 0;
  for (const value of known) {
    if (kind === Kind.double) {
      writer.double(value);
      continue;
    }
    const whole = kind === Kind.whole ? value : Math.round(value * THOUSAND);
    writer.signed(whole - before);
    before = whole;
  }
}

function valueReader(reader: ByteReader, kind: number): () => number {
  if (kind === Kind.double) return () => reader.double();
  let sum = 0;
  return () => {
    sum += reader.signed();
    return kind === Kind.whole ? sum : sum / THOUSAND;
  };
}
