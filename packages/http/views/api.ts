/** The debug API: what the server knows of itself, as compact JSON. */

import { COMMAND_LOG_KINDS, type CommandLogKind } from '#base';
import { prefixReports, type ShardContent } from '#stats';
import type {
  ClusterDocument,
  ClusterNodeDocument,
  FlightDocument,
  KeyFatesDocument,
  LatencyDocument,
  LogsDocument,
  NoCluster,
  PrefixesDocument,
  ReplicationDocument,
  ScriptsDocument,
  ServerDocument,
  ShardStatsDocument,
  SlowlogDocument,
  TracesDocument,
  UsersDocument,
} from '#api-types';
import { flightReport } from '#observer';
import { clusterRoutes } from './cluster.ts';
import { bandReport, commandReports, shardStats, traceDocument } from './api-figures.ts';
import { HttpError } from '../protocol/answer.ts';
import { flightDocument, flightRoutes } from './records/flight.ts';
import type { RemovedKeysQuestion } from '../ops/page-calls.ts';
import { keyFatesDocument, keyFatesRoute } from './records/key-fates.ts';
import type { MetricsRenderer } from './metrics.ts';
import { logsDocument, logsRoute, type LogsQuestion } from './records/logs.ts';
import { countOf, oneOf } from '../protocol/query.ts';
import { countParameter, word } from '../protocol/parameters.ts';
import { documentRoute, type Route } from '../protocol/route.ts';
import { replicationRoute } from './replication.ts';
import { slowlogDocument } from './records/slow-log.ts';
import { scriptsRoute } from './scripts.ts';
import { usersRoute } from './users.ts';
import { currentStatus } from './status.ts';
import type { MainClient } from '../ops/main-client.ts';
import type { OpsContext } from '../ops/ops-context.ts';

/** Documents of the debug API, which bundles contain as well. */
export class DebugDocuments {
  readonly #context: OpsContext;
  readonly #main: MainClient;

  constructor(opsContext: OpsContext, mainClient = opsContext.mainClient) {
    this.#context = opsContext;
    this.#main = mainClient;
  }

  server(): ServerDocument {
    const { live, observer, clock, version, replication } = this.#context;
    const isReplica = observer.main.get('isReplica') === 1;
    const primary = isReplica ? replication?.primary : undefined;
    const aliveUs = clock.nowUs() - observer.main.get('startedUs');
    return {
      version,
      role: isReplica ? 'replica' : 'primary',
      uptime_seconds: Math.floor(aliveUs / 1_000_000),
      num_shards: observer.shards.length,
      connected_replicas: observer.main.get('replicas'),
      master_host: primary?.host ?? null,
      master_port: primary?.port ?? null,
      replication_offset: observer.main.get('streamOffset'),
      bind_addr: live.clientBind,
      port: live.clientPort,
    };
  }

