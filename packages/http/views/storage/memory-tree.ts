/**
 * Resident memory by purpose, as a tree. The kinds of mappings add up to the resident size; within a kind, known parts
 * leave a remainder with a name, which is negative where memory that is reserved was not touched yet.
 */

import type { MemoryNode } from '#api-types';
import type { MemoryMap } from '#base';

/** Bytes that the threads count themselves. */
export interface CountedMemory {
  readonly rssBytes: number;
  readonly slabBytes: number;
  /** Bytes of the slabs that records take. */
  readonly recordBytes: number;
  readonly blobBytes: number;
  readonly indexBytes: number;
  readonly clientBytes: number;
  readonly replicationBytes: number;
  /** Values that are objects in the heaps of shards. */
  readonly objectBytes: number;
  /** Bytes of heaps, by thread. */
  readonly heaps: readonly (readonly [thread: string, bytes: number])[];
}

/** Returns the tree; without `map`, which some systems do not provide, only its root is divided, by counted parts. */
export function memoryTree(counted: CountedMemory, map: MemoryMap | undefined): MemoryNode {
  if (map === undefined) {
    return node('resident', counted.rssBytes, null, [keysNode(counted), clientsNode(counted)]);
  }
  return node('resident', counted.rssBytes, 'Memory of the process as the system reports it.', [
    node('malloc', map.malloc, 'Blocks of the C library.', [
      keysNode(counted),
      clientsNode(counted),
      leaf('replication', counted.replicationBytes, 'Backlog and output of replicas.'),
    ]),
    node('heaps', map.heaps, 'JavaScript heaps of the threads.', heapNodes(counted)),
    leaf('link memory', map.link, 'Rings, read buffers and reply blocks that threads share.'),
    leaf('code', map.code, 'Compiled JavaScript.'),
    leaf('files', map.files, 'The program and its libraries.'),
    leaf('stacks', map.stacks),
    leaf('other mappings', map.other),
  ]);
}

function keysNode({ slabBytes, recordBytes, blobBytes, indexBytes }: CountedMemory): MemoryNode {
  const bytes = slabBytes + blobBytes + indexBytes;
  return node('keys and values', bytes, 'Counts for maxmemory, but for free space in slabs.', [
    node('slabs', slabBytes, 'Memory that small records are packed into.', [
      leaf('records', Math.min(recordBytes, slabBytes)),
    ]),
    leaf('large values', blobBytes),
    leaf('indexes', indexBytes),
  ]);
}

function clientsNode({ clientBytes }: CountedMemory): MemoryNode {
  return leaf('clients', clientBytes, 'Buffers, queues, watches and subscriptions.');
}

/** Heaps by thread. Values that are objects belong to the heaps of shards, whichever thread they are of. */
function heapNodes({ heaps, objectBytes }: CountedMemory): readonly MemoryNode[] {
  const shardBytes = sumOf(heaps.filter(([thread]) => thread.startsWith('shard')));
  const objects = leaf('values as objects', Math.min(objectBytes, shardBytes));
  return [
    node('shards', shardBytes, 'Heaps of all shards.', [objects]),
    ...heaps
      .filter(([thread]) => !thread.startsWith('shard'))
      .map(([thread, bytes]) => leaf(thread, bytes)),
  ];
}

function sumOf(heaps: CountedMemory['heaps']): number {
  return heaps.reduce((sum, [, bytes]) => sum + bytes, 0);
}

const REST_OF_MALLOC = "Statistics pages, Node's own blocks, and memory kept for reuse.";

function leaf(name: string, bytes: number, about: string | null = null): MemoryNode {
  return { name, bytes, about, parts: [] };
}

/** A node whose parts and their remainder add up to it. */
function node(
  name: string,
  bytes: number,
  about: string | null,
  parts: readonly MemoryNode[],
): MemoryNode {
  const rest = bytes - parts.reduce((sum, part) => sum + part.bytes, 0);
  const others = rest === 0 ? [] : [remainder(name, rest)];
  return { name, bytes, about, parts: [...parts, ...others] };
}

function remainder(name: string, bytes: number): MemoryNode {
  if (bytes < 0) return leaf('reserved, not touched', bytes, 'Parts above that are not resident.');
  if (name === 'slabs') return leaf('free in slabs', bytes, 'Free space that new records take.');
  if (name === 'resident') return leaf('not attributed', bytes, 'Memory of an unknown kind.');
  if (name === 'malloc') return leaf('rest of malloc', bytes, REST_OF_MALLOC);
  return leaf(`rest of ${name}`, bytes, 'Not counted by any thread, or kept for reuse.');
}
