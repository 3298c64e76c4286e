/** Keys of `lend` and `keep` frames. */

import { type Bytes, keyName } from '#base';
import { DATABASE_SHIFT, decodeKeys, LendFlag, Request } from '#link';
import type { Frame } from '../frames/frame.ts';

interface LentKey {
  database: number;
  key: Bytes;
  writable: boolean;
  insertsOnly: boolean;
  /** Element that is added to the key, if the frame has one. */
  element: Bytes | undefined;
}

export function namesOf(keys: readonly LentKey[]): readonly string[] {
  return keys.map(({ database, key }) => keyName(database, key));
}

/** The keys of a lend frame: each is preceded by its database in three bytes, and bits of LendFlag. */
export function lentKeys(frame: Frame): LentKey[] {
  const { words, word, bytes } = frame;
  const count = words[word + Request.argumentCount]!;
  const bodyAt = (word + Request.spans + 2 * count) << 2;
  // One copy of all, since a piece of memory for each of thousands of keys costs more than all else.
  const body = bytes.slice(bodyAt, bodyAt + words[word + Request.bodyBytes]!);
  const keys: LentKey[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const at = words[word + Request.spans + 2 * nth]!;
    const length = words[word + Request.spans + 2 * nth + 1]!;
    const database = body[at - 4]! | (body[at - 3]! << 8) | (body[at - 2]! << 16);
    const flags = body[at - 1]!;
    const named = body.subarray(at, at + length);
    if ((flags & LendFlag.element) !== 0) {
      keys.at(-1)!.element = named;
      continue;
    }
    const writable = (flags & LendFlag.writable) !== 0;
    const insertsOnly = (flags & LendFlag.insertsOnly) !== 0;
    keys.push({
      database,
      key: named,
      writable,
      insertsOnly,
      element: undefined,
    });
  }
  return keys;
}

/** The keys of a `keep` frame. */
export function keptNames(frame: Frame): readonly string[] {
  const database = frame.words[frame.word + Request.kind]! >>> DATABASE_SHIFT;
  return decodeKeys(frame.body).map((key) => keyName(database, key));
}
