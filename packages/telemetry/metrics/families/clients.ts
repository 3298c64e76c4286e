/** Metrics of connections and traffic. */

import {
  ACCESS_QUANTITIES,
  CLIENT_QUANTITIES,
  COMMAND_QUANTITIES,
  TLS_QUANTITIES,
} from '#quantities';
import { metric, type MetricDefinition } from '../definition.ts';
import { metricsOf } from '../quantities.ts';

export const clientMetrics: readonly MetricDefinition[] = [
  ...metricsOf(CLIENT_QUANTITIES.connections),
  metric(
    'gauge',
    { name: 'svc_connections_max', help: 'Limit of open client connections.' },
    'setting server.max-clients',
    ({ settings }, samples) => {
      samples.value(settings.maxClients);
    },
  ),
  ...metricsOf(
    CLIENT_QUANTITIES.accepted,
    CLIENT_QUANTITIES.refused,
    CLIENT_QUANTITIES.closedForOutput,
    CLIENT_QUANTITIES.closedForQuery,
    CLIENT_QUANTITIES.closedForSilence,
    CLIENT_QUANTITIES.evicted,
    CLIENT_QUANTITIES.memory,
    CLIENT_QUANTITIES.blocked,
    CLIENT_QUANTITIES.blockingKeys,
    CLIENT_QUANTITIES.traffic,
    CLIENT_QUANTITIES.outputBuffers,
    CLIENT_QUANTITIES.queryBuffers,
    COMMAND_QUANTITIES.stalls,
    CLIENT_QUANTITIES.pubsubClients,
    CLIENT_QUANTITIES.pubsub,
    CLIENT_QUANTITIES.trackingClients,
    CLIENT_QUANTITIES.tracking,
    ACCESS_QUANTITIES.denied,
    ACCESS_QUANTITIES.users,
    ACCESS_QUANTITIES.limitedUsers,
    ACCESS_QUANTITIES.limited,
    TLS_QUANTITIES.connections,
    TLS_QUANTITIES.versions,
    TLS_QUANTITIES.ciphers,
    TLS_QUANTITIES.failures,
  ),
];
