/** Keys that `lend` and `keep` frames ask for. */

import { keyName, type Bytes } from '#base';
import { DATABASE_SHIFT, decodeKeys, LendFlag, Request } from '#link';
import type { Frame } from '../execution/frame.ts';

interface LentKey {
  database: number;
  key: Bytes;
  writable: boolean;
  insertsOnly: boolean;
  /** Element that is added to the key, where the frame says so. */
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
  const keys: LentKey[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const at = bodyAt + words[word + Request.spans + 2 * nth]!;
    const length = words[word + Request.spans + 2 * nth + 1]!;
    const database = bytes[at - 4]! | (bytes[at - 3]! << 8) | (bytes[at - 2]! << 16);
    const flags = bytes[at - 1]!;
    if ((flags & LendFlag.element) !== 0) {
      keys.at(-1)!.element = bytes.slice(at, at + length);
      continue;
    }
    const writable = (flags & LendFlag.writable) !== 0;
    const insertsOnly = (flags & LendFlag.insertsOnly) !== 0;
    keys.push({
      database,
      key: bytes.slice(at, at + length),
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
