/** /metrics: the table of metrics in the format that is asked for, read from the pages at that moment. */

import { residentBytes } from '#base';
import type { MetricJson } from '#api-types';
import { type ModuleMetric, ringDepth, SharedCounter } from '#link';
import { durabilityIn, healthNow } from '#observer';
import {
  Exposition,
  type ExpositionFormat,
  type MetricDefinition,
  metricsJson,
  metricsWith,
  moduleMetrics,
  type MetricSource,
  MetricsPush,
  redisMetrics,
  UserSeries,
} from '#telemetry';
import type { Answer } from '../protocol/answer.ts';
import type { HttpListener } from '../protocol/listener.ts';
import { METRICS_PATH, type Route } from '../protocol/route.ts';
import type { HttpLiveSettings } from './settings.ts';
import type { OpsContext } from '../ops/ops-context.ts';

/**
 * Scrapes that are rendered within a second, and most time that they may take; further ones get the last of them.
 * The rest of the thread's time is for others, such as probes.
 */
const RENDERED_PER_SECOND_MAX = 20;
const RENDER_US_PER_SECOND_MAX = 250_000;
const SECOND_US = 1_000_000;

interface Rendered {
  text: string;
  /** Renderings within the second that began at `sinceUs`, and the time that they took. */
  count: number;
  renderUs: number;
  sinceUs: number;
}

export class MetricsRenderer {
  readonly #context: OpsContext;
  readonly #listener: HttpListener;
  readonly #users: UserSeries;
  readonly #definitions: readonly MetricDefinition[];
  readonly #expositions: Readonly<Record<ExpositionFormat, Exposition>>;
  #rendered: Partial<Record<ExpositionFormat, Rendered>> = {};
  readonly #push: MetricsPush | undefined;
  #scrapeUs = 0;

