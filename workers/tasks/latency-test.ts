/** The latency test as a task of its own thread: it keeps a core busy for as long as it takes. */

import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '#base';
import { type LatencyBaseline, measureLatency } from '#stats';

interface LatencyTask {
  readonly seconds: number;
  /** Takes each new maximum, in microseconds. */
  readonly maxima: MessagePort;
}

export function runLatencyTest({ seconds, maxima }: LatencyTask): LatencyBaseline {
  return measureLatency(systemClock, seconds, (us) => {
    maxima.postMessage(us);
  });
}
