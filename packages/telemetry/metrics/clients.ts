/** Metrics of connections and traffic. */

import { metric, ofAllShards, ofMain, type MetricDefinition } from './definition.ts';

const closedFor = [
  ['output_limit', 'outputLimitDisconnections'],
  ['query_limit', 'queryLimitDisconnections'],
  ['idle', 'clientTimeouts'],
  ['evicted', 'evictedClients'],
] as const;

export const clientMetrics: readonly MetricDefinition[] = [
  ofMain('gauge', { name: 'svc_connections', help: 'Open client connections.' }, 'connections'),
  metric(
    'gauge',
    { name: 'svc_connections_max', help: 'Client connections that are allowed at a time.' },
    'setting server.max-clients',
    ({ settings }, samples) => {
      samples.value(settings.maxClients);
    },
  ),
  ofMain(
    'counter',
    { name: 'svc_connections_received_total', help: 'Client connections accepted or refused.' },
    'connectionsTotal',
  ),
  ofMain(
    'counter',
    { name: 'svc_connections_rejected_total', help: 'Client connections that were refused.' },
    'connectionsRejected',
  ),
  metric(
    'counter',
    {
      name: 'svc_connections_closed_total',
      help: 'Client connections that the server closed, by reason.',
      labels: ['reason'],
    },
    'main page: outputLimitDisconnections, queryLimitDisconnections, clientTimeouts, evictedClients',
    ({ main }, samples) => {
      for (const [reason, counter] of closedFor) samples.value(main.get(counter), reason);
    },
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_client_memory_bytes',
      help: 'Memory that clients take: buffers, queued commands, watches, subscriptions.',
      unit: 'bytes',
    },
    'clientMemoryBytes',
  ),
  ofMain(
    'gauge',
    { name: 'svc_blocked_clients', help: 'Clients that wait for something.' },
    'blockedClients',
  ),
  ofAllShards(
    'gauge',
    { name: 'svc_blocking_keys', help: 'Keys that clients wait for.' },
    'blockingKeys',
  ),
  ofMain(
    'counter',
    { name: 'svc_net_input_bytes_total', help: 'Bytes read from clients.', unit: 'bytes' },
    'bytesRead',
  ),
  ofMain(
    'counter',
    { name: 'svc_net_output_bytes_total', help: 'Bytes written to clients.', unit: 'bytes' },
    'bytesWritten',
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_client_output_buffer_bytes',
      help: 'Replies that clients have not read yet.',
      unit: 'bytes',
    },
    'outputBytes',
  ),
  ofMain(
    'gauge',
    {
      name: 'svc_client_query_buffer_bytes',
      help: 'Memory of commands that have not arrived whole.',
      unit: 'bytes',
    },
    'queryBytes',
  ),
  ofMain(
    'counter',
    { name: 'svc_read_stalls_total', help: 'Times that reading paused for a full ring.' },
    'readStalls',
  ),
  ofMain(
    'gauge',
    { name: 'svc_pubsub_clients', help: 'Clients that have subscribed to something.' },
    'pubsubClients',
  ),
  ofMain(
    'gauge',
    { name: 'svc_pubsub_channels', help: 'Channels that somebody has subscribed to.' },
    'pubsubChannels',
  ),
  ofMain(
    'gauge',
    { name: 'svc_pubsub_patterns', help: 'Patterns that somebody has subscribed to.' },
    'pubsubPatterns',
  ),
  ofMain(
    'gauge',
    { name: 'svc_pubsub_shard_channels', help: 'Shard channels that somebody has subscribed to.' },
    'pubsubShardChannels',
  ),
  ofMain(
    'gauge',
    { name: 'svc_tracking_clients', help: 'Clients that follow changes of keys.' },
    'trackingClients',
  ),
  ofMain(
    'gauge',
    { name: 'svc_tracking_keys', help: 'Keys whose changes are followed.' },
    'trackingKeys',
  ),
];
