/** Slots by group: whose a slot is, its colour, and ranges in words. */

interface SlotOwner {
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

export const SLOTS = 16_384;
/** Colours that the style sheet has for groups. */
const COLOURS = 8;
/** Ranges that are written out. */
const RANGES_MAX = 12;

/** Name of the colour of a group, by its place in the list; of more than eight some have the same. */
export function colourOfGroup(index: number): string {
  return `c${(index % COLOURS) + 1}`;
}

/** Place of the group that has a slot; undefined where none has. */
export function groupAt(groups: readonly SlotOwner[], slot: number): number | undefined {
  const index = groups.findIndex(({ ranges }) =>
    ranges.some(([first, last]) => slot >= first && slot <= last),
  );
  return index < 0 ? undefined : index;
}

export function rangesInWords(ranges: SlotOwner['ranges']): string {
  const words = ranges
    .slice(0, RANGES_MAX)
    .map(([first, last]) => (first === last ? String(first) : `${first}-${last}`));
  const more = ranges.length - words.length;
  return more > 0 ? `${words.join(', ')} and ${more} more` : words.join(', ');
}
