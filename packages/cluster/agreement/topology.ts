/** Immutable view of all documents of the coordinator at one revision. A change creates a new one. */

import { SLOT_COUNT } from '#base';
import type { Change, Entry, Guard } from './coordinator/coordinator.ts';
import {
  groupKey,
  IDENTITY_KEY,
  NO_SLOTS,
  nodeKey,
  readGroup,
  readIdentity,
  readMigration,
  readNode,
  readSlots,
  SLOTS_KEY,
  type GroupDocument,
  type IdentityDocument,
  type MemberAddress,
  type MigrationDocument,
  type NodeDocument,
  type SlotsDocument,
} from './documents/documents.ts';
import { ownersOf, type SlotOwners, type SlotRange } from './documents/slot-ranges.ts';

/** A document with the revision that wrote it. */
interface Known<Document> {
  readonly document: Document;
  readonly revision: number;
}

export interface Group extends GroupDocument {
  readonly id: string;
  /** Revision of the document: the group's epoch. */
  readonly revision: number;
}

/** A move of slots from group to group. */
export interface SlotMigration extends MigrationDocument {
  readonly id: string;
}

/** A member of a group in reports. */
export interface Member {
  readonly id: string;
  readonly group: Group;
  readonly isPrimary: boolean;
  /** Undefined while the node has no lease: it is away. */
  readonly node: NodeDocument | undefined;
  readonly address: MemberAddress;
  /** Ranges of slots; empty for replicas. */
  readonly slots: readonly SlotRange[];
}

export class Topology {
  /** Revision of the coordinator up to which the picture is complete. */
  readonly revision: number;
  readonly nodes: ReadonlyMap<string, NodeDocument>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly migrations: ReadonlyMap<string, SlotMigration>;
  readonly slots: SlotsDocument;
  /** Id of the cluster; empty while the coordinator has none. */
  readonly clusterId: string;
  readonly #known: ReadonlyMap<string, Known<unknown>>;
  #owners: SlotOwners | undefined;
  #assignedCount: number | undefined;
  #groupOfNode: Map<string, Group> | undefined;

  private constructor(revision: number, known: ReadonlyMap<string, Known<unknown>>) {
    this.revision = revision;
    this.#known = known;
    const nodes = new Map<string, NodeDocument>();
    const groups = new Map<string, Group>();
    const migrations = new Map<string, SlotMigration>();
    for (const [key, { document, revision: written }] of known) {
      const [kind, id = ''] = key.split('/');
      if (kind === 'nodes') nodes.set(id, document as NodeDocument);
      if (kind === 'groups') {
        groups.set(id, { ...(document as GroupDocument), id, revision: written });
      }
      if (kind === 'migrations') migrations.set(id, { ...(document as MigrationDocument), id });
    }
    this.nodes = nodes;
    this.groups = groups;
    this.migrations = migrations;
    this.slots = (known.get(SLOTS_KEY)?.document as SlotsDocument | undefined) ?? NO_SLOTS;
    const identity = known.get(IDENTITY_KEY)?.document as IdentityDocument | undefined;
    this.clusterId = identity?.id ?? '';
  }

  static readonly nothing = new Topology(0, new Map());

  /** Creates a topology from all documents; throws a ClusterError for invalid ones. */
  static of(entries: readonly Entry[], revision: number): Topology {
    const known = new Map<string, Known<unknown>>();
    for (const { key, value, revision: written } of entries) learn(known, key, value, written);
    return new Topology(revision, known);
  }

  /** Returns the topology after changes. */
  with(changes: readonly Change[], revision: number): Topology {
    if (revision <= this.revision) return this;
    const known = new Map(this.#known);
    for (const { key, value, revision: written } of changes) {
      // The change may be part of this topology already.
      if (written <= this.revision) continue;
      if (value === undefined) known.delete(key);
      else learn(known, key, value, written);
    }
    return new Topology(Math.max(revision, this.revision), known);
  }

  /** Returns the condition that a document has the same revision as here. */
  guard(key: string): Guard {
    return { key, revision: this.#known.get(key)?.revision ?? 0 };
  }

  guardSlots(): Guard {
    return this.guard(SLOTS_KEY);
  }

  guardGroup({ id }: Group): Guard {
    return this.guard(groupKey(id));
  }

  /** Returns the condition that a node's document has the same revision as here; 0 if the node has no lease. */
  guardNode(id: string): Guard {
    return this.guard(nodeKey(id));
  }

  /** The group of each slot. */
  get owners(): SlotOwners {
    this.#owners ??= ownersOf(this.slots.ranges);
    return this.#owners;
  }

  get assignedCount(): number {
    this.#assignedCount ??= this.owners.reduce(
      (count, owner) => count + Number(owner !== undefined),
      0,
    );
    return this.#assignedCount;
  }

  /** The group that a node belongs to. */
  groupOf(node: string): Group | undefined {
    if (this.#groupOfNode === undefined) {
      this.#groupOfNode = new Map();
      for (const group of this.groups.values()) {
        for (const id of [group.primary, ...group.replicas]) this.#groupOfNode.set(id, group);
      }
    }
    return this.#groupOfNode.get(node);
  }

  slotsOf(group: string): readonly SlotRange[] {
    return this.slots.ranges.filter(([, , owner]) => owner === group);
  }

  /** Groups that a node sees: its own alone, until that has met the others. */
  seenBy(node: string): readonly Group[] {
    const own = this.groupOf(node);
    if (own === undefined) return [];
    if (!own.hasMet) return [own];
    return [...this.groups.values()].filter(({ hasMet }) => hasMet);
  }

  /** Members that a node sees. */
  membersSeenBy(node: string): readonly Member[] {
    return this.seenBy(node).flatMap((group) => this.#membersOf(group));
  }

  #membersOf(group: Group): readonly Member[] {
    return [group.primary, ...group.replicas].map((id, nth) => {
      const node = this.nodes.get(id);
      const address = node ?? group.addresses[id] ?? NOWHERE;
      const slots = nth === 0 ? this.slotsOf(group.id) : [];
      return { id, group, isPrimary: nth === 0, node, address, slots };
    });
  }

  member(node: string): Member | undefined {
    const group = this.groupOf(node);
    return group && this.#membersOf(group).find(({ id }) => id === node);
  }

  /** Number of slots that are not served: unassigned, or without a primary with a lease. */
  get failedCount(): number {
    let failed = SLOT_COUNT - this.assignedCount;
    for (const [first, last, owner] of this.slots.ranges) {
      const group = this.groups.get(owner);
      if (group === undefined || !this.nodes.has(group.primary)) failed += last - first + 1;
    }
    return failed;
  }
}

const NOWHERE: MemberAddress = { host: '', port: 0, tlsPort: 0, hostname: '' };

function learn(
  known: Map<string, Known<unknown>>,
  key: string,
  text: string,
  revision: number,
): void {
  const reader = readerOf(key);
  if (reader !== undefined) known.set(key, { document: reader(key, text), revision });
}

function readerOf(key: string): ((key: string, text: string) => unknown) | undefined {
  if (key === SLOTS_KEY) return readSlots;
  if (key === IDENTITY_KEY) return readIdentity;
  if (key.startsWith('nodes/')) return readNode;
  if (key.startsWith('migrations/')) return readMigration;
  return key.startsWith('groups/') ? readGroup : undefined;
}
