/** Slots by group, as ranges in order: of a map of 16,384 slots a few dozen numbers are left. */

import { SLOT_COUNT } from '#base';

/** First slot, last slot, and the id of the group that has them. */
export type SlotRange = readonly [first: number, last: number, group: string];

/** Group of every slot; undefined for an unassigned one. */
export type SlotOwners = (string | undefined)[];

/** Returns the group of every slot. */
export function ownersOf(ranges: readonly SlotRange[]): SlotOwners {
  const owners: SlotOwners = new Array<string | undefined>(SLOT_COUNT).fill(undefined);
  for (const [first, last, group] of ranges) owners.fill(group, first, last + 1);
  return owners;
}

/** Returns the ranges of a map. */
export function rangesOf(owners: SlotOwners): SlotRange[] {
  const ranges: SlotRange[] = [];
  for (let first = 0; first < SLOT_COUNT;) {
    const group = owners[first];
    let last = first;
    while (last + 1 < SLOT_COUNT && owners[last + 1] === group) last += 1;
    if (group !== undefined) ranges.push([first, last, group]);
    first = last + 1;
  }
  return ranges;
}

/** Returns the fault of invalid ranges; undefined if they are valid. */
export function slotRangesFault(ranges: readonly unknown[]): string | undefined {
  let next = 0;
  for (const range of ranges) {
    if (!Array.isArray(range) || range.length !== 3) return 'a range has three parts';
    const [first, last, group] = range as unknown[];
    if (!Number.isInteger(first) || !Number.isInteger(last) || typeof group !== 'string') {
      return 'a range is two slots and a group';
    }
    const [from, to] = [first as number, last as number];
    if (from < next || to < from || to >= SLOT_COUNT) return 'the ranges are not in order';
    next = to + 1;
  }
  return undefined;
}
