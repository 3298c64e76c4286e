/** The fields of entries whose references stand side by side, as those of a tree's leaf do. */

import { pageOf, wordAt, type Page } from './arena.ts';
import { Entry } from './entry.ts';

const WORD_BYTES = 4;
/** A varint of one byte is below. */
const LONG = 0x80;

const entry = new Entry();

/** References in `words`, from `first` on by `step`, so many. */
export interface RefRow {
  readonly words: Int32Array;
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Is shown a field, and the view of its memory where there is one. */
export type FieldVisitor = (bytes: Uint8Array, at: number, length: number, view?: DataView) => void;

export function visitFields(
  pages: readonly Page[],
  hasValues: boolean,
  { words, first, step, count }: RefRow,
  visit: FieldVisitor,
): void {
  const end = first + step * count;
  for (let index = first; index !== end; index += step) {
    const ref = words[index]!;
    const { bytes, view } = pages[pageOf(ref)]!;
    const start = wordAt(ref) * WORD_BYTES;
    const headAt = start + WORD_BYTES;
    const head = bytes[headAt]!;
    // A short field without expiry, and no value or a short one: a byte says how long each is.
    if (head < LONG && (head & 1) === 0 && !(hasValues && bytes[headAt + 1]! >= LONG)) {
      visit(bytes, headAt + (hasValues ? 2 : 1), head >>> 1, view);
      continue;
    }
    entry.parse(bytes, start, hasValues);
    visit(bytes, entry.fieldAt, entry.fieldLength, view);
  }
}
