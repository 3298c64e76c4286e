/** Documents that the nodes of a cluster agree on, and their forms as text. */

import { ClusterError } from '../cluster-error.ts';
import { slotRangesFault, type SlotRange } from './slot-ranges.ts';

/** Document of a node that is up; it is deleted with the node's lease. */
export interface NodeDocument {
  readonly host: string;
  readonly port: number;
  /** 0 where it has no port for TLS. */
  readonly tlsPort: number;
  readonly hostname: string;
  /** Name of the node for humans; missing or empty without one. */
  readonly nodename?: string;
  /** Availability zone; missing or empty without one. */
  readonly zone?: string;
  readonly version: string;
  /** Random id of each start, which distinguishes a restarted node from the previous process. */
  readonly run: string;
  /** Id of the stream of replication that it is in, and its offset there; -1 while it has no data. */
  readonly streamId: string;
  readonly offset: number;
  /** Revision of its group's document at which it is a candidate for the primary role; -1 if it is none. */
  readonly standsFor: number;
  /** True if it never takes over the primary role automatically. */
  readonly noFailover: boolean;
  /** Address of its HTTP side, `http://host:port`; missing or empty where it has none. */
  readonly http?: string;
}

/** Address of a member that may be away. */
export interface MemberAddress {
  readonly host: string;
  readonly port: number;
  readonly tlsPort: number;
  readonly hostname: string;
  /** Name of the node for humans; missing or empty without one. */
  readonly nodename?: string;
  /** Availability zone; missing or empty without one. */
  readonly zone?: string;
}

/** Nodes that have the same keys. Only compare-and-put changes it. */
export interface GroupDocument {
  /** Id of a node. */
  readonly primary: string;
  readonly replicas: readonly string[];
  readonly addresses: Readonly<Record<string, MemberAddress>>;
  /** True once it has met others: before, its nodes see only themselves. */
  readonly hasMet: boolean;
  /** A replica that has asked to be the primary. */
  readonly handover: Handover | undefined;
  /** Reason of the last change of the primary, for reports. */
  readonly reason: string;
}

export interface Handover {
  readonly target: string;
  /** The primary does not wait until the replica has all of its data. */
  readonly isForced: boolean;
}

/** A slot that is moved key by key. Both sides are opened by themselves; ids of groups. */
export interface OpenSlot {
  /** Its owner sends those on whose keys it does not have. */
  readonly migratingTo?: string;
  /** Takes those that the owner has sent on. */
  readonly importedBy?: string;
}

/** Slots of all groups. */
export interface SlotsDocument {
  readonly ranges: readonly SlotRange[];
  /** Slots that are being moved key by key, by their numbers. */
  readonly open: Readonly<Record<string, OpenSlot>>;
}

/** Slots that are handed over to another group as a whole; ids of groups and nodes. It goes when nothing is left to do. */
export interface MigrationDocument {
  readonly source: string;
  readonly target: string;
  /** Primaries that perform it, with the ids of their processes: their successors do not continue it. */
  readonly sourceNode: string;
  readonly sourceRun: string;
  readonly targetNode: string;
  readonly targetRun: string;
  readonly ranges: readonly SlotSpan[];
  /**
   * While it is running, the source has the slots. Then it has moved, and the source drops its keys; or it has failed,
   * and the target drops the keys it has received.
   */
  readonly state: 'begun' | 'moved' | 'failed';
  /** Reason of the failure; empty before. */
  readonly reason: string;
}

/** First and last slot. */
export type SlotSpan = readonly [first: number, last: number];

/** Identity of a cluster, which distinguishes it from others. The first node writes it, and it never changes. */
export interface IdentityDocument {
  readonly id: string;
}

export const NO_SLOTS: SlotsDocument = { ranges: [], open: {} };

export const SLOTS_KEY = 'slots';
export const IDENTITY_KEY = 'identity';

/** Returns the key of a node's document. */
export function nodeKey(id: string): string {
  return `nodes/${id}`;
}

/** Returns the key of a group's document. */
export function groupKey(id: string): string {
  return `groups/${id}`;
}

/** Returns the key of a migration's document. */
export function migrationKey(id: string): string {
  return `migrations/${id}`;
}

type Shape = Readonly<Record<string, 'string' | 'number' | 'boolean' | 'object' | 'array'>>;

const NODE: Shape = {
  host: 'string',
  port: 'number',
  tlsPort: 'number',
  hostname: 'string',
  version: 'string',
  run: 'string',
  streamId: 'string',
  offset: 'number',
  standsFor: 'number',
  noFailover: 'boolean',
};
const GROUP: Shape = {
  primary: 'string',
  replicas: 'array',
  addresses: 'object',
  hasMet: 'boolean',
  reason: 'string',
};
const MIGRATION: Shape = {
  source: 'string',
  target: 'string',
  sourceNode: 'string',
  sourceRun: 'string',
  targetNode: 'string',
  targetRun: 'string',
  ranges: 'array',
  state: 'string',
  reason: 'string',
};
const IDENTITY: Shape = { id: 'string' };
const SLOTS: Shape = { ranges: 'array', open: 'object' };

/** Reads a node's document; throws a {@link ClusterError} if it is invalid. */
export function readNode(key: string, text: string): NodeDocument {
  return read(key, text, NODE) as unknown as NodeDocument;
}

/** Reads a group's document; throws a {@link ClusterError} if it is invalid. */
export function readGroup(key: string, text: string): GroupDocument {
  const group = read(key, text, GROUP) as unknown as GroupDocument;
  return { ...group, handover: group.handover };
}

/** Reads the identity of a cluster; throws a {@link ClusterError} if it is invalid. */
export function readIdentity(key: string, text: string): IdentityDocument {
  return read(key, text, IDENTITY) as unknown as IdentityDocument;
}

/** Reads the document of slots; throws a {@link ClusterError} if it is invalid. */
export function readSlots(key: string, text: string): SlotsDocument {
  const slots = read(key, text, SLOTS) as unknown as SlotsDocument;
  const fault = slotRangesFault(slots.ranges);
  if (fault !== undefined) throw foreign(key, fault);
  return slots;
}

/** Reads a migration's document; throws a {@link ClusterError} if it is invalid. */
export function readMigration(key: string, text: string): MigrationDocument {
  const migration = read(key, text, MIGRATION) as unknown as MigrationDocument;
  const fault = slotRangesFault(migration.ranges.map(([first, last]) => [first, last, '']));
  if (fault !== undefined) throw foreign(key, fault);
  return migration;
}

function read(key: string, text: string, shape: Shape): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw foreign(key, 'it is no JSON');
  }
  if (typeof value !== 'object' || value === null) throw foreign(key, 'it is no object');
  const fields = value as Record<string, unknown>;
  for (const [name, kind] of Object.entries(shape)) {
    const field = fields[name];
    const isRight =
      kind === 'array' ? Array.isArray(field) : typeof field === kind && field !== null;
    if (!isRight) throw foreign(key, `${name} is missing, or is no ${kind}`);
  }
  return fields;
}

function foreign(key: string, fault: string): ClusterError {
  return new ClusterError(`The coordinator's document ${key} is invalid: ${fault}`);
}
