/** Slots that are migrated key by key, in the form sent to shards. */

import { endpointOf, type EndpointType } from '#commands';
import type { OpenSlotRule } from '#link';
import type { Topology } from './agreement/topology.ts';

/** Rules for the primary of a group; none for any other node. */
export function openSlotRules(
  topology: Topology,
  group: string | undefined,
  endpoints: EndpointType,
): OpenSlotRule[] {
  if (group === undefined) return [];
  return Object.entries(topology.slots.open).flatMap(([text, open]): OpenSlotRule[] => {
    const slot = Number(text);
    if (topology.owners[slot] === group && open.migratingTo !== undefined) {
      const target = topology.groups.get(open.migratingTo);
      const place = target && topology.nodes.get(target.primary);
      if (place === undefined) return [];
      const endpoint = endpointOf(endpoints, place);
      const plain = `${endpoint}:${place.port}`;
      const secure = place.tlsPort === 0 ? plain : `${endpoint}:${place.tlsPort}`;
      return [{ slot, target: { plain, secure } }];
    }
    return open.importedBy === group ? [{ slot, target: null }] : [];
  });
}
