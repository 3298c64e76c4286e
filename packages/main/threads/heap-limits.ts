/** Limits of the JavaScript heap of a thread. */

import { machineLimits } from '#base';
import type { ResourceLimits } from 'node:worker_threads';

const MIB = 2 ** 20;
/** Most that V8 gives a heap by itself. */
const OLD_GENERATION_MB = 4_096;
/** Share of a container's memory that the heap of one thread may take. Data are outside of the heaps, which are small. */
const HEAP_SHARE = 0.5;

/**
 * Returns the limits. Main's heap follows the limit of a container, as Node sizes it; a thread's would follow the machine, and
 * V8 would collect garbage too late.
 */
export function heapLimits(youngMb: number, limits = machineLimits()): ResourceLimits {
  const young = { maxYoungGenerationSizeMb: youngMb };
  const { memoryLimitBytes } = limits;
  if (memoryLimitBytes === undefined) return young;
  const most = Math.max(1, Math.floor((memoryLimitBytes * HEAP_SHARE) / MIB));
  return { ...young, maxOldGenerationSizeMb: Math.min(most, OLD_GENERATION_MB) };
}
