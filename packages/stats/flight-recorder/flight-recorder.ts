/**
 * The flight recorder: notable events of a thread, kept in shared memory that others can read regardless of the state
 * of the thread. Events are rare; frequent ones are recorded at most a few times a second.
 */

import { CLUSTER_QUANTITIES, REPLICATION_QUANTITIES } from '#quantities';

/** Number of an event; without `of` it is shown as it is. */
export interface FlightField {
  /** As it is shown; ends in its unit. */
  readonly name: string;
  /** The number counts a row of another table, whose name is shown; -1 is none. */
  readonly of?:
    | 'command'
    | 'setting'
    | 'collection'
    | 'replica-state'
    | 'primary-link-state'
    | 'sync-reason'
    | 'role'
    | 'cluster-event'
    | 'failover-reason';
}

export interface FlightKind {
  readonly event: string;
  /** Sentence about the condition of the event. */
  readonly about: string;
  /** Its numbers, in their order; at most four. */
  readonly fields: readonly FlightField[];
}

/** States of a link to a replica, of the link to a primary, and roles: places in these are numbers of events. */
export const REPLICA_STATES = ['handshake', 'wait_bgsave', 'send_bulk', 'online', 'gone'] as const;
export const PRIMARY_LINK_STATES = [
  ...['connect', 'connecting', 'handshake', 'sync', 'connected'],
  'ended',
] as const;
export const ROLES = ['primary', 'replica'] as const;
/** Reasons of full synchronisations, as metrics name them. */
export const SYNC_REASON_NAMES: readonly string[] = REPLICATION_QUANTITIES.syncReasons.map(
  ({ label: [, reason] }) => reason,
);

/** Events in a cluster, and reasons of failovers, as metrics name them. */
export const CLUSTER_EVENTS = [
  ...['failover', 'node-up', 'node-down', 'group-added', 'group-removed'],
  ...['replica-added', 'replica-removed', 'slots', 'state', 'coordinator', 'lease'],
  'discarded-writes',
];
export const FAILOVER_KINDS: readonly string[] = CLUSTER_QUANTITIES.failovers.map(
  ({ label: [, reason] }) => reason,
);

/** Duration from which a batch of a shard is notable, in microseconds: later commands have waited for it. */
export const SLOW_BATCH_US = 5_000;
/** A garbage collection that takes longer is notable. */
export const LONG_PAUSE_US = 5_000;

