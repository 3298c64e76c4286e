/** Puts the server together: threads, rings, router, listeners. */
/* eslint-disable max-lines -- wiring: a line for each thing that is put together */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { systemClock, type Clock, type Logger } from '#base';
import type { ShutdownOptions } from '#commands';
import type { ConfigWarning, Settings } from '#config';
import { Phase, type LatencyBaseline } from '#stats';
import type { MainAnswers } from '#http';
import { RunningTrace, type Client, type Router } from '#router';
import { newRouter } from './composition/new-router.ts';
import { ClientMessaging } from './messaging/client-messaging.ts';
import { newAccess, type Access } from './access/access.ts';
import { Clients } from './clients/clients.ts';
import { ShutdownWait } from './replication/primary/shutdown-wait.ts';
import { ConnectedClients } from './access/connected-clients.ts';
import { newGate, type Gate } from './composition/gate.ts';
import { Crashes } from './composition/crashes.ts';
import { LatencyMonitor } from './diagnostics/latency-monitor.ts';
import { MainLatency } from './diagnostics/main-latency.ts';
import { PersistenceSwitch, type OwnFolder } from './durability/persistence-switch.ts';
import { ServerMemory } from './threads/shared-memory.ts';
import { MainRunner } from './ports/main-runner.ts';
import { statisticsPort } from './ports/statistics-port.ts';
import { HotKeysSession } from './diagnostics/hot-keys.ts';
import { testAtStart } from './threads/latency-baseline.ts';
import { MetricsReader } from './info/metrics-reader.ts';
import { type ListeningPlaces, tlsOptions } from './clients/listening-places.ts';
import { newPlaces } from './composition/new-places.ts';
import { newSockets } from './composition/new-sockets.ts';
import { TlsCounts } from './clients/tls-counts.ts';
import { readOutgoingTls, valuesOf } from './clients/tls-files.ts';
import { LateSettings } from './settings/late-settings.ts';
import { opsAnswers } from './ports/ops-answers.ts';
import { OpsLink, type OpsWorker } from './threads/ops-link.ts';
import { logSettingChanges } from './settings/setting-changes.ts';
import { followProcess } from './process-events.ts';
import { FrontPool } from './threads/front-pool.ts';
import { ShardPool } from './threads/shard-pool.ts';
import { SettingsBroadcast, shardCountOf, shardSettings } from './settings/shard-settings.ts';
import { startSummary } from './start-summary.ts';
import { connectionConfig } from './composition/connection-config.ts';
import { openLoop, type EpollParts, type ThreadLoop } from '#net';
import type { StreamPlace } from '#replication';
import { Cluster } from './cluster/cluster.ts';
import { Replication } from './replication/replication.ts';
import { ReplicationNews } from './replication/observation/replication-news.ts';
import { followTracing, mainLog, Traces } from './diagnostics/traces.ts';
import { Ticker } from './composition/ticker.ts';
import { TierPool } from './tier/tier-pool.ts';
import { Turn } from './threads/turn.ts';
import { newReplicas } from './composition/new-replicas.ts';
import type { Replicas } from './replication/primary/replicas.ts';

/** The file that is started. */
const EXECUTABLE = fileURLToPath(new URL('./main.js', import.meta.url));
/** Least time for what is in flight at the end, unless the settings leave less. */
const LEAST_END_MS = 1_000;
/** Between two looks at whether all clients have their replies. */
const DRAIN_POLL_MS = 5;
/** Shards that have not ended by then are ended. */
const SHARD_STOP_MS_MAX = 1_000;
/** Longest wait for shards when main has failed: their rings may be full, and what is in them is to come to the log. */
const CRASH_STOP_MS_MAX = 10_000;

