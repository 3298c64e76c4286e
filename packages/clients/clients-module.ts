/** The connected clients as a module of main. */

import type { Clock, Logger } from '#base';
import { clientFields, flagsOf } from '#commands';
import type { BlockedReport, ClientReport } from '#api-types';
import { beginningAsText, type Composed, MainModule, mapInTurns } from '#main';
import type { Client, Router } from '#router';
import { clientsPort } from './clients-port.ts';
import type { Clients } from './clients.ts';

/** Clients described before others get their turn. */
const CLIENTS_AT_ONCE = 200;

interface ClientsModuleOptions {
  readonly clients: Clients;
  readonly router: Pick<Router, 'clientInSlot'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
}

export function clientsModule({
  clients,
  router,
  clock,
  log,
}: ClientsModuleOptions): Composed<
  object,
  'clients',
  'clients' | 'client-ids' | 'client-name' | 'kill-client' | 'kill-clients'
> {
  const module = new MainModule({
    name: 'clients',
    judges: {
      client: { judge: (client, entry, args) => clients.gate(client, entry, args) },
      pause: {
        concerns: () => clients.hasPauses,
        judge: (client, entry, args) => clients.hold(client, entry, args),
      },
    },
    hooks: {
      tick: (nowMs) => {
        clients.tick(nowMs);
      },
      awaitsTick: () => clients.awaitsTick,
    },
    ports: { clients: clientsPort(clients) },
    answers: {
      clients: () =>
        mapInTurns(clients.all, CLIENTS_AT_ONCE, (client) => reportOf(client, clock.wallMs())),
      'client-ids': (slots) => slots.map((slot) => router.clientInSlot(slot)?.id ?? null),
      'client-name': (slot) => {
        const client = router.clientInSlot(slot);
        return client === undefined ? null : clientFields(client);
      },
      'kill-client': ({ id }) => {
        const client = clients.byId(id);
        if (client === undefined) return 'No such client ID';
        const fields = { id, addr: client.socket.remoteAddress };
        log.info('client-killed', 'Client killed over HTTP', fields);
        kill(client);
        return null;
      },
      'kill-clients': async ({ ids }) => {
        const found = ids.flatMap((id) => clients.byId(id) ?? []);
        // A client whose id is listed twice, or that has left meanwhile, is not counted.
        const killed = await mapInTurns(found, CLIENTS_AT_ONCE, (client) => {
          if (client.socket.isClosed) return 0;
          kill(client);
          return 1;
        });
        const count = killed.reduce((sum: number, one) => sum + one, 0);
        log.info('clients-killed', 'Clients killed over HTTP', { asked: ids.length, count });
        return count;
      },
    },
  });
  return { module, parts: {} };
}

function kill(client: Client): void {
  client.roles.closing('killed over HTTP');
  client.socket.destroy();
}

function reportOf(client: Client, nowMs: number): ClientReport {
  const { traffic, transaction } = client;
  const { tls } = client.socket;
  const seconds = (sinceMs: number): number => Math.max(0, Math.floor((nowMs - sinceMs) / 1_000));
  return {
    id: client.id,
    addr: client.socket.remoteAddress,
    name: client.session.name,
    user: client.session.user,
    lib_name: client.session.libraryName,
    lib_ver: client.session.libraryVersion,
    age_secs: seconds(client.account.createdMs),
    idle_secs: seconds(client.account.lastCommandMs),
    flags: flagsOf(client),
    db: client.session.database,
    commands_total: client.account.commandsTotal,
    bytes_recv: traffic.bytesRead,
    bytes_sent: traffic.bytesWritten,
    output_buffer_bytes: traffic.outputBytes,
    last_command: client.account.lastCommand === '' ? null : client.account.lastCommand,
    pending_commands: client.replies.outstanding,
    blocked: blockedReport(client),
    query_buffer_bytes: traffic.queryBytes,
    multi_buffer_bytes: transaction?.queue.memoryBytes ?? 0,
    memory_bytes: client.memoryBytes,
    queued_commands: transaction?.queue.count ?? null,
    watched_keys: client.watches.keys.size,
    subscriptions: subscriptionsOf(client),
    resp: client.session.protocol,
    tls: tls === undefined ? null : `${tls.version}/${tls.cipher}`,
  };
}

function subscriptionsOf({ roles: { subscriptions } }: Client): number {
  if (subscriptions === undefined) return 0;
  const { channel, pattern, shardChannel } = subscriptions;
  return channel.size + pattern.size + shardChannel.size;
}

const NO_KEY = { key: null, binary: false, cut: false, keys: 0 };

function blockedReport({ wait }: Client): BlockedReport | null {
  const { isBlocked, isPostponed, awaitedKey, blockedSinceMs } = wait;
  if (!isBlocked) return isPostponed ? { by: 'pause', since_time_ms: null, ...NO_KEY } : null;
  if (awaitedKey === undefined) return { by: 'reply', since_time_ms: blockedSinceMs, ...NO_KEY };
  const { key, isCut, keys } = awaitedKey;
  const text = beginningAsText(key);
  return { by: 'key', since_time_ms: blockedSinceMs, ...text, cut: isCut, keys };
}
