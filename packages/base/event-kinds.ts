/**
 * Log events that are kept with the history, on the time line of the server: each with its kind. Their records reach the ops thread
 * at every log level; the level only decides on lines.
 */

/** Kinds of events, in the order in which pages list them. */
export const EVENT_KINDS = [
  ...(['start', 'stop', 'recovery', 'health', 'verdict', 'stuck', 'settings', 'kill'] as const),
  ...(['snapshot', 'log-failure', 'eviction', 'refused-connections', 'output', 'script'] as const),
  ...(['failover', 'link', 'denial', 'tier', 'log'] as const),
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** Events by kind. */
const EVENTS: Readonly<Record<EventKind, readonly string[]>> = {
  start: ['started'],
  stop: ['stopping', 'stopped', 'shutdown-refused', 'crash-report', 'unclean-end'],
  recovery: [
    ...['recovering', 'recovered', 'rdb-imported', 'redistributed', 'snapshot-damaged'],
    ...[
      'log-damaged',
      'log-hole',
      'log-torn',
      'left-out',
      'group-dropped',
      'transactions-completed',
    ],
  ],
  health: ['health-changed'],
  verdict: ['limit-began', 'limit-ended'],
  stuck: [
    'main-stuck',
    'main-resumed',
    'front-stuck',
    'front-resumed',
    'shard-stuck',
    'shard-resumed',
  ],
  settings: ['setting-changed'],
  kill: ['client-killed', 'script-killed', 'function-killed'],
  snapshot: ['snapshot', 'snapshot-failed', 'cannot-save'],
  'log-failure': [
    'log-failed',
    'log-healed',
    'persistence-not-resumed',
    'history-failed',
    'history-written',
  ],
  eviction: ['evictions-began', 'evictions-ended', 'client-evicted'],
  'refused-connections': ['connections-refused'],
  output: ['output-limit-reached'],
  script: ['slow-script'],
  failover: [
    ...[
      'failover',
      'failover-aborted',
      'failover-request',
      'primary',
      'replica-of',
      'stream-restored',
    ],
    ...[
      'cluster-failover',
      'cluster-handover',
      'cluster-fenced',
      'cluster-lease',
      'cluster-slot-lost',
    ],
    ...[
      'cluster-slots-moved',
      'cluster-slots-taken',
      'discarded-writes',
      'no-good-replicas',
      'good-replicas',
    ],
  ],
  link: [
    ...[
      'replica-link-up',
      'replica-sync',
      'replica-synced',
      'replica-partial-sync',
      'replica-closed',
    ],
    ...[
      'replica-left',
      'replica-stream-error',
      'partial-sync',
      'full-sync-asked',
      'cluster-coordinator',
    ],
  ],
  denial: ['login-failed', 'http-wrong-token', 'tls-handshake-failed'],
  tier: ['tier-fault', 'tier-fault-ended', 'tier-thread-died', 'tier-unread'],
  log: ['log-file-failed', 'log-lines-dropped'],
};

const KINDS: ReadonlyMap<string, EventKind> = new Map(
  EVENT_KINDS.flatMap((kind) => EVENTS[kind].map((event) => [event, kind] as const)),
);

/** Names of all events that have a kind. */
export const KEPT_EVENTS: readonly string[] = [...KINDS.keys()];

/** Returns the kind of a log event; undefined if it is not kept with the history. */
export function eventKind(event: string): EventKind | undefined {
  return KINDS.get(event);
}
