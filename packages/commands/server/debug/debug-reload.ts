/** DEBUG RELOAD: every value becomes the bytes that would be stored, and is made of them anew. */

import { CommandError, type Bytes } from '#base';
import { rdb, type Keyspace } from '#store';
import type { ShardContext } from '../../contexts.ts';
import { everyShard } from '../../definition.ts';
import { valueLimits } from '../../keyspace/dump/dump.ts';
import { walk } from '../../keyspace/scan/keys.ts';
import { allOk } from '../../merge.ts';
import { disturbingHead } from './debug-head.ts';

const withoutOptions = new CommandError(
  'ERR DEBUG RELOAD: MERGE, NOFLUSH and NOSAVE are not supported, since values are loaded from memory and not from disk',
);

/** A key as it would be on disk. */
interface StoredKey {
  readonly key: Bytes;
  readonly payload: Bytes;
  /** Unix milliseconds, or -1. */
  readonly expireAt: number;
  readonly access: number;
}

export const reload = everyShard({
  ...disturbingHead,
  name: 'DEBUG|RELOAD',
  summary: 'Turns all values into what would be stored, and loads them again.',
  arity: -2,
  run(context, args) {
    if (args.more) throw withoutOptions;
    for (const [index, keyspace] of context.store.databases.entries()) {
      const stored = storedKeys(keyspace);
      context.store.clear(index);
      for (const each of stored) load(context, keyspace, each);
    }
    return null;
  },
  merge: allOk,
});

function storedKeys(keyspace: Keyspace): StoredKey[] {
  const stored: StoredKey[] = [];
  walk(keyspace, (ref) => {
    const { bytes, at, length } = keyspace.key(ref);
    stored.push({
      key: bytes.slice(at, at + length),
      payload: Uint8Array.from(rdb.dumpValue(keyspace, ref)),
      expireAt: keyspace.expireAt(ref),
      access: keyspace.access(ref),
    });
  });
  return stored;
}

function load(context: ShardContext, keyspace: Keyspace, { key, ...stored }: StoredKey): void {
  // What has ended while it was stored is not loaded.
  if (stored.expireAt !== -1 && stored.expireAt <= context.nowMs) return;
  const { payload } = stored;
  const value = rdb.loadPayload(keyspace, payload, 0, payload.length, valueLimits(context));
  let ref = rdb.storeFinished(keyspace, { bytes: key, at: 0, length: key.length }, value);
  if (stored.expireAt !== -1) ref = keyspace.setExpireAt(ref, stored.expireAt);
  keyspace.setAccess(ref, stored.access);
}
