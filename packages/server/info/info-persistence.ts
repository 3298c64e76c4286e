/** INFO's section on what is kept on disk. */

import { DURABILITY_QUANTITIES, LOG_QUANTITIES } from '#quantities';
import { lastSaveSeconds, savingSeconds } from '#stats';
import { linesOf, logLines, type Line } from './info-lines.ts';
import type { ServerMetrics } from './server-metrics.ts';

const status = (hasFailed: boolean): string => (hasFailed ? 'err' : 'ok');

/** Redis' names, where `rdb` is a snapshot and `aof` the log; what Redis has not follows. */
export function persistence(metrics: ServerMetrics): Line[] {
  const { durability: report, nowMs, logTotals } = metrics;
  const head: Line[] = [
    ['loading', Number(report.isLoading)],
    ['async_loading', 0],
    ['current_cow_size', report.isSaving ? report.preservedBytes : 0],
    ['rdb_changes_since_last_save', report.changesSinceSave],
    ['rdb_bgsave_in_progress', Number(report.isSaving)],
  ];
  if (!report.isEnabled) return [...head, ['aof_enabled', 0], ['aof_rewrite_in_progress', 0]];
  const saving = savingSeconds(report, nowMs);
  const last = lastSaveSeconds(report);
  return [
    ...head,
    ...(report.isLoading ? loading(report) : []),
    ['rdb_last_save_time', Math.floor(report.lastSaveMs / 1_000)],
    ['rdb_last_bgsave_status', status(report.hasLastSaveFailed)],
    ['rdb_last_bgsave_time_sec', last],
    ['rdb_current_bgsave_time_sec', saving],
    ...linesOf(metrics, DURABILITY_QUANTITIES.snapshots),
    ['rdb_last_cow_size', report.preservedBytes],
    ['rdb_last_load_keys_loaded', report.loadedKeys],
    ['aof_enabled', 1],
    ['aof_rewrite_in_progress', Number(report.isSaving)],
    ['aof_last_rewrite_time_sec', last],
    ['aof_current_rewrite_time_sec', saving],
    ['aof_last_cow_size', report.preservedBytes],
    ['aof_last_bgrewrite_status', status(report.hasLastSaveFailed)],
    ['aof_last_write_status', status(report.hasLogFailed)],
    ['log_awaits_snapshot', Number(report.awaitsSnapshot)],
    ['aof_current_size', report.currentBytes],
    ['aof_base_size', report.baseBytes],
    ['aof_pending_bio_fsync', logTotals('unsyncedBytes') > 0 ? 1 : 0],
    ['aof_delayed_fsync', logTotals('delayedSyncs')],
    ['durability_mode', report.mode],
    ['durability_lag_ms', Math.round(report.lagMs)],
    ...logLines(metrics, LOG_QUANTITIES.pending),
    ...logLines(metrics, LOG_QUANTITIES.work),
    ...linesOf(metrics, DURABILITY_QUANTITIES.recovery),
    ['persistence_errors', report.errors],
    ...linesOf(metrics, DURABILITY_QUANTITIES.lastSnapshot),
  ];
}

function loading({ loadTotalBytes, loadedBytes, loadedKeys }: ServerMetrics['durability']): Line[] {
  const share = loadTotalBytes > 0 ? (100 * loadedBytes) / loadTotalBytes : 0;
  return [
    ['loading_total_bytes', loadTotalBytes],
    ['loading_loaded_bytes', loadedBytes],
    ['loading_loaded_perc', share.toFixed(2)],
    ['loading_loaded_keys', loadedKeys],
  ];
}
