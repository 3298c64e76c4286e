/** The fields of entries whose references stand side by side, as those of a tree's leaf do. */

import { reused, type Spans } from '#base';
import { pageOf, wordAt, type Page } from './arena.ts';
import { Entry } from './entry.ts';

const WORD_BYTES = 4;
/** A varint of one byte is below. */
const LONG = 0x80;

const entryScratch = reused(new Entry());

/** References in `words`: `count` of them, from `first` on by `step`. */
export interface RefRow {
  readonly words: Int32Array;
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** Says where the fields are. Nothing is called in between: the processor is at several entries at once. */
export function locateFields(
  pages: readonly Page[],
  hasValues: boolean,
  { words, first, step, count }: RefRow,
  spans: Spans,
): void {
  const { places, ats, lengths } = spans;
  spans.memory = pages;
  spans.count = count;
  const skipped = WORD_BYTES + (hasValues ? 2 : 1);
  for (let nth = 0, index = first; nth < count; nth += 1, index += step) {
    const ref = words[index]!;
    const place = pageOf(ref);
    const { bytes } = pages[place]!;
    const start = wordAt(ref) * WORD_BYTES;
    const head = bytes[start + WORD_BYTES]!;
    places[nth] = place;
    // A short field without expiry, and no value or a short one: a byte says how long each is.
    if (head < LONG && (head & 1) === 0 && !(hasValues && bytes[start + WORD_BYTES + 1]! >= LONG)) {
      ats[nth] = start + skipped;
      lengths[nth] = head >>> 1;
      continue;
    }
    entryScratch.parse(bytes, start, hasValues);
    ats[nth] = entryScratch.fieldAt;
    lengths[nth] = entryScratch.fieldLength;
  }
}
