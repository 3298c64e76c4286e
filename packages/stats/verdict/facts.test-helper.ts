/** Facts of a server that nothing limits, for tests. */
import type { Facts, ShardFacts, ThreadFacts } from './facts.ts';

const idleThread = (name: string): ThreadFacts => ({
  name,
  runShare: 0.3,
  waitShare: 0.02,
  collectionShare: 0.01,
  collectionMsMax: 3,
});

const idleShard = (shard: number): ShardFacts => ({
  shard,
  commands: 50_000,
  topCommand: { name: 'get', share: 0.2, calls: 50_000, meanMs: 0.002, script: null },
  topKey: { key: 'user:1', share: 0.02 },
  queueMsP99: 0.1,
  executeMsP99: 0.1,
  requests: 50_000,
});

export const quiet: Facts = {
  seconds: 5,
  threads: ['main', 'shard-0', 'shard-1', 'ops'].map(idleThread),
  running: [],
  shards: [idleShard(0), idleShard(1)],
  machine: {
    processors: 4,
    threads: 3,
    throttledShare: 0,
    memoryStallShare: 0,
    ioStallShare: 0,
    retransmittedShare: 0,
    interface: null,
  },
  clients: { connected: 50, busiest: { id: 5, share: 0.1 }, slowest: null },
  memory: {
    usedBytes: 1_000_000,
    limitBytes: 100_000_000,
    refusedPerSecond: 0,
    evictedPerSecond: 0,
    hitShare: 0.9,
    hitShareBefore: 0.95,
  },
  disk: {
    folder: '/data',
    freeBytes: 1e11,
    freeShare: 0.5,
    logError: '',
    snapshotError: '',
    refusesWrites: false,
    syncs: 5,
    syncMsMean: 4,
    syncShare: 0.01,
    lagMs: 900,
    lagLimitMs: 5_000,
    mode: 'periodic',
  },
  replication: {
    lacksReplicas: false,
    replicas: 1,
    replicasSeen: 1,
    replicaLagMs: 20,
    unappliedMs: 0,
    linkDownMs: null,
  },
  tier: { isOn: true, fault: 'none', fetchesPerSecond: 10, fetchShare: 0.01, fetchMsP99: 2 },
  barrierShare: 0.01,
  barriersPerSecond: 3,
};

/** The facts with other threads: each by the fields that differ. */
export function withThreads(
  facts: Facts,
  changes: Readonly<Record<string, Partial<ThreadFacts>>>,
): Facts {
  const threads = facts.threads.map((thread) => ({ ...thread, ...changes[thread.name] }));
  return { ...facts, threads };
}

/** The facts with another shard 0. */
export function withShard(facts: Facts, change: Partial<ShardFacts>): Facts {
  const [first, ...others] = facts.shards;
  return { ...facts, shards: [{ ...first!, ...change }, ...others] };
}
