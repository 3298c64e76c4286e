/** Hash tags of slots, and slots of patterns. */

import { type Bytes, keySlot, SLOT_COUNT } from '#base';

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.split('');

/** Empty before the first use. */
const tags: string[] = [];

/** Returns a text of at most three letters and digits whose slot this is. */
export function tagOfSlot(slot: number): string {
  if (tags.length === 0) findTags();
  return tags[slot]!;
}

/** Finds all tags, in a few milliseconds. */
function findTags(): void {
  const starts = ['', ...CHARACTERS];
  const texts = starts.flatMap((first) => CHARACTERS.map((last) => first + last));
  let missing = SLOT_COUNT;
  for (const start of starts) {
    for (const rest of texts) {
      const tag = start + rest;
      const slot = keySlot(Buffer.from(tag, 'latin1'), 0, tag.length);
      if (tags[slot] !== undefined) continue;
      tags[slot] = tag;
      missing -= 1;
      if (missing === 0) return;
    }
  }
}

const [OPEN, CLOSE] = [0x7b, 0x7d];
/** Bytes with a meaning in patterns: `*`, `?`, `[` and a backslash. */
const SPECIAL: ReadonlySet<number> = new Set([0x2a, 0x3f, 0x5b, 0x5c]);

/** Returns the slot of all keys that match a pattern; undefined if they may be of several. */
export function slotOfPattern(pattern: Bytes): number | undefined {
  const special = pattern.findIndex((byte) => SPECIAL.has(byte));
  if (special < 0) return keySlot(pattern, 0, pattern.length);
  const open = pattern.indexOf(OPEN);
  const close = open < 0 ? -1 : pattern.indexOf(CLOSE, open + 1);
  const hasTag = close > open + 1 && close < special;
  return hasTag ? keySlot(pattern, open + 1, close - open - 1) : undefined;
}
