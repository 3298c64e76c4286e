/**
 * The status document: how the server and each of its shards fare, right now.
 *
 * A pure function of the shared pages and a small record beside them: it asks no thread anything, so it
 * is as quick, and as true, while a shard is stuck.
 */

import type { MachineLimits } from '#base';
import { fragmentation, usedMemory } from './used-memory.ts';
import type {
  CommandStatus,
  ExecutingReport,
  Health,
  PersistenceReport,
  ShardStatus,
  StatusDocument,
  WindowReport,
} from '#api-types';
import { clusterIssues, clusterStatus } from '../cluster/cluster-status.ts';
import { calledCommands, mergeExecutions } from '../page/called-commands.ts';
import type { DurabilityReport } from './durability.ts';
import { judge } from './health.ts';
import type { HealthLimits, Vitals } from './vitals.ts';
import { issueName, type VerdictReport } from '../issues/report.ts';
import { TIER_FAULTS } from '../page/tier-faults.ts';
import { frontSilenceUs, silenceText } from '../threads/front-standstill.ts';
import { mainStandstill } from '../threads/main-work.ts';
import { shardSilenceUs } from '../threads/shard-standstill.ts';
import { HISTOGRAM_BUCKETS, percentileUs } from '../page/histogram.ts';
import { Phase, type Page, type PageShape } from '../page/page.ts';
import { shardFields, statusFields } from '../page/read-quantities.ts';
import type { ThreadRates } from '../threads/thread-rates.ts';

/** Time for which a failed command of the primary's stream is an issue, in milliseconds, even after a full sync. */
const STREAM_FAULT_MS = 600_000;
/** Commands listed, those called most first. */
const TOP_COMMANDS = 10;

/** A shard as others see it from outside. */
interface ShardObserver {
  readonly page: Page;
  readonly rates: ThreadRates;
  /** Content of its request ring. */
  readonly queue: { readonly frames: number; readonly bytes: number };
  readonly executing: ExecutingReport | null;
}

/** Report of a server that keeps nothing on disk. */
export const NO_PERSISTENCE: PersistenceReport = {
  enabled: false,
  durability_mode: null,
  awaits_snapshot: false,
  snapshot: { in_progress: false, last_timestamp: null, last_status: null },
  wal: {
    pending_ops: 0,
    pending_bytes: 0,
    max_durability_lag_ms: 0,
    last_flush_ok: null,
    shards: [],
  },
  recovery: { lost_bytes: 0, log_holes: 0 },
};

export interface StatusSource {
  readonly version: string;
  readonly processId: number;
  /** Monotonic: what has been up for how long must not change when the wall clock jumps. */
  readonly nowUs: number;
  readonly wallMs: number;
  readonly rssBytes: number;
  /** Processors and memory that the process may use. */
  readonly machine: MachineLimits;
  readonly mode: 'standalone' | 'primary' | 'replica' | 'cluster';
  readonly main: Page;
  readonly mainRates: ThreadRates;
  /** Pages of the front threads. */
  readonly fronts: readonly Page[];
  readonly shards: readonly ShardObserver[];
  readonly shape: PageShape;
  /** Names of commands by their id, as `client|list`. */
  readonly commandNames: readonly string[];
  /** Returns how long a command took lately; all commands without an id. */
  readonly windows: (command?: number) => WindowReport;
  readonly maxClients: number;
  readonly memoryLimitBytes: number;
  /** There is an eviction policy. */
  readonly evicts: boolean;
  /** There is a warm tier. */
  readonly isTiered: boolean;
  /** Writes are refused while the last snapshot has failed. */
  readonly refusesUnsaved: boolean;
  /** Interval of snapshots; 0 without one. */
  readonly snapshotIntervalMs: number;
  readonly limits: HealthLimits;
  /** As the ops thread publishes it. */
  readonly verdict: VerdictReport;
  readonly persistence: PersistenceReport;
}

