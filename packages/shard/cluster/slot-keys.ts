/** Keys of slots, found by a walk that main takes step by step: other commands come in between. */

import { keySlot } from '#base';
import type { SlotWalk, SlotWalkStep } from '#stats';
import type { Store } from '#store';

/** Keys looked at in one step: a millisecond or two. */
const KEYS_PER_STEP = 10_000;

/** Takes one step of a walk through the keys of database 0. */
export function walkSlot(store: Store, { slot, cursor, count }: SlotWalk): SlotWalkStep {
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
