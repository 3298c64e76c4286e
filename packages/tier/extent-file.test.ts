/** Extents in real files, with compression and without. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Bytes } from '#base';
import { Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openExtents } from './extent-file.ts';

const KIB = 1024;
/** Lengths below and above what is compressed, and one of several pages. */
const LENGTHS = [1, 100, 511, 512, 513, 4 * KIB, 16 * KIB, 64 * KIB + 3];

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'));

/** Bytes of which half can be compressed away. */
function halfRandom(random: Random, length: number): Bytes {
  return Uint8Array.from({ length }, (_, nth) => (nth % 64 < 32 ? random.integer(0, 255) : 7));
}

function extents(random: Random): Bytes[] {
  return LENGTHS.flatMap((length) => [
    new Uint8Array(length).fill(65),
    halfRandom(random, length),
    Uint8Array.from({ length }, () => random.integer(0, 255)),
  ]);
}

async function fileBytes(compresses: boolean): Promise<number> {
  const disk = await openExtents(path.join(folder, compresses ? 'lz4' : 'none'), compresses);
  const written = Array.from({ length: 200 }, (_, extent) => ({
    extent,
    bytes: new Uint8Array(16 * KIB).fill(extent),
  }));
  disk.commit(written);
  const bytes = disk.look();
  disk.close();
  return bytes;
}

const environments = suite('extents in a file');

environments.after(() => {
  fs.rmSync(folder, { recursive: true, force: true });
});

for (const compresses of [false, true]) {
  environments(`reads what was written, ${compresses ? 'compressed' : 'as it is'}`, async () => {
    const disk = await openExtents(path.join(folder, 'extents'), compresses);
    const written = extents(new Random(7));
    disk.commit(written.map((bytes, extent) => ({ extent, bytes })));
    // Backwards, so that a short one is read behind a long one into the same buffer.
    for (const [extent, bytes] of [...written.entries()].reverse()) {
      assert.equal(disk.read(extent)?.slice(), bytes, `extent ${String(extent)}`);
    }
    disk.commit([
      { extent: 0, bytes: undefined },
      { extent: 1, bytes: written.at(-1) },
    ]);
    assert.is(disk.read(0), undefined);
    assert.equal(disk.read(1)?.slice(), written.at(-1));
    disk.close();
  });
}

environments('takes less of the disk when compressed', async () => {
  assert.ok((await fileBytes(true)) < (await fileBytes(false)) / 4);
});

environments('counts what it has written, and nothing of another one in its thread', async () => {
  const disks = [
    await openExtents(path.join(folder, 'one'), false),
    await openExtents(path.join(folder, 'other'), false),
  ] as const;
  const own = 40 * 16 * KIB;
  for (let extent = 0; extent < 40; extent += 1) {
    const bytes = new Uint8Array(16 * KIB - 24).fill(extent);
    disks[0].commit([{ extent, bytes }]);
    disks[1].commit([{ extent, bytes: undefined }]);
  }
  const [busy, idle] = disks.map(({ writtenBytes }) => writtenBytes) as [number, number];
  assert.ok(busy >= own && busy < 3 * own, `${busy} bytes written for ${own}`);
  assert.ok(idle < own / 2, `${idle} bytes written for none`);
  for (const disk of disks) disk.close();
});

environments('has in the file what is there, and gives back what is not', async () => {
  const disk = await openExtents(path.join(folder, 'sizes'), false);
  const random = new Random(11);
  const kept = new Map<number, Bytes>();
  for (let round = 0; round < 2_000; round += 1) {
    const extent = random.integer(0, 99);
    const isRemoved = random.integer(0, 3) === 0;
    const bytes = new Uint8Array(random.integer(1, 40) * 1_000).fill(round);
    disk.commit([{ extent, bytes: isRemoved ? undefined : bytes }]);
    if (isRemoved) kept.delete(extent);
    else kept.set(extent, bytes);
    if (round % 100 === 0) disk.look();
  }
  for (const [extent, bytes] of kept) assert.equal(disk.read(extent)?.slice(), bytes);
  const live = [...kept.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  assert.ok(disk.look() < 2 * live, `${disk.look()} bytes for ${live}`);
  disk.commit([...kept.keys()].map((extent) => ({ extent, bytes: undefined })));
  assert.is(disk.look(), 0);
  disk.close();
});

environments('goes on in a new file where the folder is gone, and reads the old one', async () => {
  const place = path.join(folder, 'gone');
  const disk = await openExtents(place, false);
  const old = new Uint8Array(5_000).fill(1);
  disk.commit([{ extent: 1, bytes: old }]);
  fs.rmSync(place, { recursive: true });
  assert.is(disk.look(), -1);
  fs.mkdirSync(place);
  assert.throws(() => disk.renew(), /EEXIST/, 'another owner has made it');
  fs.rmdirSync(place);
  assert.ok(disk.renew());
  assert.is(disk.look(), 0);
  disk.commit([{ extent: 2, bytes: old }]);
  assert.ok(disk.look() > 0);
  assert.equal(disk.read(1)?.slice(), old);
  disk.commit([{ extent: 1, bytes: old.subarray(1) }]);
  assert.equal(disk.read(1)?.slice(), old.subarray(1));
  disk.close();
});

environments(
  'a file that was cut short is an error of what it held, and of nothing else',
  async () => {
    const place = path.join(folder, 'short');
    const disk = await openExtents(place, false);
    const bytes = new Uint8Array(16 * KIB).fill(1);
    disk.commit([1, 2].map((extent) => ({ extent, bytes })));
    fs.truncateSync(path.join(place, 'extents'), 20 * KIB);
    assert.equal(disk.read(1)?.slice(), bytes);
    assert.throws(() => disk.read(2), /EIO/);
    disk.close();
  },
);

environments.run();
