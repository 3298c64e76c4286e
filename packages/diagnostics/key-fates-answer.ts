/** The latest removed keys for the ops thread: generated in pieces, since there may be many. */

import type { RemovedKeyEntry } from '#commands';
import type { RemovedKeyReport } from '#api-types';
import type { RemovedKeysAnswer, RemovedKeysQuestion } from '#http';
import { beginningAsText, keyAsText, mapInTurns } from '#main';
import type { KeyFates } from './key-fates.ts';

/** Removed keys described before others get their turn. */
const REMOVED_KEYS_AT_ONCE = 500;

export async function removedKeys(
  keyFates: KeyFates,
  { count, of }: RemovedKeysQuestion,
): Promise<RemovedKeysAnswer> {
  const wanted = of === null ? undefined : { database: of.db, key: of.key };
  const { removedKeys: entries, missingShards } = await keyFates.collect(count, wanted);
  const reports = await mapInTurns(entries, REMOVED_KEYS_AT_ONCE, reportOf);
  return { removed_keys: reports, kept: keyFates.length, missing_shards: missingShards };
}

function reportOf(entry: RemovedKeyEntry): RemovedKeyReport {
  const { client } = entry;
  return {
    id: entry.id,
    time_ms: Math.floor(entry.unixMs),
    db: entry.database,
    shard: entry.shard,
    reason: entry.fate,
    ...keyOf(entry),
    keys: entry.keys,
    command: entry.command === '' ? null : entry.command,
    client_id: client?.id ?? null,
    client_addr: client?.address ?? null,
    client_name: client?.name ?? null,
    user: client?.user ?? null,
  };
}

function keyOf({ fate, key, keyBytes }: RemovedKeyEntry) {
  if (fate === 'flushed') return { key: null, binary: false, cut: false, key_bytes: null };
  const cut = keyBytes > key.length;
  return { ...(cut ? beginningAsText(key) : keyAsText(key)), cut, key_bytes: keyBytes };
}
