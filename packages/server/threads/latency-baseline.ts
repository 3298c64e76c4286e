/** Has a thread of its own measure what latency the machine itself causes. */

import { MessageChannel } from 'node:worker_threads';
import type { Logger } from '#base';
import type { Settings } from '#config';
import { latencyVerdict, type LatencyBaseline } from '#stats';
import { latencyTestUrl } from '#workers';

/** Measures for so many seconds; `newMaximum` is told of each as it comes. */
export async function testLatency(
  seconds: number,
  newMaximum: (us: number) => void,
): Promise<LatencyBaseline> {
  // Seldom used, and not to be waited for by every start.
  const { Piscina } = await import('piscina');
  const { port1, port2 } = new MessageChannel();
  port1.on('message', newMaximum);
  const pool = new Piscina<unknown, LatencyBaseline>({
    filename: latencyTestUrl.href,
    minThreads: 1,
    maxThreads: 1,
  });
  try {
    const task = { seconds, maxima: port2 };
    return await pool.run(task, { name: 'runLatencyTest', transferList: [port2] });
  } finally {
    port1.close();
    await pool.destroy();
  }
}

/** Measures what latency the machine causes, before anybody could be blamed for it, and logs a verdict. */
export async function testAtStart(settings: Settings, log: Logger): Promise<LatencyBaseline> {
  const seconds = settings.number('latency.startup-test-duration-secs');
  const thresholdUs = settings.number('latency.warning-threshold-us');
  log.info('latency-test', `measuring the latency of the machine for ${String(seconds)} s`);
  const baseline = await testLatency(seconds, () => undefined);
  const { maxUs, p999Us, avgUs, samples } = baseline;
  const message = `the latency of the machine is ${latencyVerdict(baseline, thresholdUs)}`;
  const fields = { max_us: maxUs, p999_us: p999Us, avg_us: avgUs, samples };
  if (maxUs > thresholdUs) log.warn('latency-test', message, fields);
  else log.info('latency-test', message, fields);
  return baseline;
}
