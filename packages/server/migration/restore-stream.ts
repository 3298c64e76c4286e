/** Commands by which another server takes keys. */

import type { Bytes } from '#base';
import type { Migration } from '#commands';
import type { MigratedKey } from '#router';

/** Size of writes into which short commands are combined. */
const WRITE_BYTES = 64 * 1024;

const END = Buffer.from('\r\n');

/** A key that has not ended, and the milliseconds that it has left; 0 for one that never ends. */
export interface KeyToRestore extends MigratedKey {
  readonly ttl: number;
}

/** Keys with the time that each has left; those that have ended meanwhile are left out. */
export function keysLeft(keys: readonly MigratedKey[], nowMs: number): readonly KeyToRestore[] {
  return keys
    .filter(({ expireAt }) => expireAt < 0 || expireAt >= nowMs)
    .map((key) => ({ ...key, ttl: key.expireAt < 0 ? 0 : Math.max(key.expireAt - nowMs, 1) }));
}

interface RestoreOptions extends Pick<Migration, 'keys' | 'replaces'> {
  /** The target may not own the keys' slot yet. */
  readonly requests: boolean;
}

/** RESTORE of each key, in writes. */
export function* restoreWrites(
  keys: readonly KeyToRestore[],
  { keys: names, replaces, requests }: RestoreOptions,
): Generator<Bytes, void> {
  let short: Bytes[] = [];
  let shortBytes = 0;
  for (const key of keys) {
    for (const piece of restore(names[key.index]!, key, { replaces, requests })) {
      short.push(piece);
      shortBytes += piece.length;
      if (shortBytes < WRITE_BYTES) continue;
      yield Buffer.concat(short);
      short = [];
      shortBytes = 0;
    }
  }
  if (shortBytes > 0) yield Buffer.concat(short);
}

function* restore(
  name: Bytes,
  { value = [], ttl }: KeyToRestore,
  { replaces, requests }: Pick<RestoreOptions, 'replaces' | 'requests'>,
): Generator<Bytes, void> {
  let valueBytes = 0;
  for (const piece of value) valueBytes += piece.length;
  const ttlText = String(ttl);
  const command = requests ? '$14\r\nRESTORE-ASKING' : '$7\r\nRESTORE';
  yield Buffer.from(`*${replaces ? 5 : 4}\r\n${command}\r\n$${name.length}\r\n`);
  yield name;
  yield Buffer.from(`\r\n$${ttlText.length}\r\n${ttlText}\r\n$${valueBytes}\r\n`);
  yield* value;
  yield END;
  if (replaces) yield Buffer.from('$7\r\nREPLACE\r\n');
}
