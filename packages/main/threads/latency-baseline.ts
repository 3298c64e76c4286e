/** Measures the intrinsic latency of the machine in a separate thread. */

import { MessageChannel } from 'node:worker_threads';
import type { Logger } from '#base';
import type { Settings } from '#config';
import { type LatencyBaseline, latencyVerdict } from '#stats';
import { latencyTestUrl } from '#workers';
import { runTask } from './run-task.ts';

/** Measures for a number of seconds; `newMaximum` is called for each maximum. */
export async function testLatency(
  seconds: number,
  newMaximum: (us: number) => void,
): Promise<LatencyBaseline> {
  const { port1, port2 } = new MessageChannel();
  port1.on('message', newMaximum);
  try {
    return await runTask(latencyTestUrl, 'runLatencyTest', { seconds, maxima: port2 }, [port2]);
  } finally {
    port1.close();
  }
}

/** Measures what latency the machine causes, before anybody could be blamed for it, and logs a verdict. */
export async function testAtStart(settings: Settings, log: Logger): Promise<LatencyBaseline> {
  const seconds = settings.number('latency.startup-test-duration-secs');
  const thresholdUs = settings.number('latency.warning-threshold-us');
  log.info(
    'latency-test',
    `Measuring the intrinsic latency of the machine for ${String(seconds)} s`,
  );
  const baseline = await testLatency(seconds, () => undefined);
  const { maxUs, p999Us, avgUs, samples } = baseline;
  const message = `Intrinsic latency of the machine is ${latencyVerdict(baseline, thresholdUs)}`;
  const fields = { max_us: maxUs, p999_us: p999Us, avg_us: avgUs, samples };
  if (maxUs > thresholdUs) log.warn('latency-test', message, fields);
  else log.info('latency-test', message, fields);
  return baseline;
}
