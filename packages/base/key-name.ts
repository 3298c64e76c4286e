/** Name of a key of a database among watches, key locks and plans: `database:key`, a character per byte. */

import type { Bytes } from './bytes/byte-array.ts';
import { fromLatin1, latin1 } from './bytes/bytes.ts';

export function keyName(database: number, key: Bytes, at = 0, length = key.length - at): string {
  return `${String(database)}:${latin1(key, at, length)}`;
}

/** The inverse of `keyName`. */
export function keyOfName(name: string): { readonly database: number; readonly key: Bytes } {
  const colon = name.indexOf(':');
  return { database: Number(name.slice(0, colon)), key: fromLatin1(name.slice(colon + 1)) };
}