/** Every kind of event. Their order is their number in the recorder: new ones come last. */
export const FLIGHT_KINDS = [
  {
    event: 'slow-batch',
    about:
      'A shard executed a batch of commands for 5 ms or longer; the named command is the last of it.',
    fields: [{ name: 'duration_us' }, { name: 'frames' }, { name: 'command', of: 'command' }],
  },
  {
    event: 'full-ring',
    about:
      'A shard waited for main to read its replies, or main stopped reading sockets for a shard.',
    fields: [{ name: 'waits' }],
  },
  {
    event: 'gc-pause',
    about: 'A garbage collection stopped the thread for more than 5 ms.',
    fields: [{ name: 'duration_us' }, { name: 'kind', of: 'collection' }],
  },
  {
    event: 'eviction-cycle',
    about:
      'A shard evicted keys because of maxmemory; at most one event a second, with the sum since the last.',
    fields: [{ name: 'duration_us' }, { name: 'keys' }],
  },
  {
    event: 'connections-refused',
    about:
      'Connections were refused; at most one event per tick (server.hz), with the sum since the last.',
    fields: [{ name: 'refused' }, { name: 'connected' }, { name: 'max_clients' }],
  },
  {
    event: 'config-change',
    about: 'A setting was changed; the value is shown for numbers, and for yes (1) and no (0).',
    fields: [{ name: 'setting', of: 'setting' }, { name: 'value' }],
  },
  {
    event: 'slow-sync',
    about: 'A sync of a log took 100 ms or longer.',
    fields: [{ name: 'shard' }, { name: 'duration_us' }],
  },
  {
    event: 'snapshot',
    about: 'A snapshot finished.',
    fields: [{ name: 'number' }, { name: 'keys' }, { name: 'bytes' }, { name: 'duration_us' }],
  },
  {
    event: 'snapshot-failed',
    about: 'A snapshot failed; the reason is in the log.',
    fields: [{ name: 'number' }],
  },
  {
    event: 'log-failed',
    about: 'A log cannot be written; with shard -1, no log can: the disk thread has died.',
    fields: [{ name: 'shard' }],
  },
  {
    event: 'log-healed',
    about: 'Log writes resumed after a snapshot.',
    fields: [{ name: 'snapshot' }],
  },
  {
    event: 'role-change',
    about: 'The server became a primary or a replica, with the offset of its stream.',
    fields: [{ name: 'role', of: 'role' }, { name: 'offset' }],
  },
  {
    event: 'primary-link',
    about: 'The link of this replica to its primary changed its state.',
    fields: [{ name: 'state', of: 'primary-link-state' }],
  },
  {
    event: 'replica-state',
    about: 'The link to a replica changed its state; client is the id of its connection.',
    fields: [{ name: 'client' }, { name: 'state', of: 'replica-state' }],
  },
  {
    event: 'sync-begin',
    about: 'A full sync started, with its reason; without a client, this server is the replica.',
    fields: [{ name: 'client' }, { name: 'reason', of: 'sync-reason' }],
  },
  {
    event: 'sync-end',
    about: 'A full sync finished, with its bytes; without a client, this server is the replica.',
    fields: [{ name: 'client' }, { name: 'duration_us' }, { name: 'bytes' }],
  },
  {
    event: 'sync-failed',
    about: 'A full sync failed; without a client, this server is the replica.',
    fields: [{ name: 'client' }, { name: 'duration_us' }],
  },
  {
    event: 'cluster-failover',
    about:
      'A group of the cluster has a new primary, with the reason; own is 1 if it is this node.',
    fields: [{ name: 'reason', of: 'failover-reason' }, { name: 'epoch' }, { name: 'own' }],
  },
  {
    event: 'cluster-change',
    about:
      'The cluster changed as seen by this node; /debug/api/cluster/overview has the history with reasons.',
    fields: [{ name: 'change', of: 'cluster-event' }, { name: 'epoch' }],
  },
] as const satisfies readonly FlightKind[];

export type FlightEvent = (typeof FLIGHT_KINDS)[number]['event'];

/** Recorder of a thread's events. */
export interface FlightRecorder {
  /** `timeUs` is monotonic; the numbers are those of the event's fields, NaN for one that is not known. */
  note(event: FlightEvent, timeUs: number, numbers: readonly number[]): void;
}

/** The memory that events are kept in. */
interface EventStore {
  record(kind: number, timeUs: number, numbers: readonly number[]): void;
}

const NUMBER_OF: ReadonlyMap<FlightEvent, number> = new Map(
  FLIGHT_KINDS.map(({ event }, index) => [event, index]),
);

export function flightRecorder(store: EventStore): FlightRecorder {
  return {
    note(event, timeUs, numbers) {
      store.record(NUMBER_OF.get(event)!, timeUs, numbers);
    },
  };
}

/** Notes a pause of a thread's garbage collection, if it is long. */
export function notesPauses(flight: FlightRecorder) {
  return (endUs: number, us: number, kind: number): void => {
    if (us > LONG_PAUSE_US) flight.note('gc-pause', endUs, [us, kind]);
  };
}

/** Between two events of what may happen thousands of times a second. */
const TALLY_US = 1_000_000;

/** Sums up frequent events, and records them at most once a second; the rest is part of the next record. */
export class Tally {
  readonly #report: (atUs: number, sum: number, more: number) => void;
  #dueUs = 0;
  #sum = 0;
  #more = 0;

  constructor(report: (atUs: number, sum: number, more: number) => void) {
    this.#report = report;
  }

  add(atUs: number, amount: number, more = 0): void {
    this.#sum += amount;
    this.#more += more;
    if (atUs < this.#dueUs) return;
    this.#dueUs = atUs + TALLY_US;
    this.#report(atUs, this.#sum, this.#more);
    this.#sum = 0;
    this.#more = 0;
  }
}
