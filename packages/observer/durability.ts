/** Durability of the data as seen by any thread. */

import { durabilityReport, type DurabilityReport } from '#stats';
import type { Observer } from './observer.ts';

export function durabilityIn(
  { main, shards, logs }: Observer,
  mode: string,
  nowUs: number,
): DurabilityReport {
  return durabilityReport({ main, shards, logs, mode, nowUs });
}