  config() {
    return { entries: this.#context.live.entries };
  }

  async clients() {
    return { clients: await this.#main.ask('clients', null) };
  }

  slowlog(kind: CommandLogKind, count: number): Promise<SlowlogDocument> {
    return slowlogDocument(this.#context, this.#main, kind, count);
  }

  /** Events come from main; when it is late, the rest is returned without them. */
  async latency(): Promise<LatencyDocument> {
    const { observer, live } = this.#context;
    let events: LatencyDocument['events'] = null;
    try {
      events = await this.#main.ask('latency-events', null);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
    return {
      events,
      bands: bandReport(observer, live.bands),
      windows: observer.windows(),
      commands: commandReports(observer),
    };
  }

  /** Numbers of the pages, with what only a shard itself can count, where it has answered. */
  async shardStats(): Promise<ShardStatsDocument> {
    let contents: readonly (ShardContent | null)[] = [];
    try {
      contents = await this.#main.ask('shards', null);
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
    const { shards } = await currentStatus(this.#context);
    return shardStats(shards, contents);
  }

  /** Use and size of keys by configured prefix. */
  prefixes(): PrefixesDocument {
    const { observer, live } = this.#context;
    return {
      prefixes: prefixReports(live.prefixes, observer.shards).map(
        ({ inputBytes, outputBytes, memoryBytes, ...rest }) => ({
          ...rest,
          bytes_in: inputBytes,
          bytes_out: outputBytes,
          memory_bytes: memoryBytes,
        }),
      ),
    };
  }

  /** Read from shared memory: no thread is asked, however stuck it is. */
  flight(count: number, thread?: string): FlightDocument {
    return flightDocument(flightReport(this.#context.observer, { count, thread }));
  }

  keyFates(question: RemovedKeysQuestion): Promise<KeyFatesDocument> {
    return keyFatesDocument(this.#context, question);
  }

  logs(question: LogsQuestion): LogsDocument {
    return logsDocument(this.#context, question);
  }

  scripts(count: number): Promise<ScriptsDocument> {
    return this.#main.ask('scripts', { count });
  }

  replication(): Promise<ReplicationDocument> {
    return this.#main.ask('replication', null);
  }

  async cluster(): Promise<ClusterDocument | NoCluster> {
    return (await this.#main.ask('cluster', null)) ?? { enabled: false };
  }

  async clusterNode(id: string): Promise<ClusterNodeDocument> {
    const node = await this.#main.ask('cluster-node', { id });
    if (node === null) throw new HttpError(404, 'node not found');
    return node;
  }

  users(count: number): Promise<UsersDocument> {
    return this.#main.ask('users', { count });
  }

  /** Threads and databases that questions may name. */
  get scope(): { readonly threads: readonly string[]; readonly databases: number } {
    const { threads, shape } = this.#context.observer;
    return { threads: threads.map(([thread]) => thread), databases: shape.databases };
  }

  /** The latest, newest first. */
  traces(countMax?: number): TracesDocument {
    const { isEnabled, samplingRate, keepSlowMs, keepsFailed } = this.#context.live.traces;
    return {
      tracing: {
        enabled: isEnabled,
        sampling_rate: samplingRate,
        keep_slow_ms: keepSlowMs === Infinity ? 0 : keepSlowMs,
        keep_failed: keepsFailed,
      },
      traces: this.#context.traces.recent(countMax).map(traceDocument),
    };
  }
}

export function apiRoutes(documents: DebugDocuments, metrics: MetricsRenderer): Route[] {
  const server = (): ServerDocument => documents.server();
  const { threads, databases } = documents.scope;
  return [
    documentRoute(
      'server',
      'Properties of the server: version, role, uptime, shards, replication.',
      server,
    ),
    documentRoute('cluster', 'Alias of /debug/api/server.', server),
    ...clusterRoutes(documents),
    documentRoute('config', 'All settings, with the source of each value.', () =>
      documents.config(),
    ),
    documentRoute('metrics', 'All metrics as JSON.', () => ({ metrics: metrics.json() })),
    documentRoute('clients', 'Connected clients.', () => documents.clients()),
    documentRoute(
      'slowlog',
      'Slow commands of all threads, or those with a large request or reply (?kind=); ?count= limits the number.',
      ({ query }) => documents.slowlog(oneOf(query, 'kind', COMMAND_LOG_KINDS), countOf(query)),
      [countParameter('all'), word('kind', 'Kind of log; slow by default.', COMMAND_LOG_KINDS)],
    ),
    documentRoute('latency', 'Latency events, latency bands, and percentiles of commands.', () =>
      documents.latency(),
    ),
    documentRoute('shard-stats', 'Keys, memory and load of each shard.', () =>
      documents.shardStats(),
    ),
    documentRoute('prefixes', 'Usage and size of keys, by configured prefix.', () =>
      documents.prefixes(),
    ),
    ...flightRoutes({ threads, document: (count, thread) => documents.flight(count, thread) }),
    keyFatesRoute(databases, (question) => documents.keyFates(question)),
    logsRoute((question) => documents.logs(question)),
    scriptsRoute((count) => documents.scripts(count)),
    usersRoute((count) => documents.users(count)),
    replicationRoute(() => documents.replication()),
    documentRoute('traces', 'Recent traces, newest first.', () => documents.traces()),
  ];
}
