/** Runs the commands that need main only, with every port they may ask for. */

import { timingSafeEqual, createHash } from 'node:crypto';
import { errors, LongTimer, readMemoryMap, unixUs, unreachable, type MemoryMap } from '#base';
import {
  commandTable,
  tellSecrecy,
  type Answer,
  type Arguments,
  type AuthenticationPort,
  type BundlesPort,
  type ClientPort,
  type ClientsPort,
  type CommandEntry,
  type BandsPort,
  type ConnectionContext,
  type DiagnosticsContext,
  type FlightPort,
  type HotKeysPort,
  type KeyFatePort,
  type LatencyPort,
  type PrefixesPort,
  type SlowlogPort,
  type InfoPort,
  type LogPort,
  type MemoryPort,
  type MonitorsPort,
  type ProcessPort,
  type SavingPort,
  type PubSubContext,
  type PubSubPort,
  type ServerContext,
  type SettingsPort,
  type StatisticsPort,
  type StatusPort,
  type ThreadsPort,
  type TimersPort,
  type TransactionContext,
  type TransactionsPort,
  type TracesPort,
  type TracksPort,
} from '#commands';
import { ConfigCommandError, secrecyOfNames } from '#config';
import { PURGE } from '#stats';
import { pause } from '#link';
import type { OwnedReply, ReplyWriter } from '#resp';
import type { Client } from '#router';
import type { BundleReport } from '#api-types';
import { renderInfo } from '../info/info.ts';
import { allocatorReport, memoryDiagnosis } from '../info/memory-report.ts';
import { memoryStats } from '../info/memory-stats.ts';
import type { Server } from '../server.ts';
import { ThreadProbes } from '../threads/thread-profiles.ts';
import { REDIS_VERSION } from '../version.ts';

type Contexts = ConnectionContext &
  DiagnosticsContext &
  PubSubContext &
  ServerContext &
  TransactionContext;

export class MainRunner implements Contexts {
  readonly commands = commandTable;
  readonly redisVersion = REDIS_VERSION;
  readonly clients: ClientsPort;
  readonly authentication: AuthenticationPort;
  readonly settings: SettingsPort;
  readonly info: InfoPort;
  readonly statistics: StatisticsPort;
  readonly status: StatusPort;
  readonly bundles: BundlesPort;
  readonly threads: ThreadsPort;
  readonly flight: FlightPort;
  readonly traces: TracesPort;
  readonly memory: MemoryPort;
  readonly hotKeys: HotKeysPort;
  readonly slowlog: SlowlogPort;
  readonly latency: LatencyPort;
  readonly bands: BandsPort;
  readonly keyFates: KeyFatePort;
  readonly prefixes: PrefixesPort;
  readonly process: ProcessPort;
  readonly timers: TimersPort;
  readonly log: LogPort;
  readonly saving: SavingPort | undefined;
  readonly startedMs: number;
  readonly transactions: TransactionsPort;
  readonly #server: Server;
  #client: Client | undefined;
  #reply: ReplyWriter | undefined;

  constructor(server: Server) {
    this.#server = server;
    tellSecrecy(secrecyOfNames);
    this.clients = clientsPort(server);
    this.authentication = authenticationPort(server);
    this.settings = settingsPort(server);
    this.transactions = this.#transactionsPort();
    this.info = { render: (sections) => renderInfo(sections, server.measure()) };
    this.status = { json: () => server.metricsReader.statusJson() };
    this.memory = memoryPort(server);
    this.hotKeys = server.hotKeys;
    this.bundles = {
      generate: () => server.askOps('bundle-generate') as Promise<BundleReport>,
      list: () => server.askOps('bundle-list') as Promise<readonly BundleReport[]>,
    };
    this.threads = new ThreadProbes(server.latencyMonitor.threadNames, () => server.router.reports);
    this.flight = { newest: (count, thread) => server.latencyMonitor.flight(count, thread) };
    this.traces = server.traces;
    this.statistics = { reset: () => server.resetStatistics() };
    this.slowlog = server.latencyMonitor.slowCommands;
    this.latency = server.latencyMonitor;
    this.bands = server.latencyMonitor.bandsPort;
    this.prefixes = server.latencyMonitor.prefixesPort;
    this.keyFates = server.latencyMonitor.keyFates;
    this.process = {
      shutdown: (options) => {
        if (options.save === 'always' && !options.force && server.durability === undefined) {
          server.log.error('cannot-save', 'SHUTDOWN SAVE: persistence.enabled is off');
          throw errors.shutdownFailed;
        }
        server.shutdown(options, this.client);
      },
      abortShutdown: () => server.abortShutdown(),
      freeze: pause,
    };
    this.saving = server.durability;
    this.startedMs = server.wallMs();
    this.timers = {
      after: (ms, callback) => {
        new LongTimer(ms, callback);
      },
    };
    this.log = {
      warning: (message) => {
        server.log.warn('debug-log', message);
      },
    };
  }

