/** The connected clients as a module of main. */

import type { Clock, Logger } from '#base';
import { clientFields, type ClientPort, flagsOf } from '#commands';
import type { ClientReport } from '#api-types';
import { type Composed, MainModule, mapInTurns } from '#main';
import type { Router } from '#router';
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
  'clients' | 'client-ids' | 'client-name' | 'kill-client'
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
        client.roles.closing('killed over HTTP');
        client.socket.destroy();
        return null;
      },
    },
  });
  return { module, parts: {} };
}

function reportOf(client: ClientPort, nowMs: number): ClientReport {
  const { traffic } = client;
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
  };
}
