/**
 * The HTTP side of the ops thread, from the first request to the last. It listens, and serves probes, before anything
 * else is loaded; then metrics, and then the rest. Requests for parts that are not loaded yet wait for them.
 */

import type { ReplicationState } from '#api-types';
import { eventKind, type LogRecord, systemClock } from '#base';
import type { ClusterUpdate } from '#stats';
import type { SecureContextOptions } from 'node:tls';
import { Access } from '../protocol/access.ts';
import { AllowedHosts } from '../protocol/allowed-hosts.ts';
import type { Bundles } from '../views/bundles/bundles.ts';
import { HttpListener } from '../protocol/listener.ts';
import { loginRoutes } from '../protocol/login.ts';
import { probeRoutes } from '../views/probes.ts';
import type { MetricsRenderer } from '../views/metrics.ts';
import type { DeferredRoutes } from '../deferred-routes.ts';
import { METRICS_PATH, type Found, type Route } from '../protocol/route.ts';
import type { HttpLiveSettings } from '../views/settings.ts';
import { OpsContext, type OpsHttpOptions } from './ops-context.ts';
import type { ModuleMetric } from '#link';
import type { HealthOptions } from '#observer';
import { WrongTokens } from '../protocol/wrong-tokens.ts';

export class OpsHttp {
  readonly #options: OpsHttpOptions;
  readonly #access: Access;
  readonly #context: OpsContext;
  readonly #listener: HttpListener;
  readonly #early: readonly Route[];
  #takeModuleMetrics: (metrics: readonly ModuleMetric[]) => void = () => undefined;
  /** Settles with the metrics of main's modules, which come as soon as main is put together. */
  readonly #moduleMetrics = new Promise<readonly ModuleMetric[]>((resolve) => {
    this.#takeModuleMetrics = resolve;
  });
  #metrics: Promise<MetricsRenderer> | undefined;
  #rest: Promise<DeferredRoutes> | undefined;

  constructor(options: OpsHttpOptions) {
    this.#options = options;
    const { fixed, observer } = options;
    const access = new Access({
      token: fixed.token,
      viewerToken: fixed.viewerToken,
      hosts: new AllowedHosts(options.live.allowedHosts, fixed.bind),
      wrongTokens: new WrongTokens({
        nowMs: () => systemClock.nowUs() / 1_000,
        log: (message, fields) => {
          options.log('warn', 'http-wrong-token', message, fields);
        },
      }),
      wallMs: () => systemClock.wallMs(),
    });
    this.#access = access;
    this.#context = new OpsContext(options);
    const probes = probeRoutes({
      main: observer.main,
      commandNames: observer.commandNames,
      requiresSync: () => this.#context.live.readyRequiresSync,
      livenessMs: () => this.#context.live.mainStuckLivenessMs,
      nowUs: () => systemClock.nowUs(),
    });
    this.#early = [...probes, ...loginRoutes(access)];
    this.#listener = new HttpListener({
      access,
      secure: fixed.secure,
      find: (path) => {
        options.worked();
        return this.#find(path);
      },
      failed: (path, error) => {
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        options.log('error', 'http-failed', 'HTTP request failed', { path, reason });
      },
      served: (method, path, status) => {
        options.log('trace', 'http-request', 'HTTP request served', {
          method,
          path,
          status,
        });
      },
    });
  }

  /** Secures new connections with that. */
  secure(options: SecureContextOptions): void {
    this.#listener.secure(options);
  }

  /** Begins to listen; rejects with a message for people when the address cannot be had. */
  async open(): Promise<void> {
    const { bind, port, secure } = this.#options.fixed;
    try {
      const chosen = await this.#listener.open(bind, port);
      const address = `${bind.includes(':') ? `[${bind}]` : bind}:${chosen}`;
      this.#options.log(
        'info',
        'http-listening',
        `HTTP listening on ${secure === undefined ? 'http' : 'https'}://${address}`,
        {
          port: chosen,
        },
      );
    } catch (error) {
      throw new Error(listenProblem(bind, port, error as NodeJS.ErrnoException), { cause: error });
    }
  }

  /** Loads all deferred parts, so that no request waits for them. */
  async load(): Promise<void> {
    await this.#loadedRest();
  }

  /** Settles when everything shows these settings. */
  async apply(live: HttpLiveSettings): Promise<void> {
    this.#context.live = live;
    this.#access.hosts = new AllowedHosts(live.allowedHosts, this.#options.fixed.bind);
    (await this.#metrics)?.apply(live);
    (await this.#rest)?.apply(live);
  }

  /** Takes a record of the log for the time line. */
  noteRecord(record: LogRecord): void {
    if (eventKind(record.event) !== undefined) this.#context.noteRecord(record);
  }

  /** Takes the name of the user whose counts are the next row of the pages. */
  addUser(name: string): void {
    this.#context.userNames.push(name);
  }

  /** Takes the state of replication that main publishes. */
  takeReplication(state: ReplicationState): void {
    this.#context.replication = state;
  }

  /** Takes an update about the cluster that main publishes. */
  takeCluster(update: ClusterUpdate): void {
    const known = this.#context.cluster?.times ?? [];
    const times = new Map([...known, ...update.times].map((one) => [one.call, one]));
    this.#context.cluster = { state: update.state, times: [...times.values()] };
  }

  /** Takes the metrics of main's modules; scrapes wait until then. */
  addMetrics(metrics: readonly ModuleMetric[]): void {
    this.#takeModuleMetrics(metrics);
  }

  /** Sources from which health is judged, without the time. */
  get healthOptions(): Omit<HealthOptions, 'nowUs' | 'wallMs'> {
    return this.#context.healthOptions;
  }

  /** Discards rendered metrics, so that they are rendered again. */
  async forgetMetrics(): Promise<void> {
    (await this.#metrics)?.forget();
  }

  async bundles(): Promise<Bundles> {
    return (await this.#loadedRest()).bundles;
  }

  async close(): Promise<void> {
    this.#listener.close();
    // Main may stop before it is put together.
    this.#takeModuleMetrics([]);
    await (await this.#rest)?.close();
    this.#context.close();
    await (await this.#metrics)?.close();
  }

  #find(path: string): Found | undefined | Promise<Found | undefined> {
    const route = this.#early.find((each) => each.path === path);
    if (route !== undefined) return { route, params: {} };
    return path === METRICS_PATH
      ? this.#loadedMetrics().then((metrics) => ({ route: metrics.route, params: {} }))
      : this.#loadedRest().then(({ routes }) => routes.find(path));
  }

  #loadedMetrics(): Promise<MetricsRenderer> {
    this.#metrics ??= this.#loadMetrics();
    return this.#metrics;
  }

  async #loadMetrics(): Promise<MetricsRenderer> {
    const { MetricsRenderer } = await import('../views/metrics.ts');
    const ofModules = await this.#moduleMetrics;
    return new MetricsRenderer(this.#context, this.#listener, ofModules);
  }

  #loadedRest(): Promise<DeferredRoutes> {
    this.#rest ??= this.#loadRest();
    return this.#rest;
  }

  async #loadRest(): Promise<DeferredRoutes> {
    const metrics = await this.#loadedMetrics();
    const { DeferredRoutes } = await import('../deferred-routes.ts');
    return new DeferredRoutes({
      early: this.#early,
      access: this.#access,
      opsContext: this.#context,
      metrics,
      bundleTask: this.#options.bundleTask,
    });
  }
}

function listenProblem(bind: string, port: number, error: NodeJS.ErrnoException): string {
  const advice = 'choose another with --http-port, or set http.enabled = false';
  switch (error.code) {
    case 'EADDRINUSE':
      return `http: ${bind}:${port} is in use; ${advice}`;
    case 'EACCES':
      return `http: ${bind}:${port} may not be used by this user; ${advice}`;
    case 'EADDRNOTAVAIL':
      return `http: ${bind} is not an address of this machine; set http.bind`;
    default:
      return `http: cannot listen on ${bind}:${port}: ${error.message}`;
  }
}
