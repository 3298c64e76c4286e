/** Segments and snapshots that are too old to be kept. */
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDisk } from '../fake-disk.test-helper.ts';
import { MANIFEST, segmentFile, snapshotFolder } from '../layout.ts';
import { removeAllBut, removeOld } from './retention.ts';

const retention = suite('retention');

/** Numbers of segments and snapshots that are there. */
function left(disk: FakeDisk): readonly [segments: number[], snapshots: number[]] {
  const names = [...disk.files.keys()];
  const numbers = (pattern: RegExp): number[] =>
    names.flatMap((name) => pattern.exec(name)?.slice(1).map(Number) ?? []).sort((a, b) => a - b);
  return [numbers(/(\d+)\.log$/), numbers(/(\d{10})\/manifest/)];
}

function fullDisk(): FakeDisk {
  const disk = new FakeDisk();
  for (let number = 1; number <= 7; number += 1) {
    disk.create(segmentFile('/data', 0, number));
    if (number % 2 === 0) disk.create(path.join(snapshotFolder('/data', number), MANIFEST));
  }
  return disk;
}

for (const [most, wanted] of [
  [
    5,
    [
      [4, 5, 6, 7],
      [2, 4, 6],
    ],
  ],
  [
    2,
    [
      [4, 5, 6, 7],
      [4, 6],
    ],
  ],
  [1, [[6, 7], [6]]],
] as const) {
  retention(
    `of three snapshots ${most} may stay: the log reaches back to the second newest`,
    () => {
      const disk = fullDisk();
      removeOld(disk, '/data', most);
      assert.equal(left(disk), wanted);
    },
  );
}

retention('files that cannot be removed do not keep others', () => {
  const disk = fullDisk();
  disk.fail('remove', 'EIO');
  assert.throws(() => {
    removeOld(disk, '/data', 1);
  }, /EIO/);
  // The first of them stays.
  assert.equal(left(disk), [
    [6, 7],
    [4, 6],
  ]);
  removeOld(disk, '/data', 1);
  assert.equal(left(disk), [[6, 7], [6]]);
});

retention('without a snapshot no segment goes; data of other shards goes all', () => {
  const disk = fullDisk();
  for (const number of [2, 4, 6]) disk.remove(snapshotFolder('/data', number));
  removeOld(disk, '/data', 1);
  assert.equal(left(disk), [[1, 2, 3, 4, 5, 6, 7], []]);
  const other = fullDisk();
  removeAllBut(other, '/data', 6);
  assert.equal(left(other), [[6, 7], [6]]);
});

retention.run();