/** The part of the document, from the report that all surfaces share. */
export function persistenceStatus(report: DurabilityReport): PersistenceReport {
  if (!report.isEnabled) return NO_PERSISTENCE;
  return {
    enabled: true,
    durability_mode: report.mode,
    awaits_snapshot: report.awaitsSnapshot,
    snapshot: {
      in_progress: report.isSaving,
      last_timestamp: report.lastSaveMs > 0 ? Math.floor(report.lastSaveMs / 1_000) : null,
      last_status: report.hasLastSaveFailed ? 'err' : 'ok',
    },
    wal: {
      pending_ops: report.pendingRecords,
      pending_bytes: report.pendingBytes,
      // In async mode there is no lag to warn of.
      max_durability_lag_ms: report.mode === 'async' ? 0 : Math.round(report.lagMs),
      last_flush_ok: !report.hasLogFailed,
      shards: report.logs.map(
        ({ shard, segment, segmentBytes, pendingRecords, pendingBytes, lagMs }) => ({
          shard,
          segment,
          segment_bytes: segmentBytes,
          pending_ops: pendingRecords,
          pending_bytes: pendingBytes,
          durability_lag_ms: Math.round(lagMs),
        }),
      ),
    },
    recovery: { lost_bytes: report.recoveryLostBytes, log_holes: report.recoveryHoles },
  };
}

function persistenceError(report: PersistenceReport): string | null {
  if (report.wal.last_flush_ok === false) return 'the log cannot be written';
  if (!report.awaits_snapshot || report.snapshot.last_status !== 'err') return null;
  return 'the first snapshot failed: all changes since persistence was switched on would be lost by a restart';
}

function persistenceVitals(
  source: StatusSource,
): Pick<Vitals, 'persistenceError' | 'recoveryLoss' | 'lastSave' | 'oldSnapshot'> {
  const { persistence, main } = source;
  return {
    persistenceError: persistenceError(persistence),
    recoveryLoss: recoveryLoss(persistence, main),
    lastSave: lastSave(source),
    oldSnapshot: oldSnapshot(source),
  };
}

function lastSave({ persistence, refusesUnsaved }: StatusSource): Vitals['lastSave'] {
  if (persistence.snapshot.last_status !== 'err') return 'fine';
  return refusesUnsaved ? 'refuses writes' : 'failed';
}

/** Returns the text about data lost by the recovery, until the next snapshot has finished; null without a loss. */
function recoveryLoss({ recovery }: PersistenceReport, main: Page): string | null {
  const { lost_bytes: bytes, log_holes: holes } = recovery;
  if ((bytes === 0 && holes === 0) || main.get('saves') > 0) return null;
  return `the recovery skipped ${bytes} damaged bytes, and found ${holes} logs without their end`;
}

/** Reads everything and judges it. */
export function collectStatus(source: StatusSource): StatusDocument {
  const { main } = source;
  const shards = source.shards.map((observer, id) => shardStatus(id, observer, source));
  const pages = source.shards.map(({ page }) => page);
  const { connected, ...waiting } = statusFields('clients', main, pages);
  const clients = { connected, max_clients: source.maxClients, ...waiting };
  const { total_processed, ...counts } = statusFields('commands', main, pages);
  const memory = memoryStatus(source);
  const isReady = main.get('phase') === Phase.ready;
  const health = healthOf(source, shards);
  return {
    frogdb: identity(source),
    machine: machineStatus(source),
    cluster: {
      database_available: isReady,
      mode: source.mode,
      num_shards: shards.length,
      ...clusterStatus(main, pages, source.nowUs),
    },
    health,
    clients,
    memory,
    persistence: source.persistence,
    replication: statusFields('replication', main, pages),
    tiered: tieredStatus(source),
    shards,
    keyspace: keyspaceStatus(source),
    commands: {
      total_processed,
      ops_per_sec: Math.round(source.mainRates.commandsPerSecond),
      ...counts,
      windows: source.windows(),
      top: topCommands(source),
    },
  };
}

/** Judges health as the document does. */
export function collectHealth(source: StatusSource): Health {
  return healthOf(
    source,
    source.shards.map((observer, id) => shardStatus(id, observer, source)),
  );
}

/** Judges everything that the document contains, and adds since when it holds. */
function healthOf(source: StatusSource, shards: readonly ShardStatus[]): Health {
  const { verdict, wallMs } = source;
  const { status, issues } = judge(vitalsOf(source, shards), source.limits);
  return {
    status,
    issues: issues.map((issue) => ({
      ...issue,
      since_ms: verdict.since[issueName(issue)] ?? wallMs,
    })),
    limited_by: verdict.limited_by,
  };
}

