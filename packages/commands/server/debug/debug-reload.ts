/** DEBUG RELOAD: serializes every value and recreates it from the bytes. */

import { type Bytes, CommandError } from '#base';
import { type Keyspace, rdb } from '#store';
import type { Arguments } from '../../arguments/arguments.ts';
import type { ShardContext } from '../../contexts/contexts.ts';
import { everyShard } from '../../definition/definition.ts';
import { valueLimits } from '../../keyspace/dump/dump.ts';
import { walk } from '../../keyspace/scan/keys.ts';
import { allOk } from '../../definition/merge.ts';
import { disturbingHead } from './debug-head.ts';

const noSave = new CommandError(
  'ERR DEBUG RELOAD: NOSAVE is not supported, since values are loaded from memory and not from disk',
);
const unknownOption = new CommandError(
  'ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.',
);
const alreadyThere = new CommandError('ERR Error trying to load the RDB dump, check server logs.');

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
  summary: 'Serializes all values and loads them again.',
  arity: -2,
  run(context, args) {
    const { flushes, merges } = readOptions(args);
    // What is loaded is what is there: without MERGE each key is in the way of itself.
    if (!flushes && !merges && !isEmpty(context)) throw alreadyThere;
    for (const [index, keyspace] of context.store.databases.entries()) {
      const stored = storedKeys(keyspace);
      context.store.clear(index);
      for (const each of stored) load(context, keyspace, each);
    }
    return null;
  },
  merge: allOk,
});

function readOptions(args: Arguments): { readonly flushes: boolean; readonly merges: boolean } {
  let flushes = true;
  let merges = false;
  while (args.more) {
    if (args.takes('NOSAVE')) throw noSave;
    if (args.takes('MERGE')) merges = true;
    else if (args.takes('NOFLUSH')) flushes = false;
    else throw unknownOption;
  }
  return { flushes, merges };
}

function isEmpty({ store, scripts }: ShardContext): boolean {
  return scripts.libraries.length === 0 && store.databases.every(({ size }) => size === 0);
}

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
