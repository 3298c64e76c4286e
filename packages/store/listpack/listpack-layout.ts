/** The fixed parts of a listpack. */
import type { Bytes } from '#base';

/** u32 bytes in all, u16 entries. */
export const HEADER_BYTES = 6;
/** The header's count when there are this many entries or more. */
export const COUNT_UNKNOWN = 0xffff;
/** The last byte. */
export const END = 0xff;

/** Bytes that the length `body` takes after its entry. */
export function backLengthBytes(body: number): number {
  if (body <= 127) return 1;
  if (body < 16_383) return 2;
  if (body < 2_097_151) return 3;
  return body < 268_435_455 ? 4 : 5;
}

/** Writes the length `body` so that it is read backwards; returns its bytes. */
export function writeBackLength(target: Bytes, at: number, body: number): number {
  const count = backLengthBytes(body);
  let rest = body;
  for (let index = count - 1; index >= 0; index -= 1) {
    target[at + index] = index === 0 ? rest : (rest & 0x7f) | 0x80;
    rest = Math.floor(rest / 128);
  }
  return count;
}

export function writeWord(target: Bytes, at: number, value: number): void {
  target[at] = value;
  target[at + 1] = value >>> 8;
  target[at + 2] = value >>> 16;
  target[at + 3] = value >>> 24;
}
