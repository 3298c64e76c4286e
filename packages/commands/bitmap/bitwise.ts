/** Strings combined bit by bit, by words: a piece of the result at a time, which stays in the processor's cache. */

import type { Bytes } from '#base';
import { wordsBetween } from './bits.ts';

export type BitOperation = 'AND' | 'OR' | 'XOR' | 'NOT';

const PIECE_BYTES = 32 * 1024;
const WORD_BYTES = 4;

/** A piece of a source that does not begin where a word may. */
const alignedScratch = new Uint8Array(PIECE_BYTES);

type Words = Int32Array<ArrayBuffer>;
type Step = (target: Words, source: Words) => void;

const steps: Readonly<Record<BitOperation, Step>> = {
  AND(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! &= source[at]!;
  },
  OR(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! |= source[at]!;
  },
  XOR(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! ^= source[at]!;
  },
  NOT(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at] = ~source[at]!;
  },
};

const byteSteps: Readonly<Record<BitOperation, (before: number, byte: number) => number>> = {
  AND: (before, byte) => before & byte,
  OR: (before, byte) => before | byte,
  XOR: (before, byte) => before ^ byte,
  NOT: (_, byte) => ~byte,
};

/**
 * Returns the result of the operation on the sources, in a new buffer. Shorter sources are padded with zero bytes. NOT
 * has one source.
 */
export function combined(operation: BitOperation, sources: readonly Bytes[]): Bytes {
  let length = 0;
  for (const source of sources) length = Math.max(length, source.length);
  const result = new Uint8Array(length);
  for (let from = 0; from < length; from += PIECE_BYTES) {
    const to = Math.min(from + PIECE_BYTES, length);
    for (const [nth, source] of sources.entries()) {
      // The first source is copied; the bytes after it are zero already.
      if (nth > 0 || operation === 'NOT') apply(operation, result, from, to, source);
      else result.set(source.subarray(from, to), from);
    }
  }
  return result;
}

function apply(
  operation: BitOperation,
  result: Bytes,
  from: number,
  to: number,
  source: Bytes,
): void {
  const end = Math.max(from, Math.min(to, source.length));
  if (end > from) {
    const words = wordsFrom(source, from, end);
    steps[operation](wordsBetween(result, from, end), words);
    const byteStep = byteSteps[operation];
    for (let at = from + WORD_BYTES * words.length; at < end; at += 1) {
      result[at] = byteStep(result[at]!, source[at]!);
    }
  }
  if (operation === 'AND') result.fill(0, end, to);
}

function wordsFrom(source: Bytes, from: number, end: number): Words {
  if (((source.byteOffset + from) & (WORD_BYTES - 1)) === 0) {
    return wordsBetween(source, from, end);
  }
  alignedScratch.set(source.subarray(from, end));
  return wordsBetween(alignedScratch, 0, end - from);
}
