/** Clients as commands see them. */

import { errors } from '#base';
import type { ClientPort, ClientsPort } from '#commands';
import type { Clients } from './clients.ts';

export function clientsPort(clients: Clients): ClientsPort {
  return {
    all: () => clients.all,
    byId: (id) => clients.byId(id),
    kill: (client: ClientPort) => {
      const victim = clients.byId(client.id);
      victim?.roles.closing('killed by a client');
      victim?.socket.destroy();
    },
    pause: (mode, untilMs) => {
      clients.pause(mode, untilMs);
    },
    unpause: () => {
      clients.unpause();
    },
    unblock: (client, withError, ended) => {
      const error = withError ? errors.unblocked : undefined;
      clients.byId(client.id)?.wait.unblock?.(error, ended);
    },
  };
}
