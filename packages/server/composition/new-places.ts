/** Puts the listener together: from its sockets to the clients. */

import type { Logger } from '#base';
import type { Settings } from '#config';
import {
  Listener,
  type ConnectionConfig,
  type Fronts,
  type PlainSockets,
  type TlsOptions,
} from '#net';
import type { OpsLink } from '../threads/ops-link.ts';
import type { Clients } from '../clients/clients.ts';
import { ListeningPlaces, tcpPlaces } from '../clients/listening-places.ts';
import type { TlsCounts } from '../clients/tls-counts.ts';
import { valuesOf } from '../clients/tls-files.ts';

interface Parts {
  readonly settings: Settings;
  readonly tls: TlsOptions | undefined;
  readonly counts: TlsCounts;
  readonly config: ConnectionConfig;
  readonly sockets: PlainSockets;
  readonly fronts: () => Fronts | undefined;
  readonly clients: Clients;
  readonly ops: OpsLink;
  readonly log: Logger;
}

export function newPlaces(parts: Parts): ListeningPlaces {
  const { settings, tls, counts, config, sockets, fronts, clients, ops, log } = parts;
  const listener = new Listener({
    ...tcpPlaces(valuesOf(settings)),
    tls,
    unixSocket: settings.string('server.unix-socket'),
    unixSocketMode: settings.number('server.unix-socket-permissions'),
    backlog: settings.number('server.tcp-backlog'),
    config,
    sockets,
    fronts,
    accept: (connection) => {
      clients.accept(connection);
    },
    refused: (failure, address, error) => {
      counts.failed(failure, address, error);
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
