/** Keys of slots, found by a walk that main takes step by step: other commands come in between. */

import { keySlot, SLOT_COUNT } from '#base';
import type { SlotSweep, SlotWalk, SlotWalkStep } from '#stats';
import type { Store } from '#store';

/** Keys looked at in one step: a millisecond or two. */
const KEYS_PER_STEP = 10_000;

/** Takes one step of a walk through the keys of database 0. */
export function walkSlot(store: Store, { slot, cursor, count }: SlotWalk): SlotWalkStep {
  if (store.hiddenSlots.has(slot)) return { cursor: 0, found: 0, keys: [] };
  const keyspace = store.databases[0]!;
  const total = keyspace.slotKeys?.[slot];
  if (total === 0) return { cursor: 0, found: 0, keys: [] };
  const keys: Uint8Array[] = [];
  let found = 0;
  let next = cursor;
  let looked = 0;
  do {
    next = keyspace.scan(next, 100, (ref) => {
      looked += 1;
      const { bytes, at, length } = keyspace.key(ref);
      if (keySlot(bytes, at, length) !== slot) return;
      const endMs = keyspace.expireAt(ref);
      if (endMs >= 0 && endMs < store.nowMs) return;
      found += 1;
      if (keys.length < count) keys.push(new Uint8Array(bytes.subarray(at, at + length)));
    });
  } while (next !== 0 && looked < KEYS_PER_STEP && (count === 0 || keys.length < count));
  return { cursor: next, found, keys };
}

/** Approximate number of keys that one step of a sweep returns. */
const KEYS_PER_SWEEP = 500;

/** Takes one step of a walk for the keys of slots that are to be dropped. */
export function sweepSlots(
  store: Store,
  { spans, cursor }: SlotSweep,
): Omit<SlotWalkStep, 'found'> {
  const keyspace = store.databases[0]!;
  const isSwept = new Uint8Array(SLOT_COUNT);
  for (const [first, last] of spans) isSwept.fill(1, first, last + 1);
  const keys: Uint8Array[] = [];
  let next = cursor;
  let looked = 0;
  do {
    next = keyspace.scan(next, 100, (ref) => {
      looked += 1;
      const { bytes, at, length } = keyspace.key(ref);
      if (isSwept[keySlot(bytes, at, length)] === 1) {
        keys.push(new Uint8Array(bytes.subarray(at, at + length)));
      }
    });
  } while (next !== 0 && looked < KEYS_PER_STEP && keys.length < KEYS_PER_SWEEP);
  return { cursor: next, keys };
}
