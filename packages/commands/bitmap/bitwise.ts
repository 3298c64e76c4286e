/** Strings combined bit by bit, by words: a piece of the result at a time, which stays in the processor's cache. */

import type { Bytes } from '#base';
import { wordsBetween } from './bits.ts';

export const BIT_OPERATIONS = ['AND', 'OR', 'XOR', 'NOT', 'DIFF', 'DIFF1', 'ANDOR', 'ONE'] as const;
export type BitOperation = (typeof BIT_OPERATIONS)[number];

const PIECE_BYTES = 32 * 1024;
const WORD_BYTES = 4;

/** A piece of a source that does not begin where a word may. */
const alignedScratch = new Uint8Array(PIECE_BYTES);
/** Bits of a piece that several sources have. */
const repeatedScratch = new Uint8Array(PIECE_BYTES);
const repeatedWordsScratch = new Int32Array(repeatedScratch.buffer);

type Words = Int32Array<ArrayBuffer>;

/** One source applied to the result: to words at a time, and to the bytes after them. */
interface Step {
  /** True when the result has no bits after the end of the source. */
  readonly clearsRest?: boolean;
  ofWords(target: Words, source: Words): void;
  ofByte(before: number, byte: number, at: number): number;
}

const and: Step = {
  clearsRest: true,
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! &= source[at]!;
  },
  ofByte: (before, byte) => before & byte,
};

const or: Step = {
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! |= source[at]!;
  },
  ofByte: (before, byte) => before | byte,
};

const xor: Step = {
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! ^= source[at]!;
  },
  ofByte: (before, byte) => before ^ byte,
};

const not: Step = {
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at] = ~source[at]!;
  },
  ofByte: (_, byte) => ~byte,
};

const without: Step = {
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) target[at]! &= ~source[at]!;
  },
  ofByte: (before, byte) => before & ~byte,
};

/** Collects the bits of all sources; those of several ones in `repeatedScratch` besides. */
const collect: Step = {
  ofWords(target, source) {
    for (let at = 0; at < source.length; at += 1) {
      repeatedWordsScratch[at]! |= target[at]! & source[at]!;
      target[at]! |= source[at]!;
    }
  },
  ofByte(before, byte, at) {
    repeatedScratch[at]! |= before & byte;
    return before | byte;
  },
};

/** Way of an operation: a source that is copied, the others by one step, and at last one source or what was repeated. */
interface Plan {
  readonly copied: Bytes | undefined;
  readonly others: readonly Bytes[];
  readonly step: Step;
  readonly last?: Step;
  readonly lastSource?: Bytes | undefined;
}

function planOf(operation: BitOperation, sources: readonly Bytes[]): Plan {
  const [first, second] = sources;
  const others = sources.slice(1);
  switch (operation) {
    case 'NOT':
      return { copied: undefined, others: sources, step: not };
    case 'DIFF':
      return { copied: first, others, step: without };
    case 'DIFF1':
    case 'ANDOR': {
      const last = operation === 'ANDOR' ? and : without;
      return { copied: second, others: sources.slice(2), step: or, last, lastSource: first };
    }
    case 'ONE':
      return { copied: first, others, step: collect, last: without };
    case 'AND':
      return { copied: first, others, step: and };
    case 'OR':
      return { copied: first, others, step: or };
    case 'XOR':
      return { copied: first, others, step: xor };
  }
}

/**
 * Returns the result of the operation on the sources, in a new buffer. Shorter sources are padded with zero bytes. NOT
 * has one source; DIFF, DIFF1 and ANDOR have at least two.
 */
export function combined(operation: BitOperation, sources: readonly Bytes[]): Bytes {
  let length = 0;
  for (const source of sources) length = Math.max(length, source.length);
  const result = new Uint8Array(length);
  const plan = planOf(operation, sources);
  for (let from = 0; from < length; from += PIECE_BYTES) {
    combinePiece(plan, result, from, Math.min(from + PIECE_BYTES, length));
  }
  return result;
}

function combinePiece(plan: Plan, result: Bytes, from: number, to: number): void {
  const { copied, others, step, last, lastSource } = plan;
  // The bytes after a copied source are zero already.
  if (copied !== undefined) result.set(copied.subarray(from, to), from);
  if (step === collect) repeatedScratch.fill(0);
  const piece = result.subarray(from, to);
  for (const source of others) apply(step, piece, source, from);
  if (last === undefined) return;
  if (lastSource === undefined) apply(last, piece, repeatedScratch, 0);
  else apply(last, piece, lastSource, from);
}

/** Applies the bytes of a source from `from` on to a piece of the result. */
function apply(step: Step, piece: Bytes, source: Bytes, from: number): void {
  const count = Math.max(0, Math.min(piece.length, source.length - from));
  if (count > 0) {
    const words = wordsFrom(source, from, from + count);
    step.ofWords(wordsBetween(piece, 0, count), words);
    for (let at = WORD_BYTES * words.length; at < count; at += 1) {
      piece[at] = step.ofByte(piece[at]!, source[from + at]!, at);
    }
  }
  if (step.clearsRest === true) piece.fill(0, count);
}

function wordsFrom(source: Bytes, from: number, end: number): Words {
  if (((source.byteOffset + from) & (WORD_BYTES - 1)) === 0) {
    return wordsBetween(source, from, end);
  }
  alignedScratch.set(source.subarray(from, end));
  return wordsBetween(alignedScratch, 0, end - from);
}
