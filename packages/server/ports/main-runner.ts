/** Runs the commands that need main only, with every port they may ask for. */

import { errors, type Logger, LongTimer, unixUs, unreachable } from '#base';
import {
  type AclContext,
  type AclPort,
  type Answer,
  type Arguments,
  type AuthenticationPort,
  type BandsPort,
  type BundlesPort,
  type ClientsPort,
  type ClusterContext,
  type ClusterPort,
  type CommandEntry,
  commandTable,
  type ConnectionContext,
  type DiagnosticsContext,
  type FlightPort,
  type HotKeysPort,
  type InfoPort,
  type KeyFatePort,
  type LatencyPort,
  type LogPort,
  type MemoryPort,
  type MigrationContext,
  type MigrationPort,
  type MonitorsPort,
  type PrefixesPort,
  type ProcessPort,
  type PubSubContext,
  type PubSubPort,
  type ReplicasPort,
  type ReplicationPort,
  type SavingPort,
  type ScriptContext,
  type ScriptsPort,
  type ServerContext,
  type SettingsPort,
  type ShutdownOptions,
  type SlowlogPort,
  type StatisticsPort,
  type StatusPort,
  tellSecrecy,
  type ThreadsPort,
  type TimersPort,
  type TracesPort,
  type TracksPort,
  type TransactionContext,
  type TransactionsPort,
} from '#commands';
import { REDIS_VERSION, secrecyOfNames, type Settings } from '#config';
import { pause } from '#link';
import type { OwnedReply, ReplyWriter } from '#resp';
import type { Client, Router } from '#router';
import { type MetricsReader, renderInfo, type ServerMetrics } from '#info';
import { type LateSettings, type OpsLink, type SettingsBroadcast, ThreadProfiles } from '#main';
import type { Clients } from '#clients';
import type { LatencyMonitor } from '#diagnostics';
import type { PersistenceSwitch } from '#durability';
import type { ClientMessaging } from '#messaging';
import { type Access, aclPort } from '#access';
import { Migrations } from '../migration/migrations.ts';
import { authenticationPort } from './authentication-port.ts';
import { bundlesPort } from './bundles-port.ts';
import { clientsPort } from './clients-port.ts';
import { memoryPort } from './memory-port.ts';
import { scriptsPort } from './scripts-port.ts';
import { settingsPort } from './settings-port.ts';

type Contexts = AclContext &
  ClusterContext &
  ConnectionContext &
  DiagnosticsContext &
  MigrationContext &
  PubSubContext &
  ScriptContext &
  ServerContext &
  TransactionContext;

interface MainRunnerOptions {
  readonly access: Access;
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly messaging: ClientMessaging;
  readonly replicas: ReplicasPort;
  readonly latencyMonitor: LatencyMonitor;
  readonly hotKeys: HotKeysPort;
  readonly traces: TracesPort;
  readonly metricsReader: MetricsReader;
  readonly measure: () => ServerMetrics;
  readonly ops: OpsLink;
  readonly lateSettings: LateSettings;
  readonly broadcast: SettingsBroadcast;
  readonly persistence: PersistenceSwitch;
  readonly replication: ReplicationPort;
  readonly cluster: ClusterPort | undefined;
  readonly log: Logger;
  readonly statistics: StatisticsPort;
  /** Begins to stop for a client. */
  readonly shutdown: (options: ShutdownOptions, client: Client, aborted: () => void) => void;
  /** Calls the end of the server off; false where none can be called off. */
  readonly abortShutdown: () => boolean;
  /** True while the server is a replica. */
  readonly isReplica: () => boolean;
  /** Unix milliseconds. */
  readonly startedMs: number;
}

export class MainRunner implements Contexts {
  readonly commands = commandTable;
  readonly redisVersion = REDIS_VERSION;
  readonly clients: ClientsPort;
  readonly authentication: AuthenticationPort;
  readonly acl: AclPort;
  readonly settings: SettingsPort;
  readonly replicas: ReplicasPort;
  readonly info: InfoPort;
  readonly statistics: StatisticsPort;
  readonly status: StatusPort;
  readonly bundles: BundlesPort;
  readonly threads: ThreadsPort;
  readonly flight: FlightPort;
  readonly traces: TracesPort;
  readonly memory: MemoryPort;
  readonly migrations: MigrationPort;
  readonly hotKeys: HotKeysPort;
  readonly slowlog: SlowlogPort;
  readonly latency: LatencyPort;
  readonly bands: BandsPort;
  readonly keyFates: KeyFatePort;
  readonly prefixes: PrefixesPort;
  readonly process: ProcessPort;
  readonly replication: ReplicationPort;
  readonly cluster: ClusterPort | undefined;
  readonly timers: TimersPort;
  readonly log: LogPort;
  readonly startedMs: number;
  readonly transactions: TransactionsPort;
  readonly scripts: ScriptsPort;
  readonly #access: Access;
  readonly #settings: Settings;
  readonly #router: Router;
  readonly #messaging: ClientMessaging;
  readonly #persistence: PersistenceSwitch;
  #client: Client | undefined;
  #reply: ReplyWriter | undefined;

