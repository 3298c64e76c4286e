/** Slots that are moved key by key, as shards are told of them. */

import type { Topology } from '#cluster';
import type { OpenSlotRule } from '#link';

/** Rules for the primary of a group; none for any other node. */
export function openSlotRules(topology: Topology, group: string | undefined): OpenSlotRule[] {
  if (group === undefined) return [];
  return Object.entries(topology.slots.open).flatMap(([text, open]): OpenSlotRule[] => {
    const slot = Number(text);
    if (topology.owners[slot] === group && open.migratingTo !== undefined) {
      const target = topology.groups.get(open.migratingTo);
      const place = target && topology.nodes.get(target.primary);
      return place === undefined ? [] : [{ slot, target: `${place.host}:${place.port}` }];
    }
    return open.importedBy === group ? [{ slot, target: null }] : [];
  });
}
