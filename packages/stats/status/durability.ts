/**
 * Durability of the data, computed from the pages and from the figures of the disk thread, by any thread with access to
 * them.
 */

import type { LogFigure, LogFigures } from '../page/log-figures.ts';
import type { Page } from '../page/page.ts';

interface DurabilitySource {
  readonly main: Page;
  readonly shards: readonly Page[];
  /** Figures of each shard's log. */
  readonly logs: readonly LogFigures[];
  /** sync, periodic or async. */
  readonly mode: string;
  readonly nowUs: number;
}

interface LogReport {
  readonly shard: number;
  readonly segment: number;
  readonly segmentBytes: number;
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  /** Age of the oldest write that is not on disk for certain. */
  readonly lagMs: number;
}

export interface DurabilityReport {
  readonly isEnabled: boolean;
  readonly mode: string;
  /** True until the first snapshot after persistence was switched on: a restart would lose all changes since. */
  readonly awaitsSnapshot: boolean;
  readonly isSaving: boolean;
  /** A full synchronisation of replicas is being written. */
  readonly isSyncing: boolean;
  /** Unix milliseconds; 0 when no snapshot was taken yet. */
  readonly savingSinceMs: number;
  readonly saves: number;
  readonly savesFailed: number;
  readonly lastSaveMs: number;
  readonly lastSaveUs: number;
  readonly lastSaveBytes: number;
  readonly lastSaveKeys: number;
  /** Bytes of the newest snapshot and later logs that a start would read: when the snapshot finished, and now. */
  readonly baseBytes: number;
  readonly currentBytes: number;
  readonly hasLastSaveFailed: boolean;
  readonly changesSinceSave: number;
  /** Bytes of keys that the snapshot under way, or the last one, kept because they changed meanwhile. */
  readonly preservedBytes: number;
  readonly hasLogFailed: boolean;
  readonly logs: readonly LogReport[];
  readonly pendingRecords: number;
  readonly pendingBytes: number;
  readonly lagMs: number;
  /** Writes and syncs that failed, and snapshots. */
  readonly errors: number;
  /** Data that the start has left out: damaged bytes, and logs whose ends the disk had not taken. */
  readonly recoveryLostBytes: number;
  readonly recoveryHoles: number;
  readonly isLoading: boolean;
  readonly loadTotalBytes: number;
  readonly loadedBytes: number;
  readonly loadedKeys: number;
}

export function durabilityReport(source: DurabilitySource): DurabilityReport {
  const { main, shards, nowUs } = source;
  const isEnabled = main.get('keepsData') === 1;
  const logs = isEnabled ? source.logs : [];
  const ofShards = (counter: Parameters<Page['get']>[0]): number =>
    shards.reduce((sum, page) => sum + page.get(counter), 0);
  const ofLogs = (figure: LogFigure): number => sumOfLogs(logs, figure);
  const perShard = logs.map((log, shard) => logReport(log, shard, nowUs));
  const loadTotalBytes = ofShards('loadTotalBytes');
  const loadedBytes = ofShards('loadedBytes');
  return {
    isEnabled,
    mode: source.mode,
    awaitsSnapshot: main.get('awaitsSnapshot') === 1,
    isSaving: main.get('savingSinceMs') > 0,
    isSyncing: main.get('writesFullSync') > 0,
    savingSinceMs: main.get('savingSinceMs'),
    saves: main.get('saves'),
    savesFailed: main.get('savesFailed'),
    lastSaveMs: main.get('lastSaveMs'),
    lastSaveUs: main.get('lastSaveUs'),
    lastSaveBytes: main.get('lastSaveBytes'),
    lastSaveKeys: main.get('lastSaveKeys'),
    baseBytes: main.get('logBaseBytes'),
    currentBytes: main.get('logBaseBytes') + ofLogs('bytes') - main.get('logCountAtBase'),
    hasLastSaveFailed: main.get('lastSaveFailed') === 1,
    changesSinceSave: ofShards('changes') - main.get('changesAtSave'),
    preservedBytes: ofShards('snapshotPreservedBytes'),
    hasLogFailed: main.get('logFailed') === 1,
    logs: perShard,
    pendingRecords: ofLogs('unsyncedRecords'),
    pendingBytes: ofLogs('unsyncedBytes'),
    lagMs: perShard.reduce((most, { lagMs }) => Math.max(most, lagMs), 0),
    // They are counted on while nothing is kept.
    errors:
      sumOfLogs(source.logs, 'writeErrors') +
      sumOfLogs(source.logs, 'syncErrors') +
      main.get('savesFailed'),
    recoveryLostBytes: main.get('recoveryLostBytes'),
    recoveryHoles: main.get('recoveryHoles'),
    isLoading: main.get('loading') === 1,
    loadTotalBytes,
    loadedBytes,
    loadedKeys: ofShards('loadedKeys'),
  };
}

/** Seconds that the last snapshot took, rounded; -1 where there was none. */
export function lastSaveSeconds({ saves, lastSaveUs }: DurabilityReport): number {
  return saves > 0 ? Math.round(lastSaveUs / 1_000_000) : -1;
}

/** Seconds since the start of the running snapshot; -1 if there is none. */
export function savingSeconds(
  { isSaving, savingSinceMs }: DurabilityReport,
  nowMs: number,
): number {
  return isSaving ? Math.floor((nowMs - savingSinceMs) / 1_000) : -1;
}

/** A figure over all logs. */
export function sumOfLogs(logs: readonly LogFigures[], figure: LogFigure): number {
  return logs.reduce((sum, log) => sum + log.get(figure), 0);
}

function logReport(log: LogFigures, shard: number, nowUs: number): LogReport {
  const sinceUs = log.get('unsyncedSinceUs');
  return {
    shard,
    segment: log.get('segment'),
    segmentBytes: log.get('segmentBytes'),
    pendingRecords: log.get('unsyncedRecords'),
    pendingBytes: log.get('unsyncedBytes'),
    lagMs: sinceUs === 0 ? 0 : Math.max(0, (nowUs - sinceUs) / 1_000),
  };
}
