/** Tells how well the data is kept, as any thread sees it. */

import { durabilityReport, type DurabilityReport } from '#stats';
import type { Observer } from './observer.ts';

export function durabilityIn(
  { main, shards, logs }: Observer,
  mode: string,
  nowUs: number,
): DurabilityReport {
  return durabilityReport({ main, shards, logs, mode, nowUs });
}
