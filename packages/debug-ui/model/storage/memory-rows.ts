/** Rows of the tree of memory, in the order in which they are shown. */

import type { MemoryPart } from '../api.ts';

export interface TreeRow {
  /** Names from the root, joined: unique. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly about: string | null;
  readonly depth: number;
}

/** Parts follow their whole, the biggest first. */
export function flattened(part: MemoryPart, depth = 0, parent = ''): readonly TreeRow[] {
  const path = `${parent}/${part.name}`;
  const { name, bytes, about } = part;
  const parts = [...part.parts].sort((a, b) => b.bytes - a.bytes);
  const rows = parts.flatMap((each) => flattened(each, depth + 1, path));
  return [{ path, name, bytes, about, depth }, ...rows];
}
