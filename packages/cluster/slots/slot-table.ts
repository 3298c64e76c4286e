/** Owners of the slots, in a table for fast look-ups. */

import { SLOT_COUNT } from '#base';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import type { Topology } from '../agreement/topology.ts';

/** Codes of slots; others are places in the list of groups. */
export const SlotCode = { own: 0, nobody: 1, first: 2 } as const;

/** Address of the primary of a group; undefined while unknown. */
export interface SlotPlace {
  readonly group: string;
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly hostname: string;
}

export class SlotTable {
  /** Codes of all slots. */
  readonly codes = new Uint16Array(SLOT_COUNT).fill(SlotCode.nobody);
  /** Slots that come here key by key. */
  importing: ReadonlySet<number> = new Set();
  /** This node is its group's primary. */
  isPrimary = false;
  /** True if some slots are not served. */
  hasGaps = true;
  ownGroup = '';
  readonly #places: SlotPlace[] = [];

  /** Returns the place of a code. */
  placeOf(code: number): SlotPlace | undefined {
    return code < SlotCode.first ? undefined : this.#places[code - SlotCode.first];
  }

  /** Applies another topology; withheld slots are not served. */
  update(
    node: Pick<ClusterNode, 'topology' | 'group' | 'isPrimary' | 'id'>,
    withheld: Iterable<number>,
  ): void {
    const { topology, group } = node;
    this.isPrimary = node.isPrimary;
    this.ownGroup = group?.id ?? '';
    this.hasGaps = topology.failedCount > 0;
    this.codes.fill(SlotCode.nobody);
    this.#places.length = 0;
    const codeOfGroup = new Map<string, number>();
    for (const seen of topology.seenBy(node.id)) {
      if (seen.id === this.ownGroup && this.isPrimary) {
        codeOfGroup.set(seen.id, SlotCode.own);
        continue;
      }
      const primary = topology.nodes.get(seen.primary) ?? seen.addresses[seen.primary];
      if (primary === undefined) continue;
      codeOfGroup.set(seen.id, SlotCode.first + this.#places.length);
      this.#places.push({ ...primary, group: seen.id });
    }
    for (const [first, last, owner] of topology.slots.ranges) {
      const code = codeOfGroup.get(owner);
      if (code !== undefined) this.codes.fill(code, first, last + 1);
    }
    for (const slot of withheld) this.codes[slot] = SlotCode.nobody;
    this.importing = importedBy(topology, this.isPrimary ? this.ownGroup : undefined);
  }
}

function importedBy({ slots }: Topology, group: string | undefined): ReadonlySet<number> {
  const imported = Object.entries(slots.open).filter(
    ([, open]) => group !== undefined && open.importedBy === group,
  );
  return new Set(imported.map(([slot]) => Number(slot)));
}
