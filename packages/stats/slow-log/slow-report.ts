/** Entries of the logs of commands in the documents of HTTP. */

import { readable } from '#base';
import type { SlowlogReport } from '#api-types';
import { MAIN_THREAD } from '../latency/latency-events.ts';
import type { SlowEntry } from './slow-log.ts';

/** Returns an entry as the debug API shows it. */
export function slowReport(entry: SlowEntry): SlowlogReport {
  const [command = '', ...args] = entry.args.map(readable);
  return {
    id: entry.id,
    timestamp: Math.floor(entry.unixMs / 1_000),
    // As in SLOWLOG GET.
    duration_us: Math.floor(entry.executeUs),
    size_bytes: entry.bytes === 0 ? null : entry.bytes,
    command,
    args,
    client_addr: entry.client.address,
    client_name: entry.client.name,
    shard: entry.shard === MAIN_THREAD ? null : entry.shard,
    queue_us: Math.floor(entry.queueUs),
    durable_us: Math.floor(entry.durableUs),
    fetch_us: Math.floor(entry.fetchUs),
  };
}
