/** Rules for replicas: what a full synchronisation is to be for them, when it begins, and when they are late. */

import type { Replica } from './replica.ts';
import type { PrimarySettings } from './primary-options.ts';

/** True if a replica needs the length of a full synchronisation in advance. Filtered ones always have an end mark. */
export function wantsFile({ announced, slotLink }: Replica, isDiskless: boolean): boolean {
  if (slotLink !== undefined) return false;
  const { hasEof, filter } = announced;
  return !hasEof || (filter === 'all' && !isDiskless);
}

/** True where another replica can have the same full synchronisation. Slots go to one node alone. */
export function wantsSame(first: Replica, other: Replica, isDiskless: boolean): boolean {
  if (first === other) return true;
  if (first.slotLink !== undefined || other.slotLink !== undefined) return false;
  return (
    other.announced.filter === first.announced.filter &&
    wantsFile(other, isDiskless) === wantsFile(first, isDiskless)
  );
}

/** True when a full synchronisation need not wait for more replicas that want the same. */
export function isDue(
  waiting: readonly Replica[],
  waitedMs: number,
  settings: PrimarySettings,
): boolean {
  if (waiting[0]?.slotLink !== undefined) return true;
  const { syncDelaySecs, syncMaxReplicas } = settings;
  if (syncMaxReplicas > 0 && waiting.length >= syncMaxReplicas) return true;
  return waitedMs >= syncDelaySecs * 1_000;
}

/** True when a replica has sent no acknowledgement, or has received nothing, for too long. */
export function isTimedOut(replica: Replica, nowMs: number, timeoutMs: number): boolean {
  if (replica.isOld) return false;
  if (replica.state === 'online') return nowMs - replica.ack.ms > timeoutMs;
  return replica.state === 'send_bulk' && nowMs - replica.sync.sentMs > timeoutMs;
}

/** Counts replicas that follow the stream and have acknowledged lately. */
export function countGood(replicas: Iterable<Replica>, nowMs: number, maxLagSecs: number): number {
  let good = 0;
  for (const { state, ack, slotLink } of replicas) {
    if (state === 'online' && slotLink === undefined && lagSecs(nowMs, ack.ms) <= maxLagSecs)
      good += 1;
  }
  return good;
}

/** Whole seconds since a replica has acknowledged something, as Redis counts them. */
export function lagSecs(nowMs: number, ackMs: number): number {
  return Math.max(0, Math.floor(nowMs / 1_000) - Math.floor(ackMs / 1_000));
}
