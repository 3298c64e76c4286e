/** Has a thread of its own measure what latency the machine itself causes. */

import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { LatencyBaseline } from '#diag';
import { latencyTestUrl } from '#workers';

/** Measures for so many seconds; `newMaximum` is told of each as it comes. */
export async function testLatency(
  seconds: number,
  newMaximum: (us: number) => void,
): Promise<LatencyBaseline> {
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
