/** Replication role of the server, sent by main in order with the commands. */

import type { ShardSettings } from '#commands';

/** Slot of a client that there is none of. */
const NOBODY = -1;

export class Role {
  /** True while this server is a replica. */
  isReplica = false;
  /** Slot of the client that represents the primary. */
  primary = NOBODY;

  /** A primary has fewer good replicas than writes need. */
  hasFewReplicas = false;

  /** A replica has no link to its primary, and its data are not to be seen while they may be old. */
  isStale = false;

  /** Clients that bring keys of slots which are on their way here. */
  importers: ReadonlySet<number> = new Set();

  /** True for clients that send changes of another server, which also decides when keys expire. */
  isReported(slot: number): boolean {
    return slot === this.primary || this.importers.has(slot);
  }

  /** Sets the role; `primary` is undefined while no stream comes. */
  change(isReplica: boolean, primary: number | undefined): void {
    this.isReplica = isReplica;
    this.primary = primary ?? NOBODY;
  }

  /** True when commands of the client in a slot may not write. */
  refusesWrites(slot: number, settings: Pick<ShardSettings, 'boolean'>): boolean {
    return this.isReplica && slot !== this.primary && settings.boolean('replication.read-only');
  }

  /** True when nothing is to be written for want of replicas. */
  get lacksReplicas(): boolean {
    return this.hasFewReplicas && !this.isReplica;
  }
}
