/** Decisions about which group has which slots. */

import { ClusterError } from '../cluster-error.ts';
import type { OpenSlot, SlotsDocument } from '../documents/documents.ts';
import { rangesOf } from '../documents/slot-ranges.ts';
import type { Group, Topology } from '../topology.ts';
import { demandAtRest, demandClean } from './migrations.ts';
import { putSlots, type Plan } from './plan.ts';

/** Wish of SETSLOT; nodes by their ids. */
type SlotWish =
  | { readonly kind: 'migrating' | 'importing' | 'node'; readonly node: string }
  | { readonly kind: 'stable' };

/** Gives free slots to the node's group. */
export function addSlots(
  topology: Topology,
  self: string,
  slots: readonly number[],
): Plan | undefined {
  const own = ownGroup(topology, self);
  const owners = [...topology.owners];
  demandClean(topology, own.id, slots);
  for (const slot of slots) {
    if (owners[slot] !== undefined) throw new ClusterError(`Slot ${slot} is already busy`);
    owners[slot] = own.id;
  }
  return slotsPlan(topology, own, { ...topology.slots, ranges: rangesOf(owners) });
}

/** Plans the removal of slots from the node's group; they are unassigned then. */
export function deleteSlots(
  topology: Topology,
  self: string,
  slots: readonly number[],
): Plan | undefined {
  const own = ownGroup(topology, self);
  const owners = [...topology.owners];
  const open = { ...topology.slots.open };
  demandAtRest(topology, slots);
  for (const slot of slots) {
    const owner = owners[slot];
    if (owner === undefined) throw new ClusterError(`Slot ${slot} is already unassigned`);
    if (owner !== own.id) {
      throw new ClusterError(
        `Slot ${slot} belongs to another node, and only that node can release it`,
      );
    }
    owners[slot] = undefined;
    Reflect.deleteProperty(open, String(slot));
  }
  return slotsPlan(topology, own, { ranges: rangesOf(owners), open });
}

/** Opens a slot for a move key by key, or closes it, or gives it to the node that it was moved to. */
export function setSlot(
  topology: Topology,
  self: string,
  slot: number,
  wish: SlotWish,
): Plan | undefined {
  // Redis' wording: redis-cli moves a last slot, notifies the source of it, and takes this for success.
  const own = ownGroup(topology, self, 'Please use SETSLOT only with masters.');
  const owner = topology.owners[slot];
  const before = topology.slots.open[String(slot)] ?? {};
  demandAtRest(topology, [slot]);
  switch (wish.kind) {
    case 'stable': {
      const { migratingTo, importedBy } = before;
      const after =
        owner === own.id
          ? sideOf({ importedBy })
          : importedBy === own.id
            ? sideOf({ migratingTo })
            : before;
      return openPlan(topology, own, slot, after);
    }
    case 'migrating':
      if (owner !== own.id) throw new ClusterError(`I'm not the owner of hash slot ${slot}`);
      return openPlan(topology, own, slot, {
        ...before,
        migratingTo: targetGroup(topology, wish.node).id,
      });
    case 'importing':
      if (owner === own.id) throw new ClusterError(`I'm already the owner of hash slot ${slot}`);
      targetGroup(topology, wish.node);
      demandClean(topology, own.id, [slot]);
      return openPlan(topology, own, slot, { ...before, importedBy: own.id });
    case 'node':
      return giveSlot(topology, own, slot, wish.node);
  }
}

/**
 * Plans the assignment of a slot to a node. A slot of another group can only be assigned to the node to which that group is
 * migrating it (SETSLOT MIGRATING): that node accepts no key that it has not received, so no write is lost until the group
 * is notified.
 */
function giveSlot(topology: Topology, own: Group, slot: number, node: string): Plan | undefined {
  const target = targetGroup(topology, node);
  demandClean(topology, target.id, [slot]);
  const owner = topology.owners[slot];
  const { migratingTo } = topology.slots.open[String(slot)] ?? {};
  if (owner !== undefined && owner !== target.id && owner !== own.id && migratingTo !== target.id) {
    throw new ClusterError(
      `Slot ${slot} is served by another node: begin with SETSLOT ${slot} MIGRATING there`,
    );
  }
  const owners = [...topology.owners];
  owners[slot] = target.id;
  const open = { ...topology.slots.open };
  Reflect.deleteProperty(open, String(slot));
  return slotsPlan(topology, own, { ranges: rangesOf(owners), open });
}

function openPlan(topology: Topology, own: Group, slot: number, after: OpenSlot): Plan | undefined {
  const open = { ...topology.slots.open };
  if (Object.keys(after).length === 0) Reflect.deleteProperty(open, String(slot));
  else open[String(slot)] = after;
  return slotsPlan(topology, own, { ...topology.slots, open });
}

/** Leaves out what is not there. */
function sideOf({
  migratingTo,
  importedBy,
}: { [Side in keyof OpenSlot]: string | undefined }): OpenSlot {
  return {
    ...(migratingTo === undefined ? {} : { migratingTo }),
    ...(importedBy === undefined ? {} : { importedBy }),
  };
}

function slotsPlan(topology: Topology, own: Group, after: SlotsDocument): Plan | undefined {
  if (JSON.stringify(after) === JSON.stringify(topology.slots)) return undefined;
  return {
    guards: [topology.guardSlots(), topology.guardGroup(own)],
    writes: [putSlots(after)],
  };
}

/** The node's group, whose primary it must be. */
function ownGroup(
  topology: Topology,
  self: string,
  refusal = 'You can change slots only on masters.',
): Group {
  const own = topology.groupOf(self);
  if (own?.primary !== self) throw new ClusterError(refusal);
  return own;
}

function targetGroup(topology: Topology, node: string): Group {
  const group = topology.groupOf(node);
  if (group === undefined) throw new ClusterError(`I don't know about node ${node}`);
  if (group.primary !== node) throw new ClusterError('Target node is not a master');
  return group;
}