export class Server {
  readonly #log: Logger;
  readonly #ops: OpsLink;
  readonly #crashes: Crashes;
  readonly #settings: Settings;
  readonly #access: Access;
  readonly #clients: Clients;
  readonly #gate: Gate;
  readonly #router: Router;
  readonly #hotKeys: HotKeysSession;
  readonly #traces: Traces;
  readonly #messaging: ClientMessaging;
  readonly #shardCount: number;
  readonly #latencyMonitor: LatencyMonitor;
  readonly #clock: Clock = systemClock;
  readonly #serverMemory: ServerMemory;
  readonly #persistence: PersistenceSwitch;
  readonly #pool: ShardPool;
  readonly #tierPool: TierPool;
  readonly #replication: Replication;
  /** Undefined where the server is in no cluster. */
  readonly #cluster: Cluster | undefined;
  readonly #frontPool: FrontPool;
  readonly #loop: ThreadLoop;
  readonly #turn: Turn;
  readonly #places: ListeningPlaces;
  readonly #lateSettings: LateSettings;
  readonly #metricsReader: MetricsReader;
  readonly #replicas: Replicas;
  readonly #replicationNews: ReplicationNews;
  readonly #mainRunner: MainRunner;
  readonly #ticker: Ticker;
  readonly #runId = randomBytes(20).toString('hex');
  /** Lets shards see what was sent outside of a turn. */
  readonly #beginTurn = (): void => {
    this.#turn.begin();
  };
  #isStopping = false;
  #isLoaded = false;
  #savesAtEnd: boolean | undefined;
  /** True when it has started. */
  #isStarted = false;
  readonly #shutdownWait: ShutdownWait;
  /** Clients that have sent SHUTDOWN. */
  readonly #awaitingEnd = new Set<Client>();
  #baseline: LatencyBaseline | undefined;

  /**
   * With its data folder; without it nothing is kept on disk at first. `epoll` is undefined where main's loop is libuv's. The
   * ops thread may run already.
   */
  // eslint-disable-next-line max-lines-per-function -- wiring: a line for each property
  constructor(
    settings: Settings,
    own: OwnFolder | undefined,
    epoll: EpollParts | undefined,
    worker?: OpsWorker,
  ) {
    this.#settings = settings;
    const tls = tlsOptions(valuesOf(settings));
    readOutgoingTls(valuesOf(settings));
    this.#ops = new OpsLink(settings, this.#runId, worker);
    const running = new RunningTrace();
    this.#log = mainLog(this.#clock, this.#ops, running);
    this.#shardCount = shardCountOf(settings);
    const serverMemory = new ServerMemory(this.#shardCount, settings, this.#clock.nowUs());
    this.#serverMemory = serverMemory;
    this.#loop = openLoop(serverMemory.doorbell, epoll);
    if (epoll !== undefined) serverMemory.memory.useFutex(epoll.futex);
    this.#traces = new Traces(settings, serverMemory.mainPage, this.#ops);
    this.#ops.begin(serverMemory.observerData, tls);
    this.#tierPool = new TierPool({
      serverMemory,
      settings,
      log: this.#log,
    });
    this.#pool = new ShardPool({
      serverMemory,
      tierOf: (shard) => this.#tierPool.tierOf(shard),
      recovers: own !== undefined,
      folder: settings.string('persistence.data-dir'),
      settings: shardSettings(settings),
      died: (shard, reason) => {
        this.#crashes.shardDied(shard, reason);
      },
    });
    this.#frontPool = new FrontPool({
      serverMemory,
      tls,
      usesEpoll: epoll !== undefined,
      beginTurn: this.#beginTurn,
      died: (thread, reason) => {
        this.#crashes.frontDied(thread, reason);
      },
    });
    const links = serverMemory.shardLinks(this.#pool.ports);
    const connected = new ConnectedClients();
    this.#access = newAccess({
      settings,
      serverMemory,
      links,
      log: this.#log,
      clock: this.#clock,
      connected,
      beginTurn: this.#beginTurn,
      ops: this.#ops,
    });
    const mainLatency = new MainLatency(settings, serverMemory);
    this.#replicas = newReplicas({
      settings,
      serverMemory,
      latency: mainLatency.latency,
      router: () => this.#router,
      keepsLog: () => this.#persistence.durability !== undefined,
      clock: this.#clock,
      log: this.#log,
      beginTurn: this.#beginTurn,
    });
    const router = newRouter({
      serverMemory,
      settings,
      links,
      running,
      clock: this.#clock,
      notes: mainLatency,
      log: this.#log,
      access: this.#access,
      runOnMain: (client, entry, args, reply) => {
        this.#mainRunner.run(client, entry, args, reply);
      },
      keyEvents: (body) => {
        this.#messaging.keyEvents.take(body);
      },
      replication: this.#replicas,
      gate: (client, entry, args) => this.#gate(client, entry, args),
      redirected: (kind, client) => {
        this.#cluster?.observation.redirects.count(kind, client);
      },
      beginTurn: this.#beginTurn,
    });
    this.#router = router;
    this.#persistence = new PersistenceSwitch({
      settings,
      serverMemory,
      own,
      diskPorts: this.#pool.diskPorts,
      log: this.#log,
      clock: this.#clock,
      router,
      latency: mainLatency.latency,
      freeze: this.#replicas.freeze,
      recovered: (place) => {
        this.#replication.restore(place);
      },
      publish: this.#beginTurn,
    });
    this.#latencyMonitor = new LatencyMonitor({
      settings,
      serverMemory,
      mainLatency,
      router,
      wallMs: () => this.#clock.wallMs(),
      refused: () => this.#access.refused,
    });
    const blocks = serverMemory.blockPool();
    const { mainPage: page } = serverMemory;
    const tlsCounts = new TlsCounts(page, this.#log, this.#clock);
    const clients = new Clients({
      router,
      access: this.#access,
      settings,
      page,
      tls: tlsCounts,
      connected,
      blocks,
      left: (client) => {
        this.#messaging.left(client);
        this.#replicas.left(client);
        this.#endAwaited(client, false);
      },
      log: this.#log,
    });
    this.#clients = clients;
    const isLoaded = (): boolean => this.#isLoaded;
    const isClustered = settings.boolean('cluster.enabled');
    this.#shutdownWait = new ShutdownWait({
      primary: this.#replicas.primary,
      clients,
      page,
      clock: this.#clock,
      log: this.#log,
    });
    this.#gate = newGate({
      clients,
      isLoaded,
      isStarted: () => this.#isStarted && this.#cluster?.place.isAwaited !== true,
      persistence: this.#persistence,
      replicas: this.#replicas.primary,
      tellShards: (kind, isSo) => {
        router.broadcast({ kind, isSo });
      },
      isStale: () => this.#replication.isStale,
      cluster: isClustered
        ? { judge: (client, entry, args) => this.#cluster?.gate.judge(client, entry, args) }
        : undefined,
      isBusy: () => router.scripts.busy.isAny,
      replicaRefusal: (client, entry) => this.#replication.refusal(client, entry),
    });
    this.#messaging = new ClientMessaging({ settings, page, blocks, router, clients });
    this.#replicas.follow(this.#messaging.pubsub);
    this.#turn = new Turn({
      router,
      doorbell: serverMemory.doorbell,
      messaging: this.#messaging,
      replicas: this.#replicas.primary,
      loop: this.#loop,
    });
    this.#crashes = this.#newCrashes(serverMemory);
    this.#hotKeys = new HotKeysSession({
      settings,
      ...this.#clock,
      shardCalls: router.shardCalls,
      servesSlot: (slot) => this.#cluster?.servesSlot(slot) === true,
    });
    this.#metricsReader = new MetricsReader({
      settings,
      serverMemory,
      clock: this.#clock,
      runId: this.#runId,
      executable: EXECUTABLE,
      connected,
      router,
      loop: this.#loop,
      replication: () => this.#replication,
      log: this.#log,
      sweepClients: () => {
        clients.memory.sweep();
      },
    });
    const mayWrite = isClustered ? () => this.#cluster?.fence.mayWrite() ?? true : undefined;
    const config = connectionConfig(serverMemory, blocks, settings, { turn: this.#turn, mayWrite });
    this.#replication = new Replication({
      settings,
      router,
      clients,
      config,
      page,
      primary: this.#replicas.primary,
      events: this.#replicas.events,
      onDisk: (done) => {
        this.#replicas.onDisk(done);
      },
      disownWrites: () => {
        this.#replicas.disownWrites(clients.all);
      },
      shardCount: this.#shardCount,
      persistence: this.#persistence,
      log: this.#log,
      clock: this.#clock,
      beginTurn: this.#beginTurn,
    });
    this.#cluster = isClustered
      ? new Cluster({
          settings,
          router,
          clients,
          config,
          replication: this.#replication,
          pubsub: this.#messaging.pubsub,
          replicas: this.#replicas,
          shardCount: this.#shardCount,
          clock: this.#clock,
          log: this.#log,
          beginTurn: this.#beginTurn,
          page,
          flight: serverMemory.flight,
          ops: this.#ops,
          ownKeys: () => serverMemory.keyCount,
        })
      : undefined;
    this.#places = newPlaces({
      settings,
      tls,
      counts: tlsCounts,
      config,
      sockets: newSockets(serverMemory, settings, {
        loop: this.#loop,
        frontPool: this.#frontPool,
        log: this.#log,
      }),
      fronts: () => this.#frontPool.fronts,
      clients,
      ops: this.#ops,
      log: this.#log,
    });
    this.#lateSettings = new LateSettings(settings, [this.#places, this.#persistence]);
    followTracing(settings, router.tracing);
    logSettingChanges(settings, this.#log);
    this.#mainRunner = this.#newMainRunner();
    this.#replicationNews = new ReplicationNews(this.#parts);
    this.#ticker = new Ticker({ ...this.#parts, serverMemory, primary: this.#replicas.primary });
    this.#turn.worked = () => {
      this.#ticker.worked();
      this.#latencyMonitor.worked();
      this.#replication.discards.worked();
    };
    this.#access.begin();
  }

  /** Parts of the server that commands and the ops thread ask. */
  get #parts() {
    return {
      settings: this.#settings,
      access: this.#access,
      router: this.#router,
      clients: this.#clients,
      messaging: this.#messaging,
      replicas: this.#replicas,
      latencyMonitor: this.#latencyMonitor,
      hotKeys: this.#hotKeys,
      traces: this.#traces,
      metricsReader: this.#metricsReader,
      ops: this.#ops,
      lateSettings: this.#lateSettings,
      persistence: this.#persistence,
      replication: this.#replication,
      cluster: this.#cluster,
      clock: this.#clock,
      log: this.#log,
    };
  }

  #newMainRunner(): MainRunner {
    const parts = this.#parts;
    return new MainRunner({
      ...parts,
      measure: () => this.#metricsReader.measure(this.#baseline),
      broadcast: new SettingsBroadcast(this.#settings, this.#router, this.#beginTurn),
      statistics: statisticsPort({ ...parts, serverMemory: this.#serverMemory }),
      shutdown: (options, client, aborted) => {
        void this.#firstSnapshot(options).then((isThere) => {
          if (!isThere) {
            aborted();
            return;
          }
          this.#shutdown(options, client);
          this.#shutdownWait.onAbort(() => {
            this.#endAwaited(client, false);
            aborted();
          });
        });
      },
      abortShutdown: () => {
        if (!this.#shutdownWait.abort()) return false;
        this.#savesAtEnd = undefined;
        return true;
      },
      isReplica: () => this.#serverMemory.mainPage.get('isReplica') === 1,
      startedMs: this.#clock.wallMs(),
    });
  }

  #opsAnswers(): MainAnswers {
    return opsAnswers({
      ...this.#parts,
      shutdown: (options) => {
        this.#shutdown(options);
      },
    });
  }

  #newCrashes(serverMemory: ServerMemory): Crashes {
    return new Crashes({
      settings: this.#settings,
      serverMemory,
      log: this.#log,
      clock: this.#clock,
      router: this.#router,
      clients: this.#clients,
      close: () => {
        this.#places.listener.close();
      },
      beginTurn: this.#beginTurn,
      stopTurns: () => {
        this.#turn.stop();
      },
      end: () => {
        void this.#end(0);
      },
      flushLog: () => this.#ops.stop(),
    });
  }

  /** Begins to serve; rejects when an address cannot be had. `imported` tells what was imported before. */
  async start(warnings: readonly ConfigWarning[], imported?: string): Promise<void> {
    followProcess({ crashes: this.#crashes, ops: this.#ops, places: this.#places });
    if (imported !== undefined) this.#log.info('rdb-imported', imported);
    for (const { event, severity, message } of warnings) this.#log[severity](event, message);
    try {
      const http = this.#ops.start(this.#opsAnswers());
      await Promise.all([http, this.#openToClients(http), this.#recover(http)]);
    } catch (error) {
      this.#isStopping = true;
      this.#places.listener.close();
      for (const client of this.#clients.all) client.socket.destroy();
      await this.#pool.terminate();
      await this.#frontPool.terminate();
      await this.#tierPool.stop();
      this.#loop.stop();
      await this.#persistence.stop();
      await this.#ops.stop();
      throw error;
    }
    if (this.#isStopping) return;
    this.#latencyMonitor.start();
    this.#persistence.start();
    this.#replicationNews.start();
    this.#replication.start();
    this.#cluster?.start();
    this.#ticker.start();
    this.#serverMemory.mainPage.set('phase', Phase.ready);
    this.#isStarted = true;
    this.#router.retryAll();
    this.#turn.begin();
    const shards = this.#shardCount;
    this.#log.info('started', startSummary(this.#settings, shards), { shards, pid: process.pid });
  }

  /** Brings the data back; meanwhile clients are told to wait. */
  async #recover(http: Promise<void>): Promise<void> {
    const threads = Promise.all([http, this.#pool.up(), this.#tierPool.up()]);
    // It may fail before it is waited for, and whoever starts the server is told of that by `http` too.
    threads.catch(() => undefined);
    // From an empty folder nothing comes: commands wait in the rings for the moment that the shards need.
    const { durability } = this.#persistence;
    const isTiered = this.#settings.boolean('tiered.enabled');
    this.#isLoaded = durability?.isEmpty !== false && !isTiered;
    this.#serverMemory.mainPage.set('loading', Number(!this.#isLoaded));
    if (this.#isLoaded) await durability?.recover(this.#pool);
    await threads;
    this.#metricsReader.measureStartup();
    if (!this.#isLoaded) await durability?.recover(this.#pool);
    this.#isLoaded = true;
    this.#serverMemory.mainPage.set('loading', 0);
  }

  /** Probes are there first: they say how far the rest is, and a client that has a reply finds HTTP too. */
  async #openToClients(http: Promise<void>): Promise<void> {
    if (this.#settings.boolean('latency.startup-test')) {
      this.#baseline = await testAtStart(this.#settings, this.#log);
    }
    await Promise.all([http, this.#frontPool.up()]);
    if (this.#isStopping) return;
    this.#turn.fronts = this.#frontPool.fronts;
    await this.#places.listener.open();
    this.#turn.listen();
  }

  /** True when it ends, and that cannot be called off any more. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Waits for the snapshot that the log rests on, where persistence was switched on and it is still being written: without it
   * nothing is on disk. Settles with false when it is not there in time, and the server is not to end.
   */
  async #firstSnapshot({ now, force, save }: ShutdownOptions): Promise<boolean> {
    const isThere = (): boolean => this.#serverMemory.mainPage.get('awaitsSnapshot') === 0;
    if (force || save === 'never' || isThere()) return true;
    const timeoutMs = now ? 0 : this.#settings.number('server.shutdown-timeout-secs') * 1_000;
    const untilMs = this.#clock.wallMs() + timeoutMs;
    while (!isThere() && this.#clock.wallMs() < untilMs) await sleep(DRAIN_POLL_MS);
    if (isThere()) return true;
    const message =
      'SHUTDOWN: the first snapshot is not on disk; with FORCE the server stops without.';
    this.#log.error('shutdown-refused', message);
    return false;
  }

  /** SHUTDOWN; `now` waits for nobody. The end of its client's connection tells that all has ended. */
  #shutdown({ now, save }: ShutdownOptions, client?: Client): void {
    if (client !== undefined) this.#endAwaited(client, true);
    if (save === 'never') this.#savesAtEnd = false;
    if (save === 'always') this.#savesAtEnd = true;
    // Who waits for a script that has run for too long may wait for ever.
    if (now || (save === 'never' && this.#router.scripts.busy.isAny)) {
      this.#places.listener.close();
      void this.#end(0);
    } else {
      void this.stop();
    }
  }

  /** Notes whether a client waits for the end of the server, and counts it as blocked meanwhile. */
  #endAwaited(client: Client, isAwaited: boolean): void {
    if (this.#awaitingEnd.has(client) === isAwaited) return;
    if (isAwaited) this.#awaitingEnd.add(client);
    else this.#awaitingEnd.delete(client);
    this.#serverMemory.mainPage.add('blockedClients', isAwaited ? 1 : -1);
  }

  /** Accepts no more, finishes what is in flight for as long as the settings allow, ends the threads. */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    const timeoutMs = this.#settings.number('server.shutdown-timeout-secs') * 1_000;
    const untilMs = this.#clock.wallMs() + timeoutMs;
    const isOver = (): boolean => this.#isStopping;
    if (!(await this.#shutdownWait.run(timeoutMs, isOver)) || isOver()) return;
    this.#log.info('stopping', 'svc finishes what is in flight and stops');
    this.#places.listener.close();
    this.#replication.stop();
    for (const client of this.#clients.all) {
      // What is held back is not done any more.
      if (client.isPostponed) client.socket.destroy();
      else if (!client.isReplica) client.end();
    }
    this.#turn.begin();
    // However long replicas were waited for, what is in flight has a moment.
    await this.#end(Math.max(untilMs - this.#clock.wallMs(), Math.min(timeoutMs, LEAST_END_MS)));
  }

  /** True while clients are in flight; one that waits for an event (WAIT, or SHUTDOWN itself) would wait in vain. */
  #hasClientsInFlight(): boolean {
    return this.#clients.all.some((client) => !client.isOccupied && !client.isReplica);
  }

  /** Lets replicas have everything, takes what a primary has sent, and lets another take this server's place. */
  async #leaveOthers(untilMs: number): Promise<void> {
    await this.#replicas.haveAll(() => this.#clock.wallMs() < untilMs);
    await this.#replication.stopped();
    await this.#cluster?.stop();
  }

  /** Place in the stream of replication of the data that the shards have left; undefined where it is not known. */
  async #lastPlace(): Promise<StreamPlace | undefined> {
    if (this.#crashes.hasCrashed || !this.#isLoaded) return undefined;
    // All that they have told is in the rings.
    this.#router.drain();
    return this.#replication.placeAtEnd();
  }

  /** Ends everything; waits for clients to get their replies, but no longer than `timeoutMs`. */
  async #end(timeoutMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#replication.stop();
    // A start that is under way never ends now. Node would take that for a fault.
    process.exitCode ??= 0;
    this.#serverMemory.mainPage.set('phase', Phase.stopping);
    const untilMs = this.#clock.wallMs() + timeoutMs;
    while (this.#hasClientsInFlight() && this.#clock.wallMs() < untilMs) await sleep(DRAIN_POLL_MS);
    // Nothing that replicas would have to be told of happens by itself any more.
    this.#router.broadcast({ kind: 'pause', isOn: true });
    await this.#leaveOthers(untilMs);
    const leaving = this.#clients.all.filter((client) => !this.#awaitingEnd.has(client));
    for (const client of leaving) client.socket.destroy();
    if (this.#isLoaded && !this.#crashes.hasCrashed) {
      const leftMs = untilMs - this.#clock.wallMs();
      await this.#persistence.durability?.saveAtEnd(leftMs, this.#savesAtEnd);
    }
    this.#replicationNews.stop();
    this.#ticker.stop();
    this.#latencyMonitor.stop();
    this.#pool.expectEnd();
    this.#router.broadcast({ kind: 'stop' });
    this.#router.publish();
    const stopMs = this.#crashes.isMainDead ? CRASH_STOP_MS_MAX : SHARD_STOP_MS_MAX;
    // The timer must not outlive the threads, or each stop would take as long.
    const hasEnded = await Promise.race([
      this.#pool.ended().then(() => true),
      sleep(stopMs, false, { ref: false }),
    ]);
    const place = hasEnded ? await this.#lastPlace() : undefined;
    await this.#pool.terminate();
    this.#serverMemory.endShards();
    await this.#tierPool.stop();
    await this.#persistence.stop(place);
    this.#loop.stop();
    this.#log.info('stopped', 'svc has stopped');
    await this.#ops.stop();
    for (const client of this.#awaitingEnd) client.socket.destroy();
    await this.#frontPool.terminate();
  }
}
