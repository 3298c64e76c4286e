/** First key that a blocked client waits for, kept for reports. */

import type { Bytes } from '#base';
import { type Arguments, type CommandEntry, findKeys } from '#commands';

/** Maximum number of bytes of a key that are kept. */
const KEY_BYTES_MAX = 128;

export interface AwaitedKey {
  /** First bytes of the key. */
  readonly key: Bytes;
  readonly isCut: boolean;
  /** Number of keys that are waited for. */
  readonly keys: number;
}

/** Returns a copy of the first key of a command, and the number of its keys; undefined for a command without keys. */
export function awaitedKeyOf(entry: CommandEntry, args: Arguments): AwaitedKey | undefined {
  const found = findKeys(entry.command.keys, args) ?? [];
  const [first] = found;
  if (first === undefined) return undefined;
  const at = args.at(first.index);
  const length = args.length(first.index);
  const key = args.source.slice(at, at + Math.min(length, KEY_BYTES_MAX));
  return { key, isCut: length > KEY_BYTES_MAX, keys: found.length };
}
