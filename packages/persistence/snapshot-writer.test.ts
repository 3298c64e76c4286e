/** Snapshots leave nothing behind on a disk that does not take them. */
import { systemClock } from '#base';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeDisk } from './fake-disk.test-helper.ts';
import type { Manifest } from './blocks/manifest.ts';
import { MANIFEST, partialFolder, snapshotFile, snapshotFolder } from './layout.ts';
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

snapshots('one that another could not remove does not keep a snapshot from starting', () => {
  const disk = new FakeDisk();
  disk.create(snapshotFile(partialFolder(FOLDER, 2), 0));
  disk.fail('remove', 'EIO');
  begin(disk, 7);
  assert.is(disk.files.size, 3);
  begin(disk, 8);
  assert.equal(
    [...disk.files.keys()].map((file) => file.slice(0, partialFolder(FOLDER, 8).length)),
    Array(2).fill(partialFolder(FOLDER, 8)),
    'the next one removes both',
  );
});

/** Takes the last pieces of both shards; settles with the outcome. */
function finish(disk: FakeDisk): Promise<Manifest | Error> {
  return new Promise((resolve) => {
    const writer = new SnapshotWriter({
      number: 3,
      shards: 2,
      epoch: 1,
      folder: FOLDER,
      packs: false,
      disk,
      clock: systemClock,
      took: () => undefined,
      ended: resolve,
    });
    writer.take(0, new Uint8Array(0), 0);
    writer.take(1, new Uint8Array(0), 0);
  });
}

snapshots(
  'one that fails once it has its name leaves nothing, and closes each file once',
  async () => {
    const disk = new FakeDisk();
    disk.fail('syncFolder', 'EIO');
    // The first folder to be synced is that of the snapshot itself.
    const syncFolder = disk.syncFolder.bind(disk);
    let count = 0;
    disk.syncFolder = (folder) => {
      count += 1;
      if (count > 1) syncFolder(folder);
    };
    const outcome = await finish(disk);
    assert.instance(outcome, Error);
    assert.equal([...disk.files.keys()], []);
    assert.is(disk.calls.filter(([name]) => name === 'close').length, 3);
  },
);

snapshots('one without a fault is there', async () => {
  const disk = new FakeDisk();
  const outcome = await finish(disk);
  assert.not.instance(outcome, Error);
  assert.equal([...disk.files.keys()].sort(), [
    path.join(snapshotFolder(FOLDER, 3), MANIFEST),
    snapshotFile(snapshotFolder(FOLDER, 3), 0),
    snapshotFile(snapshotFolder(FOLDER, 3), 1),
  ]);
});

snapshots.run();
