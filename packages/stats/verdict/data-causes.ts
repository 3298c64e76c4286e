/** Limits that lie in what data need: the disk, the memory limit, the warm tier, replication, the network. */

import type { DiskFacts, Facts } from './facts.ts';
import { inBytes, type Judged, percent } from './finding.ts';
import { WAIT_SHARE, servingThreads } from './thread-causes.ts';
import { TIER_FAULT_TEXTS } from '../page/tier-faults.ts';

const SYNC_SHARE = 0.5;
const SYNC_MS = 20;
/** Share of time in which tasks wait for disks, from which a slow sync is the disk's even on a machine without processor time. */
const IO_STALL_SHARE = 0.1;
/** Fall of the share of look-ups that find a key. */
const HIT_SHARE_FALL = 0.1;
const FETCHES_PER_SECOND = 100;
const FETCH_SHARE = 0.2;
const RETRANSMITTED_SHARE = 0.05;
const INTERFACE_SHARE = 0.9;
/** Lag of a replica in milliseconds. */
const REPLICA_LAG_MS = 3_000;

export function disk(facts: Facts): readonly Judged[] {
  return [...failing(facts.disk), ...slowDisk(facts)];
}

function failing(facts: DiskFacts): readonly Judged[] {
  const error = facts.logError === '' ? facts.snapshotError : facts.logError;
  if (error === '') return [];
  const what = facts.logError === '' ? 'snapshots' : 'the log';
  const then = facts.refusesWrites ? '; writes are refused' : '';
  const room = facts.freeBytes === null ? '' : `, ${inBytes(facts.freeBytes)} free`;
  return [
    {
      cause: 'disk',
      value: facts.freeBytes ?? 0,
      unit: 'bytes',
      threshold: 0,
      object: facts.folder,
      message: `${what} cannot be written to ${facts.folder} (${error}${room})${then}`,
      advice:
        ERROR_ADVICE[error] ??
        'Check the disk and the kernel log; writes resume by themselves after a snapshot has succeeded.',
      link: '/debug/persistence',
      weight: facts.refusesWrites ? 2 : 1,
    },
  ];
}

const ERROR_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC:
    'Free space on the disk, or move persistence.data-dir to a larger one; writes resume by themselves.',
  EDQUOT: 'Raise the quota of the user, or free space; writes resume by themselves.',
  EROFS:
    'The file system is read-only: look for disk errors in the kernel log and mount it writable again.',
  EACCES: 'Give the user of the server write permission for the folder.',
  ENOENT: 'The data folder was removed: create it again, writable for the user of the server.',
  EIO: 'The disk fails: replace it; take a copy from a replica.',
};

function slowDisk(facts: Facts): readonly Judged[] {
  const { syncs, syncMsMean, syncShare, mode, lagMs, lagLimitMs, logError } = facts.disk;
  if (logError !== '' || mode === 'async') return [];
  const isLate = lagLimitMs > 0 && lagMs >= lagLimitMs;
  const isSlow = syncs > 0 && syncMsMean >= SYNC_MS && syncShare >= SYNC_SHARE;
  if (!(isLate || isSlow) || !isOfDisk(facts)) return [];
  const value = Math.round(isSlow ? syncMsMean : lagMs);
  return [
    {
      cause: 'disk',
      value,
      unit: 'ms',
      threshold: isSlow ? SYNC_MS : lagLimitMs,
      object: facts.disk.folder,
      message: isSlow
        ? `the disk takes ${value} ms for a sync of the log, ${percent(syncShare)} % of the time`
        : `the oldest write that is not on disk is ${value} ms old`,
      advice:
        mode === 'sync'
          ? 'Each write waits for the disk: use a local disk with power-loss protection, keep other load off it, or accept the loss of a moment with persistence.durability-mode = periodic.'
          : 'Use a faster disk, or keep other load off it: snapshots, other programs, backups.',
      link: '/debug/persistence',
      weight: Math.min(1, syncShare),
    },
  ];
}

/** True unless slow syncs can be explained by a thread without a processor. */
function isOfDisk(facts: Facts): boolean {
  const { ioStallShare } = facts.machine;
  if (ioStallShare !== null && ioStallShare >= IO_STALL_SHARE) return true;
  return servingThreads(facts).every(({ waitShare }) => waitShare < WAIT_SHARE);
}

export function memory(facts: Facts): readonly Judged[] {
  return [...refused(facts), ...tooSmall(facts)];
}

function refused({
  memory: { refusedPerSecond, usedBytes, limitBytes },
}: Facts): readonly Judged[] {
  if (refusedPerSecond === 0) return [];
  const value = Math.ceil(refusedPerSecond);
  return [
    {
      cause: 'memory',
      value,
      unit: 'writes/s',
      threshold: 0,
      object: 'refused writes',
      message: `${value} writes per second are refused: ${inBytes(usedBytes)} of ${inBytes(limitBytes)} are used and no key may be evicted`,
      advice:
        'Raise maxmemory, delete keys, give keys an expiry, or choose an eviction policy (maxmemory-policy).',
      link: '/debug/memory',
      weight: 2,
    },
  ];
}

/** Share of look-ups that find a key, and its best before, where it fell while keys are evicted; undefined otherwise. */
export function fallenHitShare({
  memory: { evictedPerSecond, hitShare, hitShareBefore },
}: Facts):
  | { readonly hitShare: number; readonly hitShareBefore: number; readonly threshold: number }
  | undefined {
  if (evictedPerSecond === 0 || hitShare === null || hitShareBefore === null) return undefined;
  if (hitShareBefore - hitShare < HIT_SHARE_FALL) return undefined;
  return { hitShare, hitShareBefore, threshold: percent(hitShareBefore - HIT_SHARE_FALL) };
}