  run(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void {
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

  get pubsub(): PubSubPort {
    return this.#server.between.pubsub;
  }

  get tracks(): TracksPort {
    return this.#server.between.tracking;
  }

  get monitors(): MonitorsPort {
    return this.#server.between.monitors;
  }

  get nowMs(): number {
    return this.#server.router.nowMs;
  }

  get unixUs(): number {
    return unixUs();
  }

  get mayBlock(): boolean {
    return !this.client.isConducting;
  }

  get databaseCount(): number {
    return this.#server.settings.number('server.databases');
  }

  defer(timedOut?: (reply: ReplyWriter) => void): Answer {
    return this.#server.router.defer(this.client, timedOut);
  }

  resetClient(): void {
    const { client } = this;
    this.transactions.discard();
    this.#server.between.left(client);
    client.database = 0;
    client.protocol = 2;
    client.name = '';
    client.replyMode = 'on';
    client.noEvict = false;
    client.noTouch = false;
    client.traceParent = undefined;
    client.authenticated = !this.authentication.isRequired;
    this.reply.protocol = 2;
  }

  #transactionsPort(): TransactionsPort {
    const of = (): Client => this.client;
    const server = this.#server;
    return {
      get isOpen() {
        return of().transaction !== undefined;
      },
      begin: () => {
        server.router.transactions.begin(of());
      },
      discard: () => {
        server.router.transactions.discard(of());
      },
      unwatch: () => {
        server.router.transactions.unwatch(of());
      },
    };
  }
}

function clientsPort(server: Server): ClientsPort {
  return {
    all: () => server.clients.all,
    byId: (id) => server.clients.byId(id),
    kill: (client: ClientPort) => {
      server.clients.byId(client.id)?.socket.destroy();
    },
    pause: (mode, untilMs) => {
      server.clients.pause(mode, untilMs);
    },
    unpause: () => {
      server.clients.unpause();
    },
    unblock: (client, withError, ended) => {
      server.clients.byId(client.id)?.unblock?.(withError, ended);
    },
  };
}

function memoryPort(server: Server): MemoryPort {
  return {
    stats: () => memoryStats(server.measure(), readMemoryMap(server.metricsReader.linkBytes)),
    statsLater: async () => {
      // A server whose ops thread has died serves on.
      const map = await server.askOps('memory-map').catch(() => null);
      return memoryStats(server.measure(), (map as MemoryMap | null) ?? undefined);
    },
    latencyMonitor: () => memoryDiagnosis(server.measure()),
    allocator: () => allocatorReport(server.measure()),
    purge: async () => {
      await server.router.reports.ask(PURGE, null);
      server.ops.purge();
      server.durability?.disk.send({ kind: 'purge' });
      server.metricsReader.memory.purge();
    },
  };
}

function authenticationPort(server: Server): AuthenticationPort {
  const password = (): string => server.settings.string('security.requirepass');
  return {
    get isRequired() {
      return password() !== '';
    },
    accepts: (user, attempt) => {
      // Hashes have one length, so the time says nothing about the password's.
      const same = timingSafeEqual(digest(password()), digest(attempt));
      return user === 'default' && (password() === '' || same);
    },
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text, 'latin1').digest();
}

function settingsPort(server: Server): SettingsPort {
  const { settings } = server;
  const answering = <Done>(act: () => Done): Done => {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ConfigCommandError)) throw error;
      throw errors.config(error.message);
    }
  };
  return {
    get: (patterns) => settings.configGet(patterns),
    set: (pairs) => answering(() => server.places.set(pairs)),
    shown: async () => {
      await Promise.all([server.ops.settingsShown(), server.settingsBroadcast.applied()]);
    },
    rewrite: () => {
      answering(() => {
        settings.rewrite();
      });
    },
  };
}
