/** Hash slots: CRC16 (XMODEM, polynomial 0x1021) of the key's hash tag, as the Redis Cluster specification has it. */

import { indexOfByte } from '../bytes/bytes.ts';
import { SLOT_COUNT } from '../limits.ts';

const table = new Uint16Array(256);
for (let byte = 0; byte < 256; byte += 1) {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  table[byte] = crc;
}

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The slot, 0 to 16383, of the key at `at`; only the text inside the first non-empty `{...}` counts. */
export function keySlot(bytes: Uint8Array, at: number, length: number): number {
  const end = at + length;
  let crc = 0;
  for (let index = at; index < end; index += 1) {
    const byte = bytes[index]!;
    if (byte === OPEN_BRACE) return taggedSlot(bytes, at, index, end);
    crc = ((crc << 8) & 0xff00) ^ table[(crc >> 8) ^ byte]!;
  }
  return crc & (SLOT_COUNT - 1);
}

/** The shard that owns a slot: contiguous ranges of equal size. */
export function shardOfSlot(slot: number, shardCount: number): number {
  return Math.floor((slot * shardCount) / SLOT_COUNT);
}

function taggedSlot(bytes: Uint8Array, at: number, open: number, end: number): number {
  // Not `indexOf`: `bytes` may be many mebibytes longer than the key, and it would search them all.
  const close = indexOfByte(bytes, CLOSE_BRACE, open + 1, end);
  return close > open + 1 ? slotOf(bytes, open + 1, close) : slotOf(bytes, at, end);
}

function slotOf(bytes: Uint8Array, from: number, end: number): number {
  let crc = 0;
  for (let index = from; index < end; index += 1) {
    crc = ((crc << 8) & 0xff00) ^ table[(crc >> 8) ^ bytes[index]!]!;
  }
  return crc & (SLOT_COUNT - 1);
}
