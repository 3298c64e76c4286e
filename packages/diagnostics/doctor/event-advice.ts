/** Advice of LATENCY DOCTOR for each event: given only where its condition over facts of this server holds. */

import type { LatencyEvent } from '#stats';

/** Facts that decide whether an advice makes sense here. */
export interface ServerFacts {
  /** Keys that expire, fields of hashes included. */
  readonly expiringKeys: number;
  readonly hz: number;
  readonly isDurable: boolean;
  /** sync, periodic or async. */
  readonly durabilityMode: string;
  readonly snapshotIntervalSeconds: number;
  /** Full memory is freed by an eviction policy. */
  readonly evicts: boolean;
  readonly isTiered: boolean;
  readonly policy: string;
}

type Advice = (facts: ServerFacts) => readonly (string | false)[];

const ADVICE: Readonly<Record<LatencyEvent, Advice>> = {
  command: () => [
    'A slow command delays all other commands on its shard. Check SLOWLOG GET; replace commands over whole collections (KEYS, SMEMBERS, HGETALL, large ranges) with SCAN, SSCAN, HSCAN or smaller ranges, and split big keys.',
  ],
  fork: ({ snapshotIntervalSeconds }) => [
    snapshotIntervalSeconds > 0 &&
      `Starting a snapshot delayed the shards. Take snapshots less often (snapshot.interval-secs is ${snapshotIntervalSeconds}), or at quiet times.`,
    snapshotIntervalSeconds === 0 &&
      'Starting a snapshot delayed the shards. Take snapshots (BGSAVE) at quiet times.',
  ],
  'aof-fsync': ({ isDurable, durabilityMode }) => [
    isDurable &&
      durabilityMode === 'sync' &&
      'The disk is slow to sync writes, and each write waits for it. Use a local disk, keep other load off it, or choose persistence.durability-mode = periodic.',
    isDurable &&
      durabilityMode !== 'sync' &&
      `The disk is slow to sync the log (persistence.durability-mode is ${durabilityMode}). Use a local disk, or keep other load off it.`,
  ],
  'expire-cycle': ({ expiringKeys, hz }) => [
    expiringKeys > 0 &&
      `Many keys expire at once (${expiringKeys} have a time to live). Add a random part to their times to live; raise hz for more and shorter rounds, or lower active-expire-effort for less work in a round.`,
    expiringKeys > 0 && hz < 100 && 'Expiry runs in few large steps: CONFIG SET hz 100.',
  ],
  'eviction-cycle': ({ evicts }) => [
    evicts &&
      'Eviction takes long. Keep more memory free below maxmemory, lower maxmemory in small steps only, and split big keys.',
  ],
  'warm-fetch': ({ isTiered, policy }) => [
    isTiered &&
      `Commands wait for values of the warm tier. Raise maxmemory${policy === 'tiered-lfu' ? '' : ', choose tiered-lfu so that single reads evict nothing'}, or put tiered.directory on a faster disk.`,
  ],
  'snapshot-io': ({ isDurable }) => [
    isDurable &&
      'Writing a snapshot takes long. Use a faster or less busy disk, or take snapshots less often.',
  ],
  'repl-sync': () => [
    'A full sync takes long: all data is sent to a replica. INFO stats counts full syncs by reason (sync_full_...). Raise repl-backlog-size if the backlog was too short, repl-backlog-ttl if there was none, and repl-timeout if links break during the transfer.',
  ],
};

/** Advice for an event that makes sense on a server with these facts. */
export function eventAdvice(event: LatencyEvent, facts: ServerFacts): readonly string[] {
  return ADVICE[event](facts).filter((each) => each !== false);
}
