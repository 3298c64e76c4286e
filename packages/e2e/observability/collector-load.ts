/** A server that exports traces and metrics under load, for suites of collectors that do not take them. */

import {
  byName,
  type ChildServer,
  Collector,
  type CollectorMode,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';

const COMMANDS = 30_000;
/** Traces that wait for the collector, and that are under way to it, at the most. */
const QUEUE = 2_048;
const BATCH = 256;

/** The server of the test that is under way. */
export let server: ChildServer;
export let client: RespClient;
let collector: Collector | undefined;

/** Stops everything that a test of a suite has started, after each test. */
export function stopExporting(of: Test): void {
  of.after.each(async () => {
    await server.stop();
    collector?.stop();
  });
}

/** Starts a server that exports to a collector which does this with all it is sent. */
export async function exportTo(mode: CollectorMode): Promise<Collector> {
  collector = await Collector.start();
  collector.mode = mode;
  await exportToEndpoint(collector.endpoint);
  return collector;
}

/** Starts a server that exports to wherever that is. */
export async function exportToEndpoint(endpoint: string): Promise<void> {
  server = await startServer({
    http: true,
    toml: `
      [tracing]
      enabled = true
      otlp-endpoint = "${endpoint}"
      [metrics]
      otlp-enabled = true
      otlp-endpoint = "${endpoint}"
      otlp-interval-secs = 1
    `,
  });
  client = await server.client();
}

/** DEBUG TRACING STATUS by name. */
export async function status(): Promise<Record<string, unknown>> {
  return Object.fromEntries(byName(await client.call('DEBUG', 'TRACING', 'STATUS')));
}

/** More requests than any queue holds, all answered. */
export async function load(): Promise<void> {
  const replies = await client.pipeline(
    Array.from({ length: COMMANDS }, (_, nth) => ['SET', `k${String(nth % 100)}`, 'v']),
  );
  assert.ok(replies.every((reply) => reply === 'OK'));
}

/** Every trace comes to be somewhere: taken, waiting, under way to the collector, or counted as lost. */
export async function allAccountedFor(): Promise<void> {
  await until(async () => {
    const now = await status();
    const of = (name: string): number => Number(now[name]);
    const lost =
      of('dropped-busy-total') + of('dropped-queue-total') + of('dropped-collector-total');
    const missing = of('sampled-total') - lost - of('queued');
    return missing >= 0 && missing <= BATCH && of('queued') <= QUEUE;
  }, 'all traces are accounted for');
}
