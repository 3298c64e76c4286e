/**
 * Resident memory of the process by the kind of each mapping, as reported by Linux in /proc/self/smaps. The kind of a
 * mapping is derived from how Node, V8 and glibc allocate memory:
 *
 *   files    a path: the program, its libraries
 *   code     anonymous and executable: what V8 has compiled
 *   stacks   the main thread's; a mapping behind a guard page of 4 KiB
 *   link     the one mapping of the link memory's size: rings, read buffer, reply blocks, as far as they were touched
 *   heaps    begins at a multiple of 256 KiB, V8's page
 *   malloc   the break; arenas, which begin and end at multiples of 64 MiB; blocks too large for them
 *   other    none of these
 *
 * Blocks of another allocator, such as jemalloc's, that begin at such a multiple are counted as heaps.
 */

import { readFileSync } from 'node:fs';

type MemoryKind = 'files' | 'code' | 'stacks' | 'link' | 'heaps' | 'malloc' | 'other';
/** Resident bytes of each kind. */
export type MemoryMap = Readonly<Record<MemoryKind, number>>;

const KIB = 1024;
const GUARD_BYTES = 4 * KIB;
const HEAP_PAGE_BYTES = 256 * KIB;
const ARENA_BYTES = 64 * 1024 * KIB;

interface Mapping {
  readonly start: number;
  readonly end: number;
  readonly rights: string;
  readonly name: string;
  rssBytes: number;
}

/**
 * Returns the resident memory by kind; undefined if the system does not provide it. `linkBytes` is the size by which
 * the mapping of the link memory is recognized.
 */
export function readMemoryMap(linkBytes: number): MemoryMap | undefined {
  try {
    return memoryMapOf(readFileSync('/proc/self/smaps', 'latin1'), linkBytes);
  } catch {
    return undefined;
  }
}

/** Parses the text of such a file. */
export function memoryMapOf(smaps: string, linkBytes: number): MemoryMap {
  const mappings = mappingsOf(smaps);
  const map: Record<MemoryKind, number> = {
    files: 0,
    code: 0,
    stacks: 0,
    link: 0,
    heaps: 0,
    malloc: 0,
    other: 0,
  };
  for (const [index, mapping] of mappings.entries()) {
    const kind = kindOf(mapping, mappings[index - 1], mappings[index + 1], linkBytes);
    map[kind] += mapping.rssBytes;
  }
  return map;
}

function mappingsOf(smaps: string): Mapping[] {
  const mappings: Mapping[] = [];
  const line = /^(?:([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)|Rss: +(\d+) kB)$/gm;
  for (const [, start, end, rights, name, kilobytes] of smaps.matchAll(line)) {
    if (kilobytes !== undefined) {
      const last = mappings.at(-1);
      if (last !== undefined) last.rssBytes = Number(kilobytes) * KIB;
    } else {
      mappings.push({
        start: parseInt(start!, 16),
        end: parseInt(end!, 16),
        rights: rights!,
        name: name!,
        rssBytes: 0,
      });
    }
  }
  return mappings;
}

function kindOf(
  mapping: Mapping,
  before: Mapping | undefined,
  after: Mapping | undefined,
  linkBytes: number,
): MemoryKind {
  const { start, end, rights, name } = mapping;
  if (name !== '') return kindOfName(name);
  if (rights.includes('x')) return 'code';
  if (!rights.startsWith('rw')) return 'other';
  // It looks like an arena otherwise: after it as well is set aside what it may not touch.
  if (end - start === linkBytes) return 'link';
  if (isArena(mapping, after)) return 'malloc';
  if (start % HEAP_PAGE_BYTES === 0) return 'heaps';
  return isBehindGuard(mapping, before) ? 'stacks' : 'malloc';
}

function kindOfName(name: string): MemoryKind {
  if (name.startsWith('/') || name.startsWith('[v')) return 'files';
  if (name === '[heap]') return 'malloc';
  return name === '[stack]' ? 'stacks' : 'other';
}

/** The unused address space of an arena follows it, without permissions. */
function isArena({ start, end }: Mapping, after: Mapping | undefined): boolean {
  if (start % ARENA_BYTES !== 0) return false;
  if (end % ARENA_BYTES === 0) return true;
  return after?.start === end && after.rights.startsWith('---') && after.end % ARENA_BYTES === 0;
}

function isBehindGuard({ start }: Mapping, before: Mapping | undefined): boolean {
  if (before?.end !== start || !before.rights.startsWith('---')) return false;
  return before.end - before.start === GUARD_BYTES;
}
