/** Snapshots leave nothing behind on a disk that does not take them. */
import { systemClock } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDisk } from './fake-disk.test-helper.ts';
import { partialFolder, snapshotFile } from './layout.ts';
import { SnapshotWriter } from './snapshot-writer.ts';

const snapshots = suite('snapshots on a disk that fails');

const FOLDER = '/data';

function begin(disk: FakeDisk, number: number): SnapshotWriter {
  const options = { number, shards: 2, epoch: 1, folder: FOLDER, packs: false };
  const clock = systemClock;
  return new SnapshotWriter({
    ...options,
    disk,
    clock,
    took: () => undefined,
    ended: () => undefined,
  });
}

for (const call of ['makeFolder', 'create', 'append'] as const) {
  snapshots(`one that cannot begin for want of ${call} leaves neither files nor open files`, () => {
    const disk = new FakeDisk();
    disk.fail(call, 'ENOSPC');
    assert.throws(() => begin(disk, 2), /ENOSPC/);
    assert.equal([...disk.files.keys()], []);
    const count = (wanted: string): number => disk.calls.filter(([name]) => name === wanted).length;
    assert.is(count('close'), call === 'append' ? 1 : 0);
  });
}

snapshots('what an earlier one could not remove, the next removes', () => {
  const disk = new FakeDisk();
  const left = snapshotFile(partialFolder(FOLDER, 2), 0);
  disk.create(left);
  begin(disk, 7);
  assert.not.ok(disk.files.has(left));
  assert.is(disk.files.size, 2);
});

snapshots.run();