  constructor(options: MainRunnerOptions) {
    const { settings, router, clients, messaging, latencyMonitor, persistence, ops, log } = options;
    this.#settings = settings;
    this.#router = router;
    this.#messaging = messaging;
    tellSecrecy(secrecyOfNames);
    this.clients = clientsPort(clients);
    this.#access = options.access;
    this.authentication = authenticationPort(options.access, () => this.client);
    this.acl = aclPort({ ...options, client: () => this.client });
    this.settings = settingsPort(options);
    this.replicas = options.replicas;
    this.transactions = this.#transactionsPort();
    this.scripts = scriptsPort(options);
    this.info = { render: (sections) => renderInfo(sections, options.measure()) };
    this.status = { json: () => options.metricsReader.statusJson() };
    this.memory = memoryPort(options);
    this.migrations = new Migrations({ ...options, client: () => this.client });
    this.hotKeys = options.hotKeys;
    this.bundles = bundlesPort(ops);
    this.threads = new ThreadProfiles(latencyMonitor.threadNames, router.shardCalls);
    this.flight = { newest: (count, thread) => latencyMonitor.flight(count, thread) };
    this.traces = options.traces;
    this.statistics = options.statistics;
    this.slowlog = latencyMonitor.slowCommands;
    this.latency = latencyMonitor;
    this.bands = latencyMonitor.bandsPort;
    this.prefixes = latencyMonitor.prefixesPort;
    this.keyFates = latencyMonitor.keyFates;
    this.process = {
      shutdown: (shutdown, aborted) => {
        if (shutdown.save === 'always' && !shutdown.force && this.saving === undefined) {
          log.error('cannot-save', 'SHUTDOWN SAVE: persistence.enabled is off');
          throw errors.shutdownFailed;
        }
        const { busy } = router.scripts;
        if (shutdown.save !== 'never' && busy.isAny) throw busy.refusal;
        options.shutdown(shutdown, this.client, aborted);
      },
      abortShutdown: options.abortShutdown,
      freeze: pause,
    };
    this.#persistence = persistence;
    this.replication = options.replication;
    this.cluster = options.cluster;
    this.startedMs = options.startedMs;
    this.timers = {
      after: (ms, callback) => {
        new LongTimer(ms, callback);
      },
    };
    this.log = {
      warning: (message) => {
        log.warn('debug-log', message);
      },
    };
  }

  runCommand(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void {
    this.#client = client;
    this.#reply = reply;
    const { command } = entry;
    if (command.route !== 'onMain') unreachable('main runs only its own commands');
    else command.run(this, args);
  }

  get reply(): ReplyWriter {
    return this.#reply ?? unreachable('a command is being run');
  }

  get client(): Client {
    return this.#client ?? unreachable('a command is being run');
  }

  get saving(): SavingPort | undefined {
    return this.#persistence.durability;
  }

  get pubsub(): PubSubPort {
    return this.#messaging.pubsub;
  }

  get tracks(): TracksPort {
    return this.#messaging.tracking;
  }

  get monitors(): MonitorsPort {
    return this.#messaging.monitors;
  }

  get nowMs(): number {
    return this.#router.nowMs;
  }

  get unixUs(): number {
    return unixUs();
  }

  get mayBlock(): boolean {
    return !this.client.isAtBarrier;
  }

  get databaseCount(): number {
    return this.#settings.number('server.databases');
  }

  defer(timedOut?: (reply: ReplyWriter) => void): Answer {
    return this.#router.defer(this.client, timedOut);
  }

  resetClient(): void {
    const { client } = this;
    this.transactions.discard();
    this.#messaging.left(client);
    client.database = 0;
    client.protocol = 2;
    client.name = '';
    client.replyMode = 'on';
    client.noEvict = false;
    client.noTouch = false;
    client.readsFromReplica = false;
    client.toldAsNode = undefined;
    client.askingFrom = -1;
    client.traceParent = undefined;
    this.#access.reset(client);
    this.reply.protocol = 2;
  }

  #transactionsPort(): TransactionsPort {
    const of = (): Client => this.client;
    const { transactions } = this.#router;
    return {
      get isOpen() {
        return of().transaction !== undefined;
      },
      begin: () => {
        transactions.begin(of());
      },
      discard: () => {
        transactions.discard(of());
      },
      unwatch: () => {
        transactions.unwatch(of());
      },
    };
  }
}
