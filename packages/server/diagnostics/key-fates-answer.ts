/** The last deaths of keys, as main answers the ops thread: in pieces, since so many may be kept. */

import type { KeyDeathEntry } from '#commands';
import type { KeyDeathReport } from '#api-types';
import type { KeyDeathsAnswer, KeyDeathsQuestion } from '#http';
import { beginningAsText, keyAsText } from '../ports/json-text.ts';
import type { KeyFates } from './key-fates.ts';

/** Deaths described before others get their turn. */
const DEATHS_AT_ONCE = 500;

export async function keyDeaths(
  keyFates: KeyFates,
  { count, of }: KeyDeathsQuestion,
): Promise<KeyDeathsAnswer> {
  const wanted = of === null ? undefined : { database: of.db, key: of.key };
  const { deaths, missingShards } = await keyFates.collect(count, wanted);
  const reports: KeyDeathReport[] = [];
  for (let at = 0; at < deaths.length; at += DEATHS_AT_ONCE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    reports.push(...deaths.slice(at, at + DEATHS_AT_ONCE).map(reportOf));
  }
  return { deaths: reports, kept: keyFates.length, missing_shards: missingShards };
}

function reportOf(death: KeyDeathEntry): KeyDeathReport {
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

function keyOf({ fate, key, keyBytes }: KeyDeathEntry) {
  if (fate === 'flushed') return { key: null, binary: false, cut: false, key_bytes: null };
  const cut = keyBytes > key.length;
  return { ...(cut ? beginningAsText(key) : keyAsText(key)), cut, key_bytes: keyBytes };
}