  /** `ofModules` are metrics that modules of main contribute. */
  constructor(opsContext: OpsContext, listener: HttpListener, ofModules: readonly ModuleMetric[]) {
    this.#context = opsContext;
    this.#listener = listener;
    const { observer, fixed, userNames } = opsContext;
    const pages = {
      main: observer.main,
      shards: observer.shards,
      commandCount: observer.shape.commands,
    };
    this.#users = new UserSeries(pages, fixed.metricUsersMax, userNames);
    const more = opsContext.fixed.hasRedisNames ? redisMetrics : [];
    this.#definitions = [
      ...metricsWith(new Set(fixed.metricFeatures)),
      ...more,
      ...moduleMetrics(ofModules),
    ];
    const take = (): MetricSource => this.#source();
    this.#expositions = {
      text: new Exposition(this.#definitions, 'text', take),
      openmetrics: new Exposition(this.#definitions, 'openmetrics', take),
    };
    const { metricsEndpoint: endpoint, identity } = opsContext.fixed;
    if (endpoint === undefined) return;
    const { log } = opsContext;
    this.#push = new MetricsPush({
      endpoint,
      identity,
      take,
      log,
      definitions: this.#definitions,
    });
    this.#push.every(opsContext.live.metricsPushMs);
  }

  /** Applies the interval at which metrics are pushed, which may have changed. */
  apply({ metricsPushMs }: HttpLiveSettings): void {
    this.#push?.every(metricsPushMs);
    this.forget();
  }

  /** Drops rendered metrics: settings have changed, or counters were reset. */
  forget(): void {
    this.#rendered = {};
  }

  async close(): Promise<void> {
    await this.#push?.close();
  }

  get route(): Route {
    return {
      path: METRICS_PATH,
      about: 'Metrics for Prometheus.',
      isOpen: true,
      // It is always answered; and scrapers send parameters of their own configuration along.
      parameters: 'any',
      media: 'text/plain',
      methods: { GET: (exchange) => this.#answer(formatFor(exchange.header('accept'))) },
    };
  }

  /** The text, fresh. */
  async text(format: ExpositionFormat = 'text'): Promise<string> {
    const { clock } = this.#context;
    const beganUs = clock.nowUs();
    const text = await this.#expositions[format].render();
    this.#scrapeUs = clock.nowUs() - beganUs;
    return text;
  }

  json(): MetricJson[] {
    return metricsJson(this.#definitions, this.#source());
  }

  async #answer(format: ExpositionFormat): Promise<Answer> {
    const type = this.#expositions[format].contentType;
    const nowUs = this.#context.clock.nowUs();
    // What is rendered while it is forgotten may be old already.
    const rendered = this.#rendered;
    const last = rendered[format];
    if (last === undefined || nowUs - last.sinceUs >= SECOND_US) {
      const text = await this.text(format);
      rendered[format] = { text, count: 1, renderUs: this.#scrapeUs, sinceUs: nowUs };
      return { status: 200, type, body: text };
    }
    last.count += 1;
    if (last.count <= RENDERED_PER_SECOND_MAX && last.renderUs < RENDER_US_PER_SECOND_MAX) {
      last.text = await this.text(format);
      last.renderUs += this.#scrapeUs;
    }
    return { status: 200, type, body: last.text };
  }

  #source(): MetricSource {
    const { observer, live, version, clock } = this.#context;
    const { memory, layout } = observer;
    const cpu = process.cpuUsage();
    const nowUs = clock.nowUs();
    return {
      main: observer.main,
      shards: observer.shards,
      threads: observer.threads,
      fronts: observer.frontThreads,
      logs: observer.logs,
      durability: durabilityIn(observer, live.status.durabilityMode, nowUs),
      users: this.#users.read(),
      replication: this.#context.replication,
      cluster: this.#context.cluster,
      shape: observer.shape,
      commandNames: observer.commandNames,
      version,
      nowUs,
      wallMs: clock.wallMs(),
      settings: {
        maxClients: live.status.maxClients,
        memoryLimitBytes: live.status.memoryLimitBytes,
        evicts: live.status.evicts,
        slowLogLengthMax: live.logLengthMax.slow,
        tracksLatency: live.tracksLatency,
        prefixes: live.prefixes,
        bands: live.bands,
      },
      queues: observer.shards.map((_page, index) => ringDepth(memory, layout.requests[index]!)),
      process: {
        rssBytes: residentBytes(),
        userUs: cpu.user,
        systemUs: cpu.system,
      },
      slowLogUpcoming: new SharedCounter(memory, layout.logIds.slow).upcoming,
      instance: instanceOf(this.#context),
      health: healthNow({ ...this.#context.healthOptions, nowUs, wallMs: clock.wallMs() }),
      verdict: this.#context.verdictFigures(),
      ops: {
        connections: this.#listener.connections,
        connectionsRefused: this.#listener.refused,
        answered: this.#listener.answered,
        scrapeSeconds: this.#scrapeUs / SECOND_US,
        logLinesDropped: this.#context.logLinesDropped(),
        traces: this.#context.traces.figures,
        metricPushes: { exported: this.#push?.exported ?? 0, failed: this.#push?.failed ?? 0 },
      },
      exemplarsOf: (command) => this.#context.traces.exemplars.of(command),
    };
  }
}

/** Returns the labels that identify this instance, with the names of redis_exporter. */
function instanceOf({ fixed, live, observer }: OpsContext): Readonly<Record<string, string>> {
  return {
    maxmemory_policy: live.maxmemoryPolicy,
    os: `${process.platform} ${process.arch}`,
    process_id: String(process.pid),
    redis_mode: observer.main.get('clusterEnabled') === 1 ? 'cluster' : 'standalone',
    redis_version: fixed.redisVersion,
    role: observer.main.get('isReplica') === 1 ? 'slave' : 'master',
    run_id: fixed.identity.instanceId,
    tcp_port: String(live.clientPort),
  };
}

/** Returns OpenMetrics for clients that prefer it, otherwise the text format. */
export function formatFor(accept: string): ExpositionFormat {
  let openmetrics = 0;
  let text = 0;
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase());
    const quality = parameters.find((each) => each.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
    if (type === 'application/openmetrics-text') openmetrics = Math.max(openmetrics, weight);
    else if (type === 'text/plain') text = Math.max(text, weight);
  }
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text';
}
