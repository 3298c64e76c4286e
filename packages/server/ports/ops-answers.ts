/** Answers of main to the ops thread. Long lists are made in pieces, so that no client waits for one. */

import { type Clock, readable } from '#base';
import { type ClientPort, flagsOf, type ShutdownOptions } from '#commands';
import { type LatencySeries, MAIN_THREAD, SHARD_CONTENT, type SlowEntry } from '#stats';
import type { ClientReport, LatencyEventReport, SlowlogReport } from '#api-types';
import type { MainAnswers } from '#http';
import type { Settings } from '#config';
import type { Router } from '#router';
import { type Access, usersDocument } from '#access';
import type { Clients } from '#clients';
import type { PersistenceSwitch } from '#durability';
import { removedKeys, scriptsDocument } from '#diagnostics';
import { type Replication, replicationDocument } from '#replication';
import { clusterDocument, clusterNodeDocument, type ClusterObservation } from '#cluster';
import { mapInTurns } from '#main';
import { pageAnswers, type PageAnswersOptions } from './page-answers.ts';

/** Clients described before others get their turn. */
const CLIENTS_AT_ONCE = 200;

interface OpsAnswersOptions extends PageAnswersOptions {
  readonly router: Router;
  readonly access: Access;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly replication: Replication;
  /** Undefined where the server is in no cluster. */
  readonly cluster: { readonly observation: ClusterObservation } | undefined;
  readonly persistence: PersistenceSwitch;
  /** Begins to stop. */
  readonly shutdown: (options: ShutdownOptions) => void;
}

export function opsAnswers(options: OpsAnswersOptions): MainAnswers {
  const { router, clients, cluster, latencyMonitor, persistence, log } = options;
  return {
    ...pageAnswers(options),
    clients: () => clientReports(clients, options.clock),
    'client-ids': (slots) => slots.map((slot) => router.clientInSlot(slot)?.id ?? null),
    slowlog: async ({ count }) => {
      const { entries, missingShards } = await latencyMonitor.slowCommands.collect(count);
      return { entries: entries.map(slowReport), missing_shards: missingShards };
    },
    'removed-keys': (question) => removedKeys(latencyMonitor.keyFates, question),
    scripts: (question) => scriptsDocument(router, question),
    users: ({ count }) => usersDocument(options.access, clients.all, count),
    replication: () =>
      replicationDocument(options.replication, options.settings, options.clock.wallMs()),
    cluster: () => (cluster === undefined ? null : clusterDocument(cluster.observation)),
    'cluster-node': ({ id }) =>
      cluster === undefined ? null : clusterNodeDocument(cluster.observation, id),
    'latency-events': () => latencyMonitor.events.map(eventReport),
    shards: async () => {
      const reports = await router.shardCalls.ask(SHARD_CONTENT, null);
      return reports.map((report) => (report.missing ? null : report.answer));
    },
    snapshot: () => {
      const { durability } = persistence;
      if (durability === undefined) return 'nothing-kept';
      if (durability.saveInBackground(false) === 'busy') return 'busy';
      log.info('snapshot-asked', 'a snapshot was asked for over HTTP');
      return 'started';
    },
    shutdown: ({ save }) => {
      if (save === 'always' && persistence.durability === undefined) return 'nothing-kept';
      log.info('shutdown-asked', 'shutdown was asked for over HTTP');
      // Before the answer: who has it may ask the probes next. The ops thread, which passes it on, ends last.
      options.shutdown({ save, now: false, force: false });
      return 'begun';
    },
  };
}

function slowReport(entry: SlowEntry): SlowlogReport {
  const [command = '', ...args] = entry.args.map(readable);
  return {
    id: entry.id,
    timestamp: Math.floor(entry.unixMs / 1_000),
    // As SLOWLOG GET tells it.
    duration_us: Math.floor(entry.executeUs),
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

function eventReport({ event, count, usSum, usMax, samples }: LatencySeries): LatencyEventReport {
  return {
    event,
    latest_us: Math.round(samples.at(-1)?.us ?? 0),
    min_us: Math.round(samples.reduce((least, { us }) => Math.min(least, us), Infinity)),
    max_us: Math.round(usMax),
    avg_us: Math.round(usSum / count),
    samples: count,
  };
}

function clientReports({ all }: Clients, clock: Clock): Promise<readonly ClientReport[]> {
  return mapInTurns(all, CLIENTS_AT_ONCE, (client) => clientReport(client, clock.wallMs()));
}

function clientReport(client: ClientPort, nowMs: number): ClientReport {
  const { traffic } = client;
  const seconds = (sinceMs: number): number => Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
  return {
    id: client.id,
    addr: client.address,
    name: client.name,
    user: client.user,
    lib_name: client.libraryName,
    lib_ver: client.libraryVersion,
    age_secs: seconds(client.createdMs),
    idle_secs: seconds(client.lastCommandMs),
    flags: flagsOf(client),
    db: client.database,
    commands_total: client.commandsTotal,
    bytes_recv: traffic.bytesRead,
    bytes_sent: traffic.bytesWritten,
    output_buffer_bytes: traffic.outputBytes,
  };
}
