/** What main answers the ops thread. Long lists are made in pieces, so that no client waits for one. */

import { flagsOf, type ClientPort } from '#commands';
import { SHARD_CONTENT } from '#diag';
import type { ClientReport, MainAnswers } from '#http';
import type { Server } from './server.ts';

/** Clients described before others get their turn. */
const CLIENTS_AT_ONCE = 200;

export function opsAnswers(server: Server): MainAnswers {
  return {
    clients: () => clientReports(server),
    'client-ids': (slots) => slots.map((slot) => server.router.clientInSlot(slot)?.id ?? null),
    shards: async () => {
      const reports = await server.router.reports.ask(SHARD_CONTENT, null);
      return reports.map((report) => (report.missing ? null : report.answer));
    },
    shutdown: () => {
      server.log.info('shutdown-asked', 'shutdown was asked for over HTTP');
      // Whoever asked is told first that it begins.
      setImmediate(() => void server.stop());
      return null;
    },
  };
}

async function clientReports(server: Server): Promise<readonly ClientReport[]> {
  const { all } = server.clients;
  const reports: ClientReport[] = [];
  for (let at = 0; at < all.length; at += CLIENTS_AT_ONCE) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    const nowMs = server.wallMs();
    for (const client of all.slice(at, at + CLIENTS_AT_ONCE)) {
      reports.push(clientReport(client, nowMs));
    }
  }
  return reports;
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