function tooSmall(facts: Facts): readonly Judged[] {
  const fallen = fallenHitShare(facts);
  if (fallen === undefined) return [];
  const { hitShare, hitShareBefore, threshold } = fallen;
  const { evictedPerSecond, limitBytes } = facts.memory;
  const value = percent(hitShare);
  return [
    {
      cause: 'memory',
      value,
      unit: '%',
      threshold,
      object: 'hit rate',
      message: `the hit rate fell from ${percent(hitShareBefore)} % to ${value} % while ${Math.ceil(evictedPerSecond)} keys per second are evicted`,
      advice: `The keys in use do not fit into maxmemory (${inBytes(limitBytes)}): raise it, store less for each key, or choose a policy that keeps what is used often (allkeys-lfu).`,
      link: '/debug/memory',
      weight: hitShareBefore - hitShare,
    },
  ];
}

export function tier({ tier: facts }: Facts): readonly Judged[] {
  if (!facts.isOn) return [];
  const fault = TIER_FAULT_TEXTS[facts.fault];
  const common = { cause: 'tier', link: '/debug/memory' } as const;
  if (fault !== undefined) {
    return [
      {
        ...common,
        value: 1,
        unit: 'fault',
        threshold: 1,
        object: facts.fault,
        message: fault,
        advice:
          'Repair the disk of tiered.directory: free space, write permission, the folder itself.',
        weight: 1,
      },
    ];
  }
  if (facts.fetchesPerSecond < FETCHES_PER_SECOND || facts.fetchShare < FETCH_SHARE) return [];
  const value = percent(facts.fetchShare);
  return [
    {
      ...common,
      value,
      unit: '%',
      threshold: percent(FETCH_SHARE),
      object: 'fetches',
      message: `${value} % of look-ups go to the disk of the warm tier, 99 % of them within ${facts.fetchMsP99.toFixed(1)} ms`,
      advice:
        'Raise maxmemory so that the values in use fit, choose tiered-lfu so that single reads evict nothing, or put tiered.directory on a faster disk.',
      weight: facts.fetchShare,
    },
  ];
}

export function replication({ replication: facts }: Facts): readonly Judged[] {
  const common = { cause: 'replication', link: '/debug/replication' } as const;
  const found: Judged[] = [];
  if (facts.lacksReplicas) {
    found.push({
      ...common,
      value: facts.replicas,
      unit: 'replicas',
      threshold: 1,
      object: 'refused writes',
      message: 'writes are refused: too few replicas are connected and up to date',
      advice: 'Start the missing replicas, or lower min-replicas-to-write.',
      weight: 2,
    });
  }
  if (facts.linkDownMs !== null) {
    found.push({
      ...common,
      ...milliseconds(facts.linkDownMs, 0),
      object: 'primary',
      message: `this replica has had no link to its primary for ${seconds(facts.linkDownMs)}`,
      advice:
        'Check that the primary runs, and the network, user and password of the link (masteruser, masterauth).',
      weight: 0.9,
    });
  }
  if (facts.replicas < facts.replicasSeen) {
    found.push({
      ...common,
      value: facts.replicas,
      unit: 'replicas',
      threshold: facts.replicasSeen,
      object: 'replica',
      message: `${facts.replicas} of ${facts.replicasSeen} replicas are connected`,
      advice: 'Start the replica again, or check the network between them.',
      weight: 0.3,
    });
  }
  const lagMs = Math.max(facts.replicaLagMs, facts.unappliedMs);
  if (lagMs >= REPLICA_LAG_MS) {
    found.push({
      ...common,
      ...milliseconds(lagMs, REPLICA_LAG_MS),
      object: 'lag',
      message:
        facts.unappliedMs >= REPLICA_LAG_MS
          ? `this replica applies the primary's writes ${seconds(lagMs)} late`
          : `the slowest replica has not acknowledged for ${seconds(lagMs)}`,
      advice:
        'Check that the replica has processor time and a network as fast as the writes; WAIT, and min-replicas-to-write, depend on it.',
      weight: 0.4,
    });
  }
  return found;
}

function milliseconds(
  value: number,
  threshold: number,
): Pick<Judged, 'value' | 'unit' | 'threshold'> {
  return { value: Math.round(value), unit: 'ms', threshold };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

export function network({ machine }: Facts): readonly Judged[] {
  const { retransmittedShare, interface: busiest } = machine;
  const common = { cause: 'network', unit: '%', link: null } as const;
  const found: Judged[] = [];
  if (busiest !== null && busiest.share >= INTERFACE_SHARE) {
    found.push({
      ...common,
      value: percent(busiest.share),
      threshold: percent(INTERFACE_SHARE),
      object: busiest.name,
      message: `network interface ${busiest.name} is ${percent(busiest.share)} % used`,
      advice: 'Send smaller values, compress them, or use a faster network.',
      weight: busiest.share,
    });
  }
  if (retransmittedShare >= RETRANSMITTED_SHARE) {
    found.push({
      ...common,
      value: percent(retransmittedShare),
      threshold: percent(RETRANSMITTED_SHARE),
      object: 'retransmissions',
      message: `${percent(retransmittedShare)} % of the machine's TCP segments are sent again`,
      advice:
        'Packets are lost: look for an overloaded network, a faulty link or a full queue of the interface.',
      weight: Math.min(1, 4 * retransmittedShare),
    });
  }
  return found;
}
