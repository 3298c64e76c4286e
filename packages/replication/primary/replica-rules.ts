/** Rules for replicas: what a full synchronisation is to be for them, when it begins, and when they are late. */

import type { Replica } from './replica.ts';
import type { PrimarySettings } from './surroundings.ts';

/** True where a replica is told the length of a full synchronisation ahead. What is filtered has an end mark always. */
export function wantsFile({ hasEof, filter }: Replica, isDiskless: boolean): boolean {
  return !hasEof || (filter === 'all' && !isDiskless);
}

/** True when a full synchronisation need not wait for more replicas that want the same. */
export function isDue(waiting: number, waitedMs: number, settings: PrimarySettings): boolean {
  const { syncDelaySecs, syncMaxReplicas } = settings;
  if (syncMaxReplicas > 0 && waiting >= syncMaxReplicas) return true;
  return waitedMs >= syncDelaySecs * 1_000;
}

/** True when a replica has not been heard of, or has taken nothing, for too long. */
export function isTimedOut(replica: Replica, nowMs: number, timeoutMs: number): boolean {
  if (replica.isOld) return false;
  if (replica.state === 'online') return nowMs - replica.ackMs > timeoutMs;
  return replica.state === 'send_bulk' && nowMs - replica.sentMs > timeoutMs;
}

/** Counts replicas that follow the stream and have acknowledged lately. */
export function countGood(replicas: Iterable<Replica>, nowMs: number, maxLagSecs: number): number {
  let good = 0;
  for (const { state, ackMs } of replicas) {
    if (state === 'online' && lagSecs(nowMs, ackMs) <= maxLagSecs) good += 1;
  }
  return good;
}

/** Whole seconds since a replica has acknowledged something, as Redis counts them. */
export function lagSecs(nowMs: number, ackMs: number): number {
  return Math.max(0, Math.floor(nowMs / 1_000) - Math.floor(ackMs / 1_000));
}
