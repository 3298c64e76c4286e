/** Logs and snapshots from shared pages, with the latest outcomes, which main has. */

import { statfs } from 'node:fs/promises';
import type { DiskOutcomesReport, LogReport, PersistenceDocument, SyncTimes } from '#api-types';
import { durabilityIn } from '#observer';
import {
  addCounts,
  type Counts,
  greatestUs,
  HISTOGRAM_BUCKETS,
  type LogFigures,
  percentileUs,
  totalCount,
} from '#stats';
import type { OpsContext } from '../../ops/ops-context.ts';
import { HttpError } from '../../protocol/answer.ts';
import { documentRoute, type Route } from '../../protocol/route.ts';
import { hundredths } from '../api-figures.ts';

export function persistenceRoute(opsContext: OpsContext): Route {
  return documentRoute(
    'persistence',
    'Lag, fsync times and failures of the logs, and the latest snapshots.',
    () => persistenceDocument(opsContext),
  );
}

async function persistenceDocument(opsContext: OpsContext): Promise<PersistenceDocument> {
  const { observer, live, clock } = opsContext;
  const report = durabilityIn(observer, live.status.durabilityMode, clock.nowUs());
  const { isEnabled } = report;
  const logs = isEnabled ? observer.logs : [];
  return {
    enabled: isEnabled,
    durability_mode: isEnabled ? report.mode : null,
    awaits_snapshot: report.awaitsSnapshot,
    log_failed: report.hasLogFailed,
    lag_ms: hundredths(report.lagMs),
    pending_records: report.pendingRecords,
    pending_bytes: report.pendingBytes,
    sync: syncTimes(sumOf(logs)),
    logs: report.logs.map((log): LogReport => ({
      shard: log.shard,
      segment: log.segment,
      segment_bytes: log.segmentBytes,
      pending_records: log.pendingRecords,
      pending_bytes: log.pendingBytes,
      lag_ms: hundredths(log.lagMs),
      ...figuresOf(logs[log.shard]!),
    })),
    snapshot: {
      running_since_time_ms: report.isSaving ? report.savingSinceMs : null,
      last_time_ms: report.lastSaveMs > 0 ? report.lastSaveMs : null,
      last_ok: report.saves + report.savesFailed === 0 ? null : !report.hasLastSaveFailed,
      last_duration_us: Math.round(report.lastSaveUs),
      last_keys: report.lastSaveKeys,
      last_bytes: report.lastSaveBytes,
      finished: report.saves,
      failed: report.savesFailed,
      changes_since: report.changesSinceSave,
    },
    disk: isEnabled ? await diskOf(live.dataFolder) : null,
    outcomes: isEnabled ? await outcomesOf(opsContext) : null,
  };
}

function figuresOf(
  log: LogFigures,
): Omit<
  LogReport,
  'shard' | 'segment' | 'segment_bytes' | 'pending_records' | 'pending_bytes' | 'lag_ms'
> {
  return {
    ...syncTimes(log.syncTimes),
    records: log.get('records'),
    written_bytes: log.get('bytes'),
    delayed_syncs: log.get('delayedSyncs'),
    write_errors: log.get('writeErrors'),
    sync_errors: log.get('syncErrors'),
    lost_records: log.get('lostRecords'),
  };
}

function sumOf(logs: readonly LogFigures[]): Counts {
  const sum = new Float64Array(HISTOGRAM_BUCKETS);
  for (const { syncTimes: counts } of logs) addCounts(sum, counts);
  return sum;
}

function syncTimes(counts: Counts): SyncTimes {
  const at = (fraction: number): number => hundredths(percentileUs(counts, fraction));
  return {
    syncs: totalCount(counts),
    p50_us: at(0.5),
    p99_us: at(0.99),
    p999_us: at(0.999),
    max_us: hundredths(greatestUs(counts)),
  };
}

async function diskOf(folder: string): Promise<PersistenceDocument['disk']> {
  try {
    const { bsize, bavail, blocks } = await statfs(folder);
    return { folder, free_bytes: bsize * bavail, total_bytes: bsize * blocks };
  } catch {
    // A folder without access is shown by the failures of the logs.
    return null;
  }
}

async function outcomesOf({ mainClient }: OpsContext): Promise<DiskOutcomesReport | null> {
  try {
    return await mainClient.ask('disk-outcomes', null);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return null;
  }
}
