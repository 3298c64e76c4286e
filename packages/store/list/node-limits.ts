/** Size limits of the listpacks of lists, as `list-max-listpack-size` says. */

/** Limits of lists, and settings of how their nodes are kept. */
export interface ListLimits {
  /** `list-max-listpack-size`: entries, or -1 to -5 for 4 to 64 KiB. */
  size: number;
  /** `list-compress-depth`. */
  compressDepth: number;
  /** Size in bytes from which an element gets its own node; 0 to use the size limit. For tests. */
  plainBytes: number;
}

/** Bytes for -1 to -5. */
const SIZE_BYTES = [4096, 8192, 16_384, 32_768, 65_536];
/** Bytes of a node that is bound by its entries. */
const SAFE_BYTES_MAX = 8192;
/** Most bytes that an entry takes beside its text, for one that is short. */
const ENTRY_ESTIMATE_BYTES = 8;
/** A listpack's header and end, of which two become one when listpacks are joined. */
const FRAME_BYTES = 7;
/** Highest settings that a list keeps from when it was made. */
const SIZE_MAX = 2 ** 15 - 1;
const DEPTH_MAX = 2 ** 16 - 1;

/** The size as a list keeps it. */
export function keptSize(size: number): number {
  return Math.max(Math.min(size, SIZE_MAX), -SIZE_BYTES.length);
}

export function keptDepth(depth: number): number {
  return Math.max(Math.min(depth, DEPTH_MAX), 0);
}

/** True when a listpack of this number of bytes and entries is too large. */
export function exceedsLimit(size: number, bytes: number, count: number): boolean {
  if (size < 0) return bytes > sizeBytes(size);
  return bytes > SAFE_BYTES_MAX || count > Math.max(size, 1);
}

/** True when a quicklist is small enough to become a listpack again: half of the limit. */
export function isWellBelowLimit(size: number, bytes: number, count: number): boolean {
  if (size < 0) return bytes <= sizeBytes(size) / 2;
  return count <= Math.floor(Math.max(size, 1) / 2);
}

/** True when an element of this number of bytes gets its own node. */
export function isLarge(size: number, bytes: number, plainBytes: number): boolean {
  if (plainBytes !== 0) return bytes >= plainBytes;
  return bytes > (size < 0 ? sizeBytes(size) : SAFE_BYTES_MAX);
}

/** True when another element of `added` bytes may go into a node. */
export function admitsElement(size: number, bytes: number, count: number, added: number): boolean {
  return !exceedsLimit(size, bytes + added + ENTRY_ESTIMATE_BYTES, count + 1);
}

/** True when two nodes may become one. */
export function admitsJoin(size: number, bytes: number, count: number): boolean {
  return !exceedsLimit(size, bytes - FRAME_BYTES, count);
}

function sizeBytes(size: number): number {
  return SIZE_BYTES[Math.min(-size, SIZE_BYTES.length) - 1]!;
}
