/** Keys of slots, found by a walk that main takes step by step: other commands come in between. */

import { globMatchesAt, keySlot, SLOT_COUNT } from '#base';
import type {
  SlotBytesStep,
  SlotScanQuestion,
  SlotSweep,
  SlotSweepStep,
  SlotWalk,
  SlotWalkStep,
  WalkPlace,
} from '#stats';
import type { Keyspace, Ref, Store } from '#store';

/** Keys looked at in one step: a millisecond or two. */
const KEYS_PER_STEP = 10_000;

/** Returns the number of keys of a slot in one database, or in all; none of a hidden slot. */
export function countSlot(store: Store, slot: number, database: number | null): number {
  if (store.hiddenSlots.has(slot)) return 0;
  const counted = database === null ? store.databases : [store.databases[database]];
  return counted.reduce((sum, keyspace) => sum + (keyspace?.keysOfSlot(slot) ?? 0), 0);
}

/** Takes one step of a walk through the keys of a database. */
export function walkSlot(store: Store, { slot, database, cursor, count }: SlotWalk): SlotWalkStep {
  const keyspace = store.databases[database];
  if (keyspace === undefined || countSlot(store, slot, database) === 0) {
    return { cursor: 0, keys: [] };
  }
  const keys: Uint8Array[] = [];
  let next = cursor;
  let looked = 0;
  do {
    next = keyspace.scan(next, 100, (ref) => {
      looked += 1;
      const { bytes, at, length } = keyspace.key(ref);
      if (keySlot(bytes, at, length) !== slot) return;
      const endMs = keyspace.expireAt(ref);
      if (endMs >= 0 && endMs < store.nowMs) return;
      if (keys.length < count) keys.push(new Uint8Array(bytes.subarray(at, at + length)));
    });
  } while (next !== 0 && looked < KEYS_PER_STEP && keys.length < count);
  return { cursor: next, keys };
}

/** Takes one step of a walk through the keys of a range of slots, with the filters of SCAN. */
export function scanSlots(
  store: Store,
  { first, last, database, place, count, pattern, type }: SlotScanQuestion,
) {
  const keys: Uint8Array[] = [];
  const keyspace = store.databases[database];
  if (keyspace === undefined) return { next: 0, keys };
  const next = keyspace.scan(place, count, (ref) => {
    const { bytes, at, length } = keyspace.key(ref);
    const slot = keySlot(bytes, at, length);
    if (slot < first || slot > last || keyspace.isHidden(ref)) return;
    const endMs = keyspace.expireAt(ref);
    if (endMs >= 0 && endMs < store.nowMs) return;
    if (type !== undefined && keyspace.type(ref) !== type) return;
    if (pattern !== undefined && !globMatchesAt(pattern, bytes, at, length)) return;
    keys.push(new Uint8Array(bytes.subarray(at, at + length)));
  });
  return { next, keys };
}

/** Approximate number of keys that one step of a sweep returns. */
const KEYS_PER_SWEEP = 500;

/** Takes one step of a walk through all databases for the keys of slots that are to be dropped. */
export function sweepSlots(store: Store, { spans, place }: SlotSweep): SlotSweepStep {
  const isSwept = new Uint8Array(SLOT_COUNT);
  for (const [first, last] of spans) isSwept.fill(1, first, last + 1);
  const hasSwept = (keyspace: Keyspace): boolean =>
    isSwept.some((is, slot) => is === 1 && keyspace.keysOfSlot(slot) !== 0);
  const start = placeOf(store, place, hasSwept);
  if (start === null) return { next: null, database: 0, keys: [] };
  const { database } = start;
  const keys: Uint8Array[] = [];
  const take = (keyspace: Keyspace, ref: Ref): void => {
    const { bytes, at, length } = keyspace.key(ref);
    if (isSwept[keySlot(bytes, at, length)] === 1) {
      keys.push(new Uint8Array(bytes.subarray(at, at + length)));
    }
  };
  const cursor = scanStep(store, start, take, () => keys.length >= KEYS_PER_SWEEP);
  return { next: placeAfter(store, database, cursor), database, keys };
}

/** Takes a step of a walk through all databases that adds up what the keys of each slot cost. */
export function slotBytes(store: Store, place: WalkPlace): SlotBytesStep {
  const bytes = new Map<number, number>();
  const start = placeOf(store, place, ({ size }) => size > 0);
  if (start === null) return { next: null, bytes: [] };
  const cursor = scanStep(store, start, (keyspace, ref) => {
    const key = keyspace.key(ref);
    const slot = keySlot(key.bytes, key.at, key.length);
    bytes.set(slot, (bytes.get(slot) ?? 0) + keyspace.recordBytes(ref));
  });
  return { next: placeAfter(store, start.database, cursor), bytes: [...bytes] };
}

/** Takes a step of a scan of one database, until `isEnough`; returns the next cursor. */
function scanStep(
  store: Store,
  { database, cursor }: WalkPlace,
  visit: (keyspace: Keyspace, ref: Ref) => void,
  isEnough: () => boolean = () => false,
): number {
  const keyspace = store.databases[database]!;
  let next = cursor;
  let looked = 0;
  do {
    next = keyspace.scan(next, 100, (ref) => {
      looked += 1;
      visit(keyspace, ref);
    });
  } while (next !== 0 && looked < KEYS_PER_STEP && !isEnough());
  return next;
}

/** Returns the place, or the beginning of the first database from it on that has keys for the walk; null for none. */
function placeOf(
  store: Store,
  place: WalkPlace,
  hasKeys: (keyspace: Keyspace) => boolean,
): WalkPlace | null {
  if (place.cursor !== 0) return place;
  for (let { database } = place; database < store.databases.length; database += 1) {
    if (hasKeys(store.databases[database]!)) return { database, cursor: 0 };
  }
  return null;
}

/** Returns where a walk continues after a step in a database; null after the last database. */
function placeAfter(store: Store, database: number, cursor: number): WalkPlace | null {
  if (cursor !== 0) return { database, cursor };
  return database + 1 < store.databases.length ? { database: database + 1, cursor: 0 } : null;
}
