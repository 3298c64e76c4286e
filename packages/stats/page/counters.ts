/**
 * The counters of a page: what a thread tells of itself by name. Those that stand in a list of their own are
 * all set back by CONFIG RESETSTAT, but for those of durability.
 */

import { DURABILITY_COUNTERS } from './durability-counters.ts';
import { FATE_COUNTERS } from './fate-counters.ts';
import { PAUSE_COUNTERS } from './pause-counters.ts';

/** Counters of what was asked for, and of what became of keys meanwhile. */
const WORK_COUNTERS = [
  'commands',
  'errors',
  'hits',
  'misses',
  'expired',
  'expiredTimeCapReached',
  'expiredFields',
  'evicted',
] as const;

/** Shards: the ring. */
const RING_COUNTERS = [
  'queueUs',
  /** Waits in the ring that came out negative, by two threads' clocks, and are told as 0. */
  'clampedWaits',
  'executeTicks',
  'waitsForRoom',
  'lends',
  'deferred',
] as const;

/** Main: what was in the way of clients, and what requests to several shards came to. */
const TRAFFIC_COUNTERS = [
  'readStalls',
  'outputLimitDisconnections',
  'queryLimitDisconnections',
  'clientTimeouts',
  'evictedClients',
  'oomRejections',
  'scatters',
  'scatterShards',
  'replyUs',
  'replies',
  'barriers',
] as const;

/** Shards: timed work. */
const UPKEEP_COUNTERS = ['expireUs', 'evictionUs', 'defragUs', 'defragMoved'] as const;

/** Counters and gauges of a page. A name that only shards or only main write says so. */
export const COUNTERS = [
  /** Monotonic microseconds of the last sign of life. */
  'heartbeatUs',
  /** Execution under way: command id + 1 (0 = nothing), its start, its client, and its frame. */
  'executing',
  'executingSinceUs',
  'executingClient',
  'executingFrame',
  /** Main: the client whose bytes it has looked at last (its id), and the command of it (id + 1); 0 for none. */
  'workClient',
  'workCommand',
  /** Start of the thread, and its time of work since, as ThreadWork tells it. */
  'startedUs',
  'workedUs',
  'turns',
  ...WORK_COUNTERS,
  'changes',
  // Memory, in bytes.
  'usedBytes',
  'peakBytes',
  'recordBytes',
  'indexBytes',
  'blobBytes',
  'objectBytes',
  'segmentBytes',
  'heapUsedBytes',
  'heapTotalBytes',
  'externalBytes',
  ...RING_COUNTERS,
  // Main: what clients take beside keys, in bytes; connections and traffic.
  'clientMemoryBytes',
  'connections',
  'connectionsTotal',
  'connectionsRejected',
  'blockedClients',
  // Main: messages between connections.
  'pubsubClients',
  'pubsubChannels',
  'pubsubPatterns',
  'pubsubShardChannels',
  'trackingClients',
  'trackingKeys',
  'trackingItems',
  'trackingPrefixes',
  'bytesRead',
  'bytesWritten',
  'outputBytes',
  'queryBytes',
  ...TRAFFIC_COUNTERS,
  // Shards: keys that clients wait for, and of them those whose being gone ends a wait.
  'blockingKeys',
  'blockingNoKeys',
  // Commands that were logged as slow.
  'slowCommands',
  'slowCommandUs',
  'slowCommandUsMax',
  /** Main: entries of the slow log with a lower id are forgotten. */
  'slowFirstId',
  /** Generation of the bands that are counted here: how often they had been set to zero. */
  'bandsGeneration',
  /** Main: shards that did not answer a report in time. */
  'reportGaps',
  /** Main: a number of Phase. */
  'phase',
  /** Shards: since when the thread waits for work (0 = it does not). */
  'idleSinceUs',
  /** Bound of the distance between the thread's clock and those of the others. */
  'clockErrorUs',
  /** Processor time of the thread, as the system counts it; 0 where it does not. */
  'cpuUserUs',
  'cpuSystemUs',
  ...UPKEEP_COUNTERS,
  /** Share of keys with an expiry that are expired and still there, as sampled. */
  'stalePercent',
  /** End of the walk that the census shows, and the count of changes when it began. */
  'censusUs',
  'censusChanges',
  ...FATE_COUNTERS,
  // Shards: the list of prefixes that is counted for, and the one that the last walk counted for.
  'prefixesId',
  'prefixesWalkedId',
  ...PAUSE_COUNTERS,
  ...DURABILITY_COUNTERS,
  /** Main: requests that were traced, and those that should have been and could not be told of. */
  'tracesSampled',
  'tracesDropped',
  /** Main: what was resident while there was no data. */
  'startupBytes',
] as const;

export type Counter = (typeof COUNTERS)[number];

/** A counter's index, to be used as `page.values[AT.hits]`. */
export const AT = Object.fromEntries(COUNTERS.map((name, index) => [name, index])) as Readonly<
  Record<Counter, number>
>;

/** Counters that CONFIG RESETSTAT sets back: what has happened, and not how things are. */
export const RESETTABLE: readonly Counter[] = [
  ...WORK_COUNTERS,
  ...RING_COUNTERS,
  'connectionsTotal',
  'connectionsRejected',
  'bytesRead',
  'bytesWritten',
  ...TRAFFIC_COUNTERS,
  'slowCommands',
  'slowCommandUs',
  'slowCommandUsMax',
  'reportGaps',
  ...UPKEEP_COUNTERS,
  ...FATE_COUNTERS,
  ...PAUSE_COUNTERS,
  'durableUs',
  'durableWaits',
];
