/** A server that sends its traces to a collector, with a client that gives each of them a known id. */

import {
  type ChildServer,
  Collector,
  type OtlpSpan,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import * as assert from 'uvu/assert';

export const SHARDS = 2;
export const PARENT_ID = 'b7ad6b7169203331';

export class TracedServer {
  readonly collector: Collector;
  readonly server: ChildServer;
  readonly client: RespClient;
  #traces = 0;

  private constructor(collector: Collector, server: ChildServer, client: RespClient) {
    this.collector = collector;
    this.server = server;
    this.client = client;
  }

  static async start(): Promise<TracedServer> {
    const collector = await Collector.start();
    const server = await startServer({
      shards: SHARDS,
      http: true,
      toml: `
        [tracing]
        enabled = true
        otlp-endpoint = "${collector.endpoint}"
        service-name = "orders"
        [slowlog]
        log-slower-than = -1
      `,
    });
    return new TracedServer(collector, server, await server.client());
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.collector.stop();
  }

  async set(...words: (string | number)[]): Promise<void> {
    assert.is(await this.client.call('CONFIG', 'SET', ...words), 'OK');
  }

  /** Gives the commands a trace id of their own, and answers its spans once the collector has them. */
  async spansOf(...commands: readonly (readonly string[])[]): Promise<OtlpSpan[]> {
    this.#traces += 1;
    const id = this.#traces.toString(16).padStart(32, '0');
    await this.client.call('CLIENT', 'TRACEPARENT', `00-${id}-${PARENT_ID}-01`);
    await this.client.pipeline(commands.map((words) => [...words]));
    await this.client.call('CLIENT', 'TRACEPARENT', 'OFF');
    const found = (): OtlpSpan[] => this.collector.spans.filter(({ traceId }) => traceId === id);
    // The command that ends the trace is its last: what was before it is there when it is.
    await until(() => found().some(({ name }) => name === 'CLIENT TRACEPARENT'), 'the last span');
    return found().filter(({ name }) => name !== 'CLIENT TRACEPARENT');
  }
}

/** The one span of that name. */
export function named(spans: readonly OtlpSpan[], name: string): OtlpSpan {
  const found = spans.filter((span) => span.name === name);
  assert.is(found.length, 1, `one ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found[0]!;
}