function vitalsOf(source: StatusSource, shards: readonly ShardStatus[]): Vitals {
  const { main, persistence, verdict } = source;
  const lags = persistence.wal.shards.map(({ durability_lag_ms }) => durability_lag_ms);
  return {
    isReady: main.get('phase') === Phase.ready,
    usedBytes: usedMemory(
      main,
      source.shards.map(({ page }) => page),
    ),
    limitBytes: source.memoryLimitBytes,
    connected: main.get('connections'),
    maxClients: source.maxClients,
    durabilityLagMs: persistence.wal.max_durability_lag_ms,
    durabilityLagShard: Math.max(0, lags.indexOf(Math.max(0, ...lags))),
    ...persistenceVitals(source),
    certificateMs: certificateMs(source),
    replicas: main.get('replicas'),
    // In a cluster a primary may have become a replica, whose replicas follow another.
    replicasSeen: isDemoted(main) ? 0 : main.get('replicasSeen'),
    lacksReplicas: main.get('lacksReplicas') === 1,
    replicaLagMs: main.get('replicaLagUs') / 1_000,
    linkDownMs: linkDownMs(source),
    streamFault: streamFault(source),
    unappliedMs: main.get('primaryUnappliedUs') / 1_000,
    clusterIssues: clusterIssues(main, source),
    evicts: source.evicts,
    tierFault: tierFault(source),
    mainStandstill: mainStandstill(main, source.commandNames, source.nowUs)?.doing ?? null,
    stuckFronts: stuckFronts(source),
    stuck: shards.filter(({ state }) => state === 'stuck').map(stuckIn(source)),
    recentIssues: verdict.issues,
  };
}

function certificateMs({ main, wallMs }: StatusSource): number | null {
  const endMs = main.get('tlsCertificateEndMs');
  return endMs === 0 ? null : endMs - wallMs;
}

/** Number of intervals after which a snapshot is overdue. */
const OVERDUE_INTERVALS = 3;

function oldSnapshot({
  main,
  shards,
  wallMs,
  snapshotIntervalMs,
  persistence,
}: StatusSource): Vitals['oldSnapshot'] {
  const lastMs = main.get('lastSaveMs');
  if (!persistence.enabled || snapshotIntervalMs === 0 || lastMs === 0) return null;
  const changes = shards.reduce((sum, { page }) => sum + page.get('changes'), 0);
  const limitMs = OVERDUE_INTERVALS * snapshotIntervalMs;
  const ageMs = wallMs - lastMs;
  return changes > main.get('changesAtSave') && ageMs >= limitMs ? { ageMs, limitMs } : null;
}

function stuckFronts({ fronts, nowUs }: StatusSource): readonly string[] {
  return fronts.flatMap((page, index) => {
    const silentUs = frontSilenceUs(page, nowUs);
    return silentUs === 0 ? [] : [`front ${String(index)} ${silenceText(silentUs)}`];
  });
}

function identity(source: StatusSource): StatusDocument['frogdb'] {
  return {
    version: source.version,
    uptime_secs: uptimeSeconds(source.main, source.nowUs),
    process_id: source.processId,
    timestamp: Math.floor(source.wallMs / 1_000),
    timestamp_iso: new Date(source.wallMs).toISOString(),
  };
}

function machineStatus({ machine }: StatusSource): StatusDocument['machine'] {
  return {
    processors: machine.processors,
    memory_bytes: machine.memoryBytes,
    processor_limit: machine.processorLimit ?? null,
    memory_limit_bytes: machine.memoryLimitBytes ?? null,
  };
}

/** Seconds since the start, by the monotonic clock. */
export function uptimeSeconds(main: Page, nowUs: number): number {
  return Math.floor((nowUs - main.get('startedUs')) / 1_000_000);
}

function memoryStatus(source: StatusSource): StatusDocument['memory'] {
  const pages = source.shards.map(({ page }) => page);
  const used = usedMemory(source.main, pages);
  return {
    used_bytes: used,
    peak_bytes: Math.max(used, source.main.get('peakBytes')),
    limit_bytes: source.memoryLimitBytes,
    rss_bytes: source.rssBytes,
    fragmentation_ratio: hundredths(fragmentation(source.rssBytes, source.main, pages).ratio),
  };
}

