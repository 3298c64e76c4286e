/** Decisions as transactions: all writes if all conditions hold, else none. */

import type { Guard, Write } from '../coordinator/coordinator.ts';
import {
  groupKey,
  IDENTITY_KEY,
  migrationKey,
  SLOTS_KEY,
  type GroupDocument,
  type MigrationDocument,
  type SlotsDocument,
} from '../documents/documents.ts';

export interface Plan {
  readonly guards: readonly Guard[];
  readonly writes: readonly Write[];
}

/** Returns the write of a group's document. */
export function putGroup(id: string, document: GroupDocument): Write {
  const { primary, replicas, addresses, hasMet, handover, reason } = document;
  const members = new Set([primary, ...replicas]);
  const kept = Object.entries(addresses).filter(([node]) => members.has(node));
  const value = {
    primary,
    replicas,
    addresses: Object.fromEntries(kept),
    hasMet,
    handover,
    reason,
  };
  return { key: groupKey(id), value: JSON.stringify(value) };
}

/** Returns the write that ends a group. */
export function deleteGroup(id: string): Write {
  return { key: groupKey(id), value: undefined };
}

/** Returns the write of the document of slots. */
export function putSlots(document: SlotsDocument): Write {
  return { key: SLOTS_KEY, value: JSON.stringify(document) };
}

/** Returns the write of a migration's document. */
export function putMigration(id: string, document: MigrationDocument): Write {
  return { key: migrationKey(id), value: JSON.stringify(document) };
}

/** Returns the write that ends a migration, of which nothing is left to do. */
export function deleteMigration(id: string): Write {
  return { key: migrationKey(id), value: undefined };
}

/** Returns the write that gives the cluster its identity. */
export function putIdentity(id: string): Write {
  return { key: IDENTITY_KEY, value: JSON.stringify({ id }) };
}
