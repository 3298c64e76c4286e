/** Section Persistence of INFO. */

import { DURABILITY_QUANTITIES, LOG_QUANTITIES } from '#quantities';
import { lastSaveSeconds, savingSeconds } from '#stats';
import { logLines, type Line, type Part } from './info-lines.ts';
import type { ServerMetrics } from './server-metrics.ts';

/** Rows of the logs, in their order here. */
const LOG_ROWS = [...new Set([...LOG_QUANTITIES.pending, ...Object.values(LOG_QUANTITIES).flat()])];

const status = (hasFailed: boolean): string => (hasFailed ? 'err' : 'ok');

const isEnabled = ({ durability }: ServerMetrics): boolean => durability.isEnabled;

/** Redis' names, where `rdb` is a snapshot and `aof` the log; what Redis has not follows. */
export const PERSISTENCE: readonly Part[] = [
  head,
  {
    when: (metrics) => !isEnabled(metrics),
    parts: [
      () => [
        ['aof_enabled', 0],
        ['aof_rewrite_in_progress', 0],
      ],
    ],
  },
  {
    when: isEnabled,
    parts: [
      lastSave,
      DURABILITY_QUANTITIES.snapshots,
      log,
      DURABILITY_QUANTITIES.recovery,
      ({ durability }) => [['persistence_errors', durability.errors]],
      DURABILITY_QUANTITIES.lastSnapshot,
    ],
  },
];

function head({ durability: report, main }: ServerMetrics): Line[] {
  return [
    ['loading', Number(report.isLoading)],
    // A replica serves the data that it has while those of its primary come.
    ['async_loading', main.get('syncInProgress')],
    ['current_cow_size', report.isSaving ? report.preservedBytes : 0],
    ['rdb_changes_since_last_save', report.changesSinceSave],
    ['rdb_bgsave_in_progress', Number(report.isSaving || report.isSyncing)],
  ];
}

function lastSave({ durability: report, nowMs }: ServerMetrics): Line[] {
  return [
    ...(report.isLoading ? loading(report) : []),
    ['rdb_last_save_time', Math.floor(report.lastSaveMs / 1_000)],
    ['rdb_last_bgsave_status', status(report.hasLastSaveFailed)],
    ['rdb_last_bgsave_time_sec', lastSaveSeconds(report)],
    ['rdb_current_bgsave_time_sec', savingSeconds(report, nowMs)],
  ];
}

function log({ durability: report, nowMs, logTotals }: ServerMetrics): Line[] {
  return [
    ['rdb_last_cow_size', report.preservedBytes],
    ['rdb_last_load_keys_loaded', report.loadedKeys],
    ['aof_enabled', 1],
    ['aof_rewrite_in_progress', Number(report.isSaving)],
    ['aof_last_rewrite_time_sec', lastSaveSeconds(report)],
    ['aof_current_rewrite_time_sec', savingSeconds(report, nowMs)],
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
    ...logLines({ logTotals }, LOG_ROWS),
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
