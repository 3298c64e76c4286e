/** Progress of a full sync from a primary, for reports. */

import type { LogFields } from '#base';

export interface SyncProgress {
  readonly totalBytes: number | undefined;
  readonly receivedBytes: number;
  readonly keys: number;
  readonly startedMs: number;
  readonly lastReceivedMs: number;
}

/** Fields of the line about it in the log. */
export function progressFields(progress: SyncProgress, nowMs: number): LogFields {
  const { keys, receivedBytes: bytes, totalBytes, startedMs } = progress;
  return {
    keys,
    bytes,
    total_bytes: totalBytes ?? null,
    percent: percentOf(progress),
    bytes_per_sec: Math.round((1_000 * bytes) / Math.max(1, nowMs - startedMs)),
  };
}

/** Received share in percent, with one decimal; null if the total is unknown. */
export function percentOf({
  receivedBytes,
  totalBytes,
}: Pick<SyncProgress, 'receivedBytes' | 'totalBytes'>): number | null {
  if (totalBytes === undefined || totalBytes === 0) return null;
  return Math.round((1_000 * receivedBytes) / totalBytes) / 10;
}
