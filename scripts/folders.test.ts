import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { folderCircles, folderFaults } from './folders.ts';

const folders = suite('folders');

/** Files of a package, each with what it imports. */
function sources(files: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(files).map(([name, targets]) => ({
    file: `packages/net/${name}`,
    text: targets.map((target) => `import type { X } from '${target}';\n`).join(''),
  }));
}

const pair = sources({ 'a/one.ts': ['../b/two.ts'], 'b/three.ts': ['../a/four.ts'] });

const cases: readonly (readonly [
  name: string,
  files: Parameters<typeof sources>[0],
  circles: readonly (readonly string[])[],
  pairs: number,
])[] = [
  ['allows one direction', { 'a/one.ts': ['../b/two.ts'], 'b/two.ts': ['./three.ts'] }, [], 0],
  [
    'finds folders whose files are in no circle',
    { 'a/one.ts': ['../b/two.ts'], 'b/three.ts': ['../a/four.ts'] },
    [['packages/net/a', 'packages/net/b']],
    1,
  ],
  [
    'finds a longer way around, which has no pair',
    { 'a/one.ts': ['../b/x.ts'], 'b/one.ts': ['../c/x.ts'], 'c/one.ts': ['../a/x.ts'] },
    [['packages/net/a', 'packages/net/b', 'packages/net/c']],
    0,
  ],
  [
    'counts the directory of the package as a folder',
    { 'index.ts': ['./a/one.ts'], 'a/two.ts': ['../limits.ts'] },
    [['packages/net', 'packages/net/a']],
    1,
  ],
  [
    'counts a folder apart from what it lies in',
    { 'a/one.ts': ['./b/two.ts'], 'a/b/three.ts': ['../four.ts'] },
    [['packages/net/a', 'packages/net/a/b']],
    1,
  ],
  [
    'leaves tests out',
    {
      'a/one.ts': ['../b/two.ts'],
      'b/two.test.ts': ['../a/one.ts'],
      'b/c.test-helper.ts': ['../a/d.ts'],
    },
    [],
    0,
  ],
  ['leaves imports of packages out', { 'a/one.ts': ['#base', 'node:path'] }, [], 0],
];

for (const [name, files, circles, pairs] of cases) {
  folders(name, () => {
    const found = folderCircles(sources(files)).get('net');
    assert.equal(found?.circles ?? [], circles);
    assert.is(found?.pairs.length ?? 0, pairs);
  });
}

folders('counts exemptions in both directions', () => {
  assert.equal(folderFaults(pair, { net: [2, 1] }), []);
  const unlike = [{}, { net: [2, 0] }, { net: [2, 2] }, { net: [3, 1] }, { net: [1, 1] }] as const;
  for (const exempt of unlike) {
    const faults = folderFaults(pair, exempt);
    assert.match(faults[0]!, 'packages/net: 2 folders in circles and 1 pairs');
    assert.is(faults.length, 3);
  }
});

folders('refuses exemptions of packages that have no circles', () => {
  assert.match(folderFaults([], { net: [2, 1] }).join('\n'), '0 folders');
});

folders('reports the folders of each circle and pair', () => {
  assert.equal(folderFaults(pair, {}).slice(1), [
    'packages/net: circle of packages/net/a, packages/net/b',
    'packages/net: packages/net/a and packages/net/b import each other',
  ]);
});

folders.run();
