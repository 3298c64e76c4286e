import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MemoryNode } from '#api-types';
import { memoryTree, type CountedMemory } from './memory-tree.ts';

const trees = suite('tree of resident memory');

const counted: CountedMemory = {
  rssBytes: 1_000,
  slabBytes: 100,
  recordBytes: 60,
  blobBytes: 50,
  indexBytes: 30,
  clientBytes: 20,
  replicationBytes: 10,
  objectBytes: 15,
  heaps: [
    ['main', 40],
    ['shard-0', 30],
    ['shard-1', 30],
    ['ops', 20],
  ],
};
const map = { files: 100, code: 50, stacks: 5, link: 45, heaps: 110, malloc: 400, other: 90 };

function demandSums(tree: MemoryNode): void {
  if (tree.parts.length === 0) return;
  const sum = tree.parts.reduce((total, { bytes }) => total + bytes, 0);
  assert.is(sum, tree.bytes, tree.name);
  tree.parts.forEach(demandSums);
}

function find(tree: MemoryNode, name: string): MemoryNode | undefined {
  if (tree.name === name) return tree;
  return tree.parts.map((part) => find(part, name)).find((each) => each !== undefined);
}

trees('every node is the sum of its parts, and remainders have names', () => {
  const tree = memoryTree(counted, map);
  demandSums(tree);
  assert.is(tree.bytes, 1_000);
  assert.is(find(tree, 'free in slabs')?.bytes, 40);
  assert.is(find(tree, 'rest of malloc')?.bytes, 400 - 180 - 20 - 10);
  assert.is(find(tree, 'not attributed')?.bytes, 200);
  assert.is(find(tree, 'shards')?.bytes, 60);
  // 120 bytes are reserved, 110 of them resident.
  assert.is(find(tree, 'reserved, not touched')?.bytes, -10);
});

trees('without the mappings the counted parts and the rest add up', () => {
  const tree = memoryTree(counted, undefined);
  demandSums(tree);
  assert.is(find(tree, 'not attributed')?.bytes, 1_000 - 180 - 20);
});

trees.run();
