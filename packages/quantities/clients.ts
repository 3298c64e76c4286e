/** Quantities of clients: connections, traffic, messages between them. Main writes all except the keys with blocked clients. */

import { MAIN_COUNTER, MAIN_GAUGE, SHARD_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const CLOSED = {
  ...MAIN_COUNTER,
  help: 'Client connections that the server closed, by reason.',
  metric: 'svc_connections_closed_total',
} as const;

export const CLIENT_QUANTITIES = {
  connections: [
    {
      ...MAIN_GAUGE,
      counter: 'connections',
      help: 'Open client connections, replicas included.',
      status: 'clients.connected',
      metric: 'svc_connections',
    },
  ],
  /** Connections without replicas, which INFO counts separately. */
  clients: [
    {
      ...MAIN_GAUGE,
      counter: 'connectedClients',
      info: 'connected_clients',
      exporter: 'redis_connected_clients',
    },
  ],
  accepted: [
    {
      ...MAIN_COUNTER,
      counter: 'connectionsTotal',
      help: 'Client connections accepted or refused.',
      info: 'total_connections_received',
      metric: 'svc_connections_received_total',
      exporter: 'redis_connections_received_total',
    },
  ],
  refused: [
    {
      ...MAIN_COUNTER,
      counter: 'connectionsRejected',
      help: 'Refused client connections.',
      info: 'rejected_connections',
      metric: 'svc_connections_rejected_total',
      exporter: 'redis_rejected_connections_total',
    },
  ],
  /** Connections closed because of unread replies, too long a command, or inactivity. */
  closedForOutput: [
    {
      ...CLOSED,
      counter: 'outputLimitDisconnections',
      label: ['reason', 'output_limit'],
      info: 'client_output_buffer_limit_disconnections',
    },
  ],
  closedForQuery: [
    {
      ...CLOSED,
      counter: 'queryLimitDisconnections',
      label: ['reason', 'query_limit'],
      info: 'client_query_buffer_limit_disconnections',
    },
  ],
  closedForSilence: [
    {
      ...CLOSED,
      counter: 'clientTimeouts',
      label: ['reason', 'idle'],
      info: 'client_timeout_disconnections',
    },
  ],
  evicted: [
    {
      ...CLOSED,
      counter: 'evictedClients',
      label: ['reason', 'evicted'],
      info: 'evicted_clients',
      exporter: 'redis_evicted_clients_total',
    },
  ],
  /** Memory of clients. */
  memory: [
    {
      ...MAIN_GAUGE,
      counter: 'clientMemoryBytes',
      unit: 'bytes',
      help: 'Memory used by clients: buffers, queued commands, watches and subscriptions.',
      info: 'mem_clients_normal',
      metric: 'svc_client_memory_bytes',
      exporter: 'redis_mem_clients_normal',
    },
  ],
  outputBuffers: [
    {
      ...MAIN_GAUGE,
      counter: 'outputBytes',
      unit: 'bytes',
      moves: true,
      help: 'Replies not yet read by clients.',
      info: 'mem_output_buffers',
      metric: 'svc_client_output_buffer_bytes',
    },
  ],
  /** Client with the longest output buffer, replicas left out: its bytes, and its id. */
  longestOutput: [
    {
      ...MAIN_GAUGE,
      counter: 'outputMaxBytes',
      unit: 'bytes',
      help: 'Replies not yet read by the client with the most.',
      metric: 'svc_client_output_buffer_max_bytes',
    },
    { ...MAIN_GAUGE, counter: 'outputMaxClient' },
  ],
  queryBuffers: [
    {
      ...MAIN_GAUGE,
      counter: 'queryBytes',
      unit: 'bytes',
      moves: true,
      help: 'Memory of partially received commands.',
      info: 'mem_query_buffers',
      metric: 'svc_client_query_buffer_bytes',
    },
  ],
  blocked: [
    {
      ...MAIN_GAUGE,
      counter: 'blockedClients',
      help: 'Clients blocked in a command.',
      info: 'blocked_clients',
      status: 'clients.blocked',
      metric: 'svc_blocked_clients',
      exporter: 'redis_blocked_clients',
    },
  ],
  /** Keys with blocked clients, and the number of these keys whose deletion ends a wait. */
  blockingKeys: [
    {
      ...SHARD_GAUGE,
      counter: 'blockingKeys',
      help: 'Keys for which clients are blocked.',
      info: 'total_blocking_keys',
      metric: 'svc_blocking_keys',
    },
    { ...SHARD_GAUGE, counter: 'blockingNoKeys', info: 'total_blocking_keys_on_nokey' },
  ],
  traffic: [
    {
      ...MAIN_COUNTER,
      counter: 'bytesRead',
      unit: 'bytes',
      moves: true,
      help: 'Bytes read from clients.',
      info: 'total_net_input_bytes',
      metric: 'svc_net_input_bytes_total',
      exporter: 'redis_net_input_bytes_total',
      live: 'bytes_in',
    },
    {
      ...MAIN_COUNTER,
      counter: 'bytesWritten',
      unit: 'bytes',
      moves: true,
      help: 'Bytes written to clients.',
      info: 'total_net_output_bytes',
      metric: 'svc_net_output_bytes_total',
      exporter: 'redis_net_output_bytes_total',
      live: 'bytes_out',
    },
  ],
  pubsubClients: [
    {
      ...MAIN_GAUGE,
      counter: 'pubsubClients',
      help: 'Clients with subscriptions.',
      info: 'pubsub_clients',
      metric: 'svc_pubsub_clients',
      exporter: 'redis_pubsub_clients',
    },
  ],
  pubsub: [
    {
      ...MAIN_GAUGE,
      counter: 'pubsubChannels',
      help: 'Channels with subscribers.',
      info: 'pubsub_channels',
      metric: 'svc_pubsub_channels',
      exporter: 'redis_pubsub_channels',
    },
    {
      ...MAIN_GAUGE,
      counter: 'pubsubPatterns',
      help: 'Patterns with subscribers.',
      info: 'pubsub_patterns',
      metric: 'svc_pubsub_patterns',
      exporter: 'redis_pubsub_patterns',
    },
    {
      ...MAIN_GAUGE,
      counter: 'pubsubShardChannels',
      help: 'Shard channels with subscribers.',
      info: 'pubsubshard_channels',
      metric: 'svc_pubsub_shard_channels',
    },
  ],
  trackingClients: [
    {
      ...MAIN_GAUGE,
      counter: 'trackingClients',
      help: 'Clients with tracking enabled.',
      info: 'tracking_clients',
      metric: 'svc_tracking_clients',
      exporter: 'redis_tracking_clients',
    },
  ],
  tracking: [
    {
      ...MAIN_GAUGE,
      counter: 'trackingKeys',
      help: 'Keys tracked for clients.',
      info: 'tracking_total_keys',
      metric: 'svc_tracking_keys',
      exporter: 'redis_tracking_total_keys',
    },
    {
      ...MAIN_GAUGE,
      counter: 'trackingItems',
      info: 'tracking_total_items',
      exporter: 'redis_tracking_total_items',
    },
    {
      ...MAIN_GAUGE,
      counter: 'trackingPrefixes',
      info: 'tracking_total_prefixes',
      exporter: 'redis_tracking_total_prefixes',
    },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
