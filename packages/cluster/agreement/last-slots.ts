/** Watches over the slots of a node's group: who has taken the last of them. */

import type { Topology } from './topology.ts';

export class LastSlots {
  /** Group that took the node's last slot; undefined while the node has slots, or if no group took it. */
  takenBy: string | undefined;

  /** Takes note of a topology that comes after another. */
  note(before: Topology, now: Topology, self: string): void {
    const own = now.groupOf(self);
    if (own === undefined || now.slotsOf(own.id).length > 0) {
      this.takenBy = undefined;
      return;
    }
    const last = before.slotsOf(own.id).at(-1);
    if (last !== undefined) this.takenBy = now.owners[last[1]];
  }
}
