/** Roles that only a few clients have: replica, primary, monitor, subscriber, tracker. */

import type { RolesPort, Subscriptions, TrackingState } from '#commands';

/** Link of a client that is a replica of this server. */
interface ReplicaConnection {
  /** Bytes buffered for the replica, without those of its connection. */
  readonly heldBytes: number;
  /** Called when the kernel has accepted all output. */
  drained(): void;
  /** This side closes it, for a reason. */
  closing(reason: string): void;
}

export class ClientRoles implements RolesPort {
  /** True when its commands are the stream of this server's primary: they are run even where those of others are refused. */
  isPrimary = false;
  isMonitor = false;
  /** Link as a replica of this server; undefined for others. */
  replica: ReplicaConnection | undefined;
  subscriptions: Subscriptions | undefined;
  tracking: TrackingState | undefined;

  get isReplica(): boolean {
    return this.replica !== undefined;
  }

  /** Bytes buffered for a replica, without those of its connection; 0 for other clients. */
  get heldBytes(): number {
    return this.replica === undefined ? 0 : this.replica.heldBytes;
  }

  /** Reports to the link of a replica why its connection is closed; other clients have none. */
  closing(reason: string): void {
    if (this.replica !== undefined) this.replica.closing(reason);
  }

  /** Notifies the link of a replica that the kernel has accepted all output. */
  drained(): void {
    if (this.replica !== undefined) this.replica.drained();
  }
}

/** Shared by all clients that never had a role; it is never changed. */
export const NO_ROLES: ClientRoles = new ClientRoles();
