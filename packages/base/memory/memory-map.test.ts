/** Each mapping has the kind that follows from its address, permissions and name. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { memoryMapOf, readMemoryMap, type MemoryMap } from './memory-map.ts';

const maps = suite('memory map');

const KIB = 1024;
const LINK_BYTES = 0x1a60000;
const NONE: MemoryMap = {
  files: 0,
  code: 0,
  stacks: 0,
  link: 0,
  heaps: 0,
  malloc: 0,
  other: 0,
};

/** Two lines of such a file, of the many that each mapping has. */
function mapping(range: string, rights: string, rssKib: number, name = ''): string {
  return `${range} ${rights} 00000000 00:00 0                          ${name}\nSize:  1 kB\nRss: ${rssKib} kB\n`;
}

const cases: readonly (readonly [
  what: string,
  smaps: string,
  kind: keyof MemoryMap,
  kib: number,
])[] = [
  ['the program', mapping('00400000-00dc9000', 'r-xp', 9, '/usr/bin/node'), 'files', 9],
  ['what the kernel lends', mapping('7ffd6a1f0000-7ffd6a1f2000', 'r-xp', 4, '[vdso]'), 'files', 4],
  ['the break', mapping('1c0f0000-1c6f0000', 'rw-p', 70, '[heap]'), 'malloc', 70],
  ['the stack of main', mapping('7ffd6a1aa000-7ffd6a1cb000', 'rw-p', 40, '[stack]'), 'stacks', 40],
  [
    'the stack of a thread',
    mapping('7f0000000000-7f0000001000', '---p', 0) +
      mapping('7f0000001000-7f0000801000', 'rw-p', 36),
    'stacks',
    36,
  ],
  ['compiled code', mapping('7f0000082000-7f00000bf000', 'rwxp', 200), 'code', 200],
  ['a page of V8', mapping('7f0000080000-7f00000c0000', 'rw-p', 256), 'heaps', 256],
  [
    'an arena, with what it has not asked for yet',
    mapping('7f1390000000-7f1390702000', 'rw-p', 4_792) +
      mapping('7f1390702000-7f1394000000', '---p', 0),
    'malloc',
    4_792,
  ],
  ['a full arena', mapping('7f1390000000-7f1394000000', 'rw-p', 60_000), 'malloc', 60_000],
  ['a large block', mapping('7f0000101000-7f0000202000', 'rw-p', 1_028), 'malloc', 1_028],
  [
    'the link memory, with what may not be touched behind it',
    mapping('7f1414000000-7f1415a60000', 'rw-p', 8_348) +
      mapping('7f1415a60000-7f1694000000', '---p', 0),
    'link',
    8_348,
  ],
  ['what is none of these', mapping('7f0000101000-7f0000202000', 'r--p', 8), 'other', 8],
];

for (const [what, smaps, kind, kib] of cases) {
  maps(what, () => {
    assert.equal(memoryMapOf(smaps, LINK_BYTES), { ...NONE, [kind]: kib * KIB });
  });
}

maps('adds up what is of a kind', () => {
  const page = mapping('7f0000080000-7f00000c0000', 'rw-p', 100);
  const next = mapping('7f0000100000-7f0000140000', 'rw-p', 50);
  assert.is(memoryMapOf(page + next, LINK_BYTES).heaps, 150 * KIB);
});

maps('knows nearly all of a real process', () => {
  const map = readMemoryMap(LINK_BYTES);
  if (map === undefined) return;
  const rss = process.memoryUsage.rss();
  const known = map.files + map.code + map.stacks + map.heaps + map.malloc;
  assert.ok(Math.abs(rss - known) < 0.1 * rss, `${known} of ${rss} bytes are known`);
});

maps.run();
