/** Extents in a real environment, with compression and without. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Bytes } from '#base';
import { Random } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openExtents } from './lmdb-extents.ts';

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

const environments = suite('lmdb extents');

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

environments.run();
