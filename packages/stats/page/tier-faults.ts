/** Faults of the warm tier's disk, by the number that pages have of them. */

/** Words for them. */
export const TIER_FAULTS = ['none', 'full', 'unwritable', 'vanished', 'dead'] as const;

/** Sentences about them. */
export const TIER_FAULT_TEXTS: Readonly<Record<string, string>> = {
  full: 'the disk of the warm tier is full: no more values are spilled',
  unwritable: 'the disk of the warm tier cannot be written: no more values are spilled',
  vanished:
    'the folder of the warm tier is missing: its open file is used until the folder can be created again',
  dead: 'a thread of the warm tier died: values of its shards cannot be read',
};
