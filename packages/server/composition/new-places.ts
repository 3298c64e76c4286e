/** Puts the listener together: from its sockets to the clients. */

import { Listener } from '#net';
import { ListeningPlaces, tcpPlaces, valuesOf } from '#clients';
import type { Kernel } from './kernel.ts';
import { newSockets } from './new-sockets.ts';
import type { Routing } from './routing.ts';

export function newPlaces(parts: Kernel & Routing): ListeningPlaces {
  const { settings, tls, tlsCounts, config, frontPool, clients, ops, log } = parts;
  const listener = new Listener({
    ...tcpPlaces(valuesOf(settings)),
    tls,
    unixSocket: settings.string('server.unix-socket'),
    unixSocketMode: settings.number('server.unix-socket-permissions'),
    backlog: settings.number('server.tcp-backlog'),
    config,
    sockets: newSockets(parts.serverMemory, settings, parts),
    fronts: () => frontPool.fronts,
    accept: (connection) => {
      clients.accept(connection);
    },
    refused: (failure, address, error) => {
      tlsCounts.failed(failure, address, error);
    },
  });
  return new ListeningPlaces({
    settings,
    listener,
    tls,
    log,
    tellHttp: (options) => {
      ops.secure(options);
    },
  });
}
