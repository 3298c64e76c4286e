/** The last deaths of keys, as main answers the ops thread: in pieces, since so many may be kept. */

import type { RemovedKeyEntry } from '#commands';
import type { RemovedKeyReport } from '#api-types';
import type { RemovedKeysAnswer, RemovedKeysQuestion } from '#http';
import { beginningAsText, keyAsText } from '../ports/json-text.ts';
import type { KeyFates } from './key-fates.ts';

/** Deaths described before others get their turn. */
const REMOVED_KEYS_AT_ONCE = 500;

export async function removedKeys(
  keyFates: KeyFates,
  { count, of }: RemovedKeysQuestion,
): Promise<RemovedKeysAnswer> {
  const wanted = of === null ? undefined : { database: of.db, key: of.key };
  const { deaths, missingShards } = await keyFates.collect(count, wanted);
  const reports: RemovedKeyReport[] = [];
  for (let at = 0; at < deaths.length; at += REMOVED_KEYS_AT_ONCE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    reports.push(...deaths.slice(at, at + REMOVED_KEYS_AT_ONCE).map(reportOf));
  }
  return { deaths: reports, kept: keyFates.length, missing_shards: missingShards };
}

function reportOf(death: RemovedKeyEntry): RemovedKeyReport {
  const { client } = death;
  return {
    id: death.id,
    time_ms: Math.floor(death.unixMs),
    db: death.database,
    shard: death.shard,
    reason: death.fate,
    ...keyOf(death),
    keys: death.keys,
    command: death.command === '' ? null : death.command,
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