function tieredStatus(source: StatusSource): StatusDocument['tiered'] {
  const { isTiered, persistence, main } = source;
  const pages = source.shards.map(({ page }) => page);
  return {
    enabled: isTiered,
    is_only_copy: isTiered && !persistence.enabled,
    fault: tierFault(source),
    ...statusFields('tiered', main, pages),
  };
}

/** Returns a word for the worst of the faults of all shards. */
function tierFault({ shards }: StatusSource): string {
  return TIER_FAULTS[Math.max(...shards.map(({ page }) => page.get('tierFault')))] ?? 'none';
}

function keyspaceStatus(source: StatusSource): StatusDocument['keyspace'] {
  return {
    total_keys: total(source, (page) => keysOf(page, source.shape)),
    expires: total(source, (page) => sumDatabases(source.shape, (index) => page.expires(index))),
    ...statusFields(
      'keyspace',
      source.main,
      source.shards.map(({ page }) => page),
    ),
  };
}

function shardStatus(id: number, observer: ShardObserver, source: StatusSource): ShardStatus {
  const { page, rates, queue, executing } = observer;
  return {
    id,
    state: isStuck(observer, source.nowUs) ? 'stuck' : 'running',
    keys: keysOf(page, source.shape),
    ...shardFields(page),
    ops_per_sec: Math.round(rates.commandsPerSecond),
    queue_depth: queue.frames,
    queue_bytes: queue.bytes,
    busy_percent: hundredths(rates.busyPercent),
    executing,
  };
}

function isStuck({ page, executing }: ShardObserver, nowUs: number): boolean {
  return shardSilenceUs(page, executing?.elapsed_us ?? null, nowUs) > 0;
}

function stuckIn({ shards, nowUs }: StatusSource) {
  return ({ id, executing }: ShardStatus): { shard: number; doing: string } => {
    const seconds = (us: number): string => `${(us / 1_000_000).toFixed(1)} s`;
    if (executing !== null) {
      const { command, elapsed_us: elapsedUs } = executing;
      return { shard: id, doing: `has been running ${command} for ${seconds(elapsedUs)}` };
    }
    const silentUs = nowUs - shards[id]!.page.get('heartbeatUs');
    return { shard: id, doing: `has not responded for ${seconds(silentUs)}` };
  };
}

function topCommands(source: StatusSource): CommandStatus[] {
  const pages = [source.main, ...source.shards.map(({ page }) => page)];
  const counts = new Float64Array(HISTOGRAM_BUCKETS);
  const called = calledCommands(source.commandNames, pages);
  return called.slice(0, TOP_COMMANDS).map(({ command, id, calls }) => {
    mergeExecutions(pages, id, counts);
    return {
      command,
      calls,
      p50_us: percentileUs(counts, 0.5),
      p99_us: percentileUs(counts, 0.99),
      windows: source.windows(id),
    };
  });
}

function keysOf(page: Page, shape: PageShape): number {
  return sumDatabases(shape, (index) => page.keys(index));
}

function sumDatabases({ databases }: PageShape, of: (index: number) => number): number {
  let sum = 0;
  for (let index = 0; index < databases; index += 1) sum += of(index);
  return sum;
}

function total({ shards }: StatusSource, of: (page: Page) => number): number {
  return shards.reduce((sum, { page }) => sum + of(page), 0);
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Milliseconds for which a replica has had no link to its primary. */
function linkDownMs({ main, wallMs }: StatusSource): number | null {
  const sinceMs = main.get('primaryLinkDownSinceMs');
  return main.get('isReplica') === 1 && sinceMs > 0 ? Math.max(0, wallMs - sinceMs) : null;
}

/** Last command of the primary's stream that could not be run, unless it is long ago and the data are the same again. */
function streamFault({ main, wallMs }: StatusSource): Vitals['streamFault'] {
  const differs = main.get('primaryDataDiffer') === 1;
  const agoMs = Math.max(0, wallMs - main.get('primaryStreamFaultMs'));
  return differs || agoMs < STREAM_FAULT_MS ? { agoMs, differs } : null;
}

function isDemoted(main: Page): boolean {
  return main.get('clusterEnabled') === 1 && main.get('clusterIsPrimary') === 0;
}
