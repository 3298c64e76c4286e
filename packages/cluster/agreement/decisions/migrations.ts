/**
 * Decisions about migrations of slots between groups. A migration has a document from its start until its last cleanup.
 * Until it has moved, the source's keys are valid, afterwards the target's; one transaction is the border. A node with
 * invalid keys drops them, and deletes the document.
 */

import { ClusterError } from '../cluster-error.ts';
import type { MigrationDocument, SlotSpan } from '../documents/documents.ts';
import { rangesOf, type SlotOwners } from '../documents/slot-ranges.ts';
import type { Group, SlotMigration, Topology } from '../topology.ts';
import { migrationKey } from '../documents/documents.ts';
import { deleteMigration, putMigration, putSlots, type Plan } from './plan.ts';

/** Move that is wanted. */
interface MoveWish {
  readonly id: string;
  readonly slots: readonly number[];
  /** Node that shall have them. */
  readonly target: string;
}

/** Most moves that begin in one transaction: etcd takes 128 writes and as many conditions. */
const MOVES_MAX = 50;

/** Begins moves of slots that the node's group has, all or none; no slot is in two of them. */
export function beginMoves(topology: Topology, self: string, wishes: readonly MoveWish[]): Plan {
  if (wishes.length > MOVES_MAX) {
    throw new ClusterError(`At most ${MOVES_MAX} migrations can be started at once`);
  }
  const plans = wishes.map((wish) => beginMove(topology, self, wish));
  // The slots and the groups are the same documents in several of them.
  return {
    guards: distinctByKey(plans.flatMap(({ guards }) => guards)),
    writes: distinctByKey(plans.flatMap(({ writes }) => writes)),
  };
}

function distinctByKey<T extends { readonly key: string }>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

/** Begins a move of slots that the node's group has. */
export function beginMove(topology: Topology, self: string, wish: MoveWish): Plan {
  const { slots, target } = wish;
  const own = groupOfPrimary(topology, self, 'You can change slots only on masters.');
  if (topology.groupOf(target) === undefined) {
    throw new ClusterError(`I don't know about node ${target}`);
  }
  const other = groupOfPrimary(topology, target, 'Target node is not a master');
  if (other.id === own.id) throw new ClusterError('The target has the slots already: it is myself');
  for (const slot of slots) {
    if (topology.owners[slot] !== own.id) {
      throw new ClusterError(`I'm not the owner of hash slot ${slot}`);
    }
    if (topology.slots.open[String(slot)] !== undefined) {
      throw new ClusterError(
        `Slot ${slot} is being moved key by key: end that with SETSLOT ${slot} STABLE`,
      );
    }
  }
  return planOfMove(topology, wish, own, other);
}

/** Begins a move of slots to the node's group, from the group that has all of them. */
export function beginImport(
  topology: Topology,
  self: string,
  wish: Omit<MoveWish, 'target'>,
): Plan {
  const { slots } = wish;
  const own = groupOfPrimary(topology, self, 'slot migration not allowed on replica.');
  if (Object.keys(topology.slots.open).length > 0) {
    throw new ClusterError('all slot states must be STABLE to start a slot migration task.');
  }
  demandNoImport(topology, own.id, spansOf(slots));
  let source: string | undefined;
  for (const slot of slots) {
    const owner = topology.owners[slot];
    if (owner === undefined) throw new ClusterError(`slot has no owner: ${slot}`);
    if ((source ??= owner) !== owner) {
      throw new ClusterError('slots belong to different source nodes');
    }
  }
  if (source === own.id) {
    throw new ClusterError('this node is already the owner of the slot range');
  }
  const other = topology.groups.get(source ?? '');
  if (other === undefined) throw new ClusterError('The owner of the slots is unknown');
  return planOfMove(topology, { ...wish, target: self }, other, own);
}

/** Throws where slots are on their way to a group already. */
function demandNoImport(topology: Topology, group: string, spans: readonly SlotSpan[]): void {
  for (const { state, target, ranges } of topology.migrations.values()) {
    if (state !== 'begun' || target !== group) continue;
    const overlap = spans.find(([first, last]) =>
      ranges.some(([from, to]) => from <= last && to >= first),
    );
    if (overlap !== undefined) {
      throw new ClusterError(`overlapping import exists for slot range: ${overlap.join('-')}`);
    }
  }
}

function planOfMove(topology: Topology, wish: MoveWish, source: Group, target: Group): Plan {
  const { id, slots } = wish;
  demandAtRest(topology, slots);
  demandClean(topology, target.id, slots);
  const document: MigrationDocument = {
    source: source.id,
    target: target.id,
    sourceNode: source.primary,
    sourceRun: demandNode(topology, source.primary).run,
    targetNode: wish.target,
    targetRun: demandNode(topology, wish.target).run,
    ranges: spansOf(slots),
    state: 'begun',
    reason: '',
  };
  return {
    guards: [
      topology.guardSlots(),
      topology.guardGroup(source),
      topology.guardGroup(target),
      { key: migrationKey(id), revision: 0 },
    ],
    // The slots are written as they are, so that of two moves that begin at once one looks again.
    writes: [putSlots(topology.slots), putMigration(id, document)],
  };
}

