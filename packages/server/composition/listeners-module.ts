/** Listeners for clients, from their sockets on, as a module of main. */

import { Listener } from '#net';
import { ClientListeners, tcpPlaces, valuesOf } from '#clients';
import { type Composed, MainModule } from '#main';
import type { Kernel } from './kernel.ts';
import { newSockets } from './new-sockets.ts';
import type { Routing } from './routing.ts';

export function listenersModule(
  parts: Kernel & Routing,
): Composed<{ readonly listeners: ClientListeners }> {
  const listeners = newListeners(parts);
  const module = new MainModule({ name: 'listeners', setting: listeners });
  return { module, parts: { listeners } };
}

function newListeners(parts: Kernel & Routing): ClientListeners {
  const { settings, tls, tlsCounts, config, frontPool, clients, ops, log } = parts;
  const listener = new Listener({
    ...tcpPlaces(valuesOf(settings)),
    tls,
    unixSocket: settings.string('server.unix-socket'),
    unixSocketMode: settings.number('server.unix-socket-permissions'),
    backlog: settings.number('server.tcp-backlog'),
    config,
    sockets: newSockets(parts.serverMemory, settings, parts),
    fronts: frontPool.fronts,
    accept: (connection) => {
      clients.accept(connection);
    },
    refused: (failure, address, error) => {
      tlsCounts.failed(failure, address, error);
    },
  });
  return new ClientListeners({
    settings,
    listener,
    tls,
    log,
    secureHttp: (options) => {
      ops.secure(options);
    },
    publishCertificateEnd: (unixMs) => {
      parts.serverMemory.mainPage.set('tlsCertificateEndMs', unixMs);
    },
  });
}
