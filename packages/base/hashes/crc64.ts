/**
 * CRC-64 with the polynomial of Jones, bits reflected, as Redis puts it behind dumps. A number holds 53
 * bits exactly, so that the sum is kept as two words.
 */
import type { Bytes } from '../bytes/byte-array.ts';

/** The polynomial with its bits reversed. */
const POLYNOMIAL_HIGH = 0x95ac_9329;
const POLYNOMIAL_LOW = 0xac4b_c9b5;

/** Bytes that are added at once: their look-ups do not wait for one another, as those of single bytes do. */
const STRIDE = 8;

/** Words of the sum of each byte with as many zeros after it as the number of the table. */
const tableHigh = new Uint32Array(STRIDE * 256);
const tableLow = new Uint32Array(STRIDE * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let high = 0;
  let low = byte;
  for (let bit = 0; bit < 8; bit += 1) {
    const isOdd = (low & 1) === 1;
    low = (low >>> 1) | (high << 31);
    high >>>= 1;
    if (isOdd) {
      low ^= POLYNOMIAL_LOW;
      high ^= POLYNOMIAL_HIGH;
    }
  }
  tableHigh[byte] = high;
  tableLow[byte] = low;
}
for (let index = 256; index < STRIDE * 256; index += 1) {
  const high = tableHigh[index - 256]!;
  const low = tableLow[index - 256]!;
  const entry = low & 0xff;
  tableLow[index] = ((low >>> 8) | (high << 24)) ^ tableLow[entry]!;
  tableHigh[index] = (high >>> 8) ^ tableHigh[entry]!;
}

/** Both words of a sum, unsigned. */
interface Crc64 {
  readonly high: number;
  readonly low: number;
}

/** The sum of `length` bytes from `at` on, after those whose sum is `before`. */
export function crc64(
  bytes: Bytes,
  at: number,
  length: number,
  before: Crc64 = { high: 0, low: 0 },
): Crc64 {
  let { high, low } = before;
  const end = at + length;
  let index = at;
  for (; index + STRIDE <= end; index += STRIDE) {
    // Tables from the last to the first, for the byte with the most after it to the one with none.
    const first = (low ^ bytes[index]!) & 0xff;
    const second = ((low >>> 8) ^ bytes[index + 1]!) & 0xff;
    const third = ((low >>> 16) ^ bytes[index + 2]!) & 0xff;
    const fourth = (low >>> 24) ^ bytes[index + 3]!;
    const fifth = (high ^ bytes[index + 4]!) & 0xff;
    const sixth = ((high >>> 8) ^ bytes[index + 5]!) & 0xff;
    const seventh = ((high >>> 16) ^ bytes[index + 6]!) & 0xff;
    const eighth = (high >>> 24) ^ bytes[index + 7]!;
    low =
      tableLow[0x700 | first]! ^
      tableLow[0x600 | second]! ^
      tableLow[0x500 | third]! ^
      tableLow[0x400 | fourth]! ^
      tableLow[0x300 | fifth]! ^
      tableLow[0x200 | sixth]! ^
      tableLow[0x100 | seventh]! ^
      tableLow[eighth]!;
    high =
      tableHigh[0x700 | first]! ^
      tableHigh[0x600 | second]! ^
      tableHigh[0x500 | third]! ^
      tableHigh[0x400 | fourth]! ^
      tableHigh[0x300 | fifth]! ^
      tableHigh[0x200 | sixth]! ^
      tableHigh[0x100 | seventh]! ^
      tableHigh[eighth]!;
  }
  for (; index < end; index += 1) {
    const entry = (low ^ bytes[index]!) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ tableLow[entry]!;
    high = (high >>> 8) ^ tableHigh[entry]!;
  }
  return { high: high >>> 0, low: low >>> 0 };
}