/** Gives the slots to the target, which has all of their keys; only the source does, while it takes no writes to them. */
export function finishMove(topology: Topology, self: string, id: string): Plan {
  const migration = topology.migrations.get(id);
  if (migration?.state !== 'begun') {
    const why = migration?.reason ?? '';
    throw new ClusterError(why === '' ? 'The migration has been ended' : why);
  }
  const own = groupOfPrimary(topology, self, 'This node is no longer a primary');
  if (own.id !== migration.source) throw new ClusterError('The slots belong to another group now');
  const other = groupOfPrimary(topology, migration.targetNode, 'The target is no longer a primary');
  if (demandNode(topology, migration.targetNode).run !== migration.targetRun) {
    throw new ClusterError('The target was restarted');
  }
  const owners: SlotOwners = [...topology.owners];
  for (const slot of slotsOf(migration.ranges)) {
    if (owners[slot] !== own.id) throw new ClusterError(`I'm not the owner of hash slot ${slot}`);
    owners[slot] = other.id;
  }
  return {
    guards: [
      topology.guardSlots(),
      topology.guardGroup(own),
      topology.guardGroup(other),
      topology.guardNode(migration.targetNode),
      topology.guard(migrationKey(id)),
    ],
    writes: [
      putSlots({ ...topology.slots, ranges: rangesOf(owners) }),
      putMigration(id, documentOf({ ...migration, state: 'moved' })),
    ],
  };
}

/** Ends a running migration, for a reason; undefined if it has moved, or was ended before. */
export function failMove(topology: Topology, id: string, reason: string): Plan | undefined {
  const migration = topology.migrations.get(id);
  if (migration?.state !== 'begun') return undefined;
  return {
    guards: [topology.guard(migrationKey(id))],
    writes: [putMigration(id, documentOf({ ...migration, state: 'failed', reason }))],
  };
}

/** Takes a move away of which nothing is left to do. */
export function forgetMove(topology: Topology, id: string): Plan | undefined {
  const migration = topology.migrations.get(id);
  if (migration === undefined || migration.state === 'begun') return undefined;
  return { guards: [topology.guard(migrationKey(id))], writes: [deleteMigration(id)] };
}

/** Id of the group with keys of a migration that must not be served: while it is running, the keys received so far. */
export function uncleanGroup({ state, source, target }: MigrationDocument): string {
  return state === 'moved' ? source : target;
}

/** Returns why a running migration cannot continue; undefined if it can. */
export function moveFault(topology: Topology, migration: SlotMigration): string | undefined {
  const { source, sourceNode, sourceRun, target, targetNode, targetRun } = migration;
  const sides = [
    ['source', source, sourceNode, sourceRun],
    ['target', target, targetNode, targetRun],
  ] as const;
  for (const [side, group, id, run] of sides) {
    if (topology.groups.get(group)?.primary !== id) return `the ${side} is no longer a primary`;
    const node = topology.nodes.get(id);
    if (node !== undefined && node.run !== run) return `the ${side} was restarted`;
  }
  return undefined;
}

/** Throws where any of the slots is on its way to another group. */
export function demandAtRest(topology: Topology, slots: readonly number[]): void {
  const wanted = new Set(slots);
  for (const { id, state, ranges } of topology.migrations.values()) {
    if (state !== 'begun') continue;
    const slot = slotsOf(ranges).find((one) => wanted.has(one));
    if (slot !== undefined) {
      throw new ClusterError(
        `Slot ${slot} is being moved by migration ${id}: wait for it, or cancel it`,
      );
    }
  }
}

/** Throws where a group still has keys of the slots that a move before has left there. */
export function demandClean(topology: Topology, group: string, slots: readonly number[]): void {
  const wanted = new Set(slots);
  for (const migration of topology.migrations.values()) {
    if (uncleanGroup(migration) !== group) continue;
    const slot = slotsOf(migration.ranges).find((one) => wanted.has(one));
    if (slot !== undefined) {
      throw new ClusterError(
        `Slot ${slot} cannot go there yet: keys of migration ${migration.id} are still being dropped`,
      );
    }
  }
}

/** Returns the slots of spans. */
export function slotsOf(spans: readonly SlotSpan[]): number[] {
  return spans.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, nth) => first + nth),
  );
}

/** Returns slots as spans in order. */
export function spansOf(slots: readonly number[]): SlotSpan[] {
  const spans: [number, number][] = [];
  for (const slot of [...slots].sort((one, other) => one - other)) {
    const last = spans.at(-1);
    if (last !== undefined && last[1] === slot - 1) last[1] = slot;
    else spans.push([slot, slot]);
  }
  return spans;
}

function documentOf({ id: _, ...document }: SlotMigration): MigrationDocument {
  return document;
}

function groupOfPrimary(topology: Topology, node: string, refusal: string): Group {
  const group = topology.groupOf(node);
  if (group?.primary !== node) throw new ClusterError(refusal);
  return group;
}

function demandNode(topology: Topology, id: string): { readonly run: string } {
  const node = topology.nodes.get(id);
  if (node === undefined) throw new ClusterError(`Node ${id} is down`);
  return node;
}
