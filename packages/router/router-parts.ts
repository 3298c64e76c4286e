/** Constructs the parts of the router in the order of their dependencies. */

import type { ShardDenial } from '#acl';
import type { Bytes, Clock, CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { LinkMemory } from '#link';
import type { Page } from '#stats';
import { BlockedClients } from './blocked/blocked-clients.ts';
import type { Client } from './clients/client.ts';
import { ClientRegistry, type ClientLog } from './clients/client-registry.ts';
import type { CommandWatcher } from './command-watcher.ts';
import { KeyMigrations } from './migration/key-migrations.ts';
import { Answers, type RunOnMain } from './replies/answers.ts';
import { CommandStats, type MainNotes } from './replies/command-stats.ts';
import { Gathers } from './replies/gathers.ts';
import { Replies, type FeedTaker } from './replies/replies.ts';
import { KeyDiscovery } from './routes/key-discovery.ts';
import { Routes } from './routes/routes.ts';
import type { BusyScriptsOptions } from './scripts/busy-scripts.ts';
import { Scripts } from './scripts/scripts.ts';
import { shardSignals, type RedirectTaker } from './shard-signals.ts';
import { ShardCalls } from './shards/shard-calls.ts';
import type { ShardLink } from './shards/shard-link.ts';
import type { RunningTrace } from './traces/running-trace.ts';
import { Tracing, type TracingOptions } from './tracing.ts';
import { Transactions } from './transactions/transactions.ts';

/** Collaborators of the router. */
export interface RouterOptions {
  readonly memory: LinkMemory;
  readonly links: readonly ShardLink[];
  readonly page: Page;
  readonly clock: Clock;
  readonly runOnMain: RunOnMain;
  readonly notes: MainNotes;
  readonly log: ClientLog;
  readonly tracing: Pick<TracingOptions, 'ring' | 'random'>;
  readonly running: RunningTrace;
  /** Scripts that run in shards. */
  readonly scripts: Omit<BusyScriptsOptions, 'clock'> & {
    readonly log: (level: number, message: string) => void;
  };
  /** Says why the client may not run the command now, or that it must wait. */
  gate(client: Client, entry: CommandEntry, args: Arguments): CommandError | 'wait' | undefined;
  /** Returns the reason for which even an unknown command is refused. */
  failureRefusal(client: Client, args: Arguments): CommandError | undefined;
  /** Says why the client may not run a command that it has queued, now that it is run. */
  execRefusal(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined;
  /** A script, or a command that has waited, was denied something in a shard. */
  readonly denied: (client: Client, denial: ShardDenial) => void;
  /** A shard has replied to a client that its keys move to another node. */
  readonly redirected?: RedirectTaker;
  /** A client speaks HTTP: a web page may have made a browser its messenger. Its connection is closed. */
  spokeHttp(client: Client): void;
  /** Takes events of a shard's keys. */
  readonly keyEvents: (body: Bytes) => void;
  /** Takes what shards have changed, for replicas. */
  readonly replication: FeedTaker;
  /** Memory is over the limit and nothing can be evicted. */
  isOutOfMemory(): boolean;
  /** Maximum number of bytes of unexecuted commands of a client. */
  queryBytesMax(): number;
  /** Returns the answers that a shard published last; undefined before the first. */
  publishedAnswers(shard: number): Bytes | undefined;
  /** True when a shard has executed one command beyond a time limit: no reply is expected soon. */
  isShardStuck(shard: number): boolean;
  /** Starts a turn for work that arose outside of one. */
  beginTurn(): void;
}

/** Parts that send commands to shards, or reply to them on main. */
interface Ways {
  readonly clientRegistry: ClientRegistry;
  readonly tracing: Tracing;
  readonly commandStats: CommandStats;
  readonly answers: Answers;
  readonly gathers: Gathers;
  readonly shardCalls: ShardCalls;
  readonly routes: Routes;
  readonly keyMigrations: KeyMigrations;
  readonly keyDiscovery: KeyDiscovery;
  readonly blockedClients: BlockedClients;
}

/** Parts in which several commands are one. */
interface Groups {
  readonly scripts: Scripts;
  readonly transactions: Transactions;
}

interface RouterParts extends Ways, Groups {
  readonly replies: Replies;
}

/** Makes the parts of a router. `watched` is called for each command that was sent on, and for those that scripts call. */
export function newParts(options: RouterOptions, watched: CommandWatcher): RouterParts {
  const ways = newWays(options);
  const scripts = newScripts(options, ways, watched);
  const groups = { scripts, transactions: newTransactions(options, ways, scripts, watched) };
  const signals = shardSignals({ ...options, ...ways, ...groups });
  return { ...ways, ...groups, replies: new Replies({ ...options, ...ways, signals }) };
}

function newWays(options: RouterOptions): Ways {
  const { links, page, clock, memory, log, running } = options;
  const beginTurn = (): void => {
    options.beginTurn();
  };
  const clientRegistry = new ClientRegistry(page, clock, log);
  const commandStats = new CommandStats(page, clock, options.notes);
  const { runOnMain: run } = options;
  const answers = new Answers({ clientRegistry, page, clock, commandStats, run, running, log });
  const gathers = new Gathers(clientRegistry, page);
  const routes = new Routes({ links, clientRegistry, answers, commandStats, gathers });
  const isStuck = (shard: number): boolean => options.isShardStuck(shard);
  const published = (shard: number): Bytes | undefined => options.publishedAnswers(shard);
  return {
    clientRegistry,
    commandStats,
    answers,
    gathers,
    routes,
    tracing: new Tracing({ page, clock, ...options.tracing, clientRegistry, memory }),
    shardCalls: new ShardCalls({ links, page, isStuck, published, beginTurn }),
    keyMigrations: new KeyMigrations(routes, beginTurn),
    keyDiscovery: new KeyDiscovery(routes, clientRegistry),
    blockedClients: new BlockedClients({ clientRegistry, routes, commandStats, beginTurn }),
  };
}

function newScripts(options: RouterOptions, ways: Ways, watched: CommandWatcher): Scripts {
  const { memory, page, clock, scripts } = options;
  return new Scripts({
    ...ways,
    memory,
    page,
    running: { ...scripts, clock },
    log: scripts.log,
    called: ({ connection, entry, args, database, sequence }) => {
      const client = ways.clientRegistry.inSlot(connection);
      if (client !== undefined) watched(client, entry, args, { database, sequence });
    },
    beginTurn: () => {
      options.beginTurn();
    },
  });
}

function newTransactions(
  options: RouterOptions,
  ways: Ways,
  scripts: Scripts,
  watched: CommandWatcher,
): Transactions {
  const { memory, page, clock } = options;
  return new Transactions({
    ...ways,
    scripts,
    memory,
    clock,
    queuedBytesMax: () => options.queryBytesMax(),
    refusal: (client, entry, args) => options.execRefusal(client, entry, args),
    sent: (client, entry, args) => {
      watched(client, entry, args, 'transaction');
    },
    countTooLong: () => {
      page.add('queryLimitDisconnections', 1);
    },
    countBarrier: () => {
      page.add('barriers', 1);
    },
    countBarrierTime: (us) => {
      page.add('barrierUs', us);
    },
  });
}
