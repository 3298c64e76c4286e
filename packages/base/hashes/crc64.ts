/**
 * CRC-64 with the polynomial of Jones, bits reflected, as Redis puts it behind dumps. A number holds 53
 * bits exactly, so that the sum is kept as two words.
 */
import type { Bytes } from '../bytes/byte-array.ts';

/** The polynomial with its bits reversed. */
const POLYNOMIAL_HIGH = 0x95ac_9329;
const POLYNOMIAL_LOW = 0xac4b_c9b5;

const tableHigh = new Uint32Array(256);
const tableLow = new Uint32Array(256);
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

/** Both words of a sum, unsigned. */
interface Crc64 {
  readonly high: number;
  readonly low: number;
}

/** The sum of `length` bytes from `at` on, behind those whose sum is `before`. */
export function crc64(
  bytes: Bytes,
  at: number,
  length: number,
  before: Crc64 = { high: 0, low: 0 },
): Crc64 {
  let { high, low } = before;
  for (let index = at; index < at + length; index += 1) {
    const entry = (low ^ bytes[index]!) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ tableLow[entry]!;
    high = (high >>> 8) ^ tableHigh[entry]!;
  }
  return { high: high >>> 0, low: low >>> 0 };
}
