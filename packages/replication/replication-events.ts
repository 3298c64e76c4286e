/** Events of replication: what links went through and when the role changed, for the history, the flight recorder and LATENCY. */

import { type Clock, Listeners } from '#base';
import {
  type FlightEvent,
  type FlightRecorder,
  type LatencyEvents,
  PRIMARY_LINK_STATES,
  REPLICA_STATES,
  ROLES,
  SYNC_REASON_NAMES,
} from '#stats';
import { type LinkChange, LinkHistory } from './protocol/history.ts';
import type { LinkState } from './protocol/replica/primary-link.ts';
import type { Replica, ReplicaState } from './protocol/primary/replica.ts';
import type { SyncReason } from './protocol/primary/sync-reasons.ts';

interface ReplicationEventsOptions {
  readonly flight: FlightRecorder;
  readonly latency: LatencyEvents;
  readonly clock: Clock;
}

export class ReplicationEvents {
  readonly #options: ReplicationEventsOptions;
  /** Listeners that are called for each change. */
  readonly changes = new Listeners();
  readonly #history = new LinkHistory(() => {
    this.changes.notify();
  });

  constructor(options: ReplicationEventsOptions) {
    this.#options = options;
  }

  /** The latest changes of links and of the role, oldest first. */
  get latest(): readonly LinkChange[] {
    return this.#history.latest;
  }

  /** A link to a replica has another state. */
  replicaChanged(replica: Replica, state: ReplicaState | 'gone', reason: string): void {
    const { id, address } = replica.link;
    this.#note({ link: 'replica', peer: address, client: id, state, reason });
    this.#record('replica-state', [id, REPLICA_STATES.indexOf(state)]);
    const isSyncing = replica.sync.reason !== undefined && replica.state !== 'online';
    if (state === 'gone' && isSyncing) {
      this.#record('sync-failed', [id, this.#usSince(replica.sync.askedMs)]);
    }
  }

  /** The link to the primary has another state, or is ended. */
  primaryChanged(peer: string, state: LinkState | 'ended', reason: string): void {
    this.#note({ link: 'primary', peer, state, reason });
    this.#record('primary-link', [PRIMARY_LINK_STATES.indexOf(state)]);
  }

  roleChanged(role: (typeof ROLES)[number], offset: number, reason: string): void {
    this.#note({ link: 'server', peer: '', state: role, reason });
    this.#record('role-change', [ROLES.indexOf(role), offset]);
  }

  /** A full synchronisation of a replica begins. */
  replicaSyncBegun({ link }: Replica, reason: SyncReason): void {
    this.#record('sync-begin', [link.id, SYNC_REASON_NAMES.indexOf(reason)]);
  }

  replicaSyncEnded({ link, sync }: Replica): void {
    this.#ended(link.id, this.#usSince(sync.askedMs), link.sentBytes - sync.askedBytes);
  }

  /** The server itself gets all data of its primary. */
  ownSyncBegun(): void {
    this.#record('sync-begin', [NaN, -1]);
  }

  /** The server has received all data of its primary, `bytes` bytes. */
  ownSyncEnded(startedMs: number, bytes: number): void {
    this.#ended(NaN, this.#usSince(startedMs), bytes);
  }

  ownSyncFailed(startedMs: number): void {
    this.#record('sync-failed', [NaN, this.#usSince(startedMs)]);
  }

  #ended(client: number, us: number, bytes: number): void {
    const { latency, clock } = this.#options;
    this.#record('sync-end', [client, us, bytes]);
    latency.record('repl-sync', us, clock.wallMs());
  }

  #usSince(ms: number): number {
    return Math.max(0, Math.round(1_000 * (this.#options.clock.wallMs() - ms)));
  }

  #note(change: Omit<LinkChange, 'timeMs'>): void {
    this.#history.note({ timeMs: this.#options.clock.wallMs(), ...change });
  }

  #record(event: FlightEvent, numbers: readonly number[]): void {
    const { flight, clock } = this.#options;
    flight.note(event, clock.nowUs(), numbers);
  }
}
