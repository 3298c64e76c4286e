/**
 * The sizes that cells come in: steps of eight bytes to 256, then steps of an eighth, each snapped to
 * the largest size of which as many fit into a slab.
 */
import { CELL_BYTES_MAX, SLAB_BYTES, SLAB_HEAD_BYTES, UNIT_BYTES } from './limits.ts';

const CELL_BYTES_MIN = 16;
const EXACT_BYTES_MAX = 256;
const GROWTH = 1.125;
const SLAB_CELL_BYTES = SLAB_BYTES - SLAB_HEAD_BYTES;

/** Bytes of a cell, by class. */
export const CLASS_BYTES = Int32Array.from(cellSizes());
/** Cells in a slab, by class. */
export const CLASS_CELLS = CLASS_BYTES.map((bytes) => Math.floor(SLAB_CELL_BYTES / bytes));
export const CLASS_COUNT = CLASS_BYTES.length;

const CLASS_OF_UNITS = new Uint8Array(CELL_BYTES_MAX / UNIT_BYTES + 1);
for (let units = 0, index = 0; units < CLASS_OF_UNITS.length; units += 1) {
  if (units * UNIT_BYTES > CLASS_BYTES[index]!) index += 1;
  CLASS_OF_UNITS[units] = index;
}

/** The class whose cells hold `bytes`, which is at most CELL_BYTES_MAX. */
export function classOf(bytes: number): number {
  return CLASS_OF_UNITS[(bytes + UNIT_BYTES - 1) >>> 3]!;
}

function cellSizes(): number[] {
  const sizes: number[] = [];
  for (let bytes = CELL_BYTES_MIN; bytes <= EXACT_BYTES_MAX; bytes += UNIT_BYTES) sizes.push(bytes);
  let last = EXACT_BYTES_MAX;
  while (last < CELL_BYTES_MAX) {
    const count = Math.floor(SLAB_CELL_BYTES / last);
    const fewer = Math.min(count - 1, Math.ceil(SLAB_CELL_BYTES / (last * GROWTH)));
    const next = Math.floor(SLAB_CELL_BYTES / fewer / UNIT_BYTES) * UNIT_BYTES;
    if (next > last) sizes.push(next);
    last = next;
  }
  return sizes;
}
