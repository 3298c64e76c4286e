import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gzipSync } from 'node:zlib';
import { withRandom, type Random } from '#testkit';
import { chunkHead, CHUNK_HEAD_BYTES, packChunk, readChunk } from './chunk.ts';
import { CHUNK_SAMPLES, OpenChunk, type SeriesOwner } from './samples.ts';

const chunks = suite('chunks of the history');

const all = (): boolean => true;

/** Values of one kind over a chunk. */
function randomValues(random: Random): number[] {
  const of = random.pick<() => number>([
    () => 0,
    () => 7.25,
    () => random.integer(0, 3),
    () => random.integer(-1_000, 2 ** 40),
    () => random.integer(0, 5_000_000) / 1_000,
    () => random.fraction() * 10 ** random.integer(-20, 20),
    () => 2 ** 53 + random.integer(0, 1_000) * 2,
    () => NaN,
    () => (random.chance(0.5) ? NaN : random.integer(0, 100)),
  ]);
  return Array.from({ length: CHUNK_SAMPLES }, of);
}

function randomChunk(random: Random, samples: number): OpenChunk {
  const names = Array.from({ length: random.integer(1, 9) }, (_, nth) => `series_${nth}`);
  const owners: SeriesOwner[] = ['main', 'shard-0', 'shard-1'].map((owner) => ({ owner, names }));
  const columns = owners.flatMap(() => names.map(() => randomValues(random)));
  const chunk = new OpenChunk(0);
  for (let index = 0; index < samples; index += 1) {
    const wallMs = 1_700_000_000_000 + random.integer(-100_000, 100_000);
    const intervalUs = random.integer(900_000, 1_100_000);
    chunk.add(
      owners,
      columns.map((column) => column[index]!),
      { wallMs, intervalUs },
    );
  }
  return chunk;
}

chunks(
  'are read as they were written',
  withRandom(async (random) => {
    for (let round = 0; round < 100; round += 1) {
      const chunk = randomChunk(random, random.integer(1, CHUNK_SAMPLES));
      const { head, bytes } = await packChunk(chunk, 10, 120);
      assert.equal(chunkHead(bytes), head);
      assert.is(head.first, 120);
      const read = await readChunk(bytes, all);
      assert.is(read.count, chunk.count);
      assert.equal(read.timesMs, chunk.timesMs.slice(0, chunk.count));
      assert.equal(read.intervalsUs, chunk.intervalsUs.slice(0, chunk.count));
      for (const { owner, names } of chunk.owners) {
        for (const name of names) {
          const before = chunk.column(owner, name)!.slice(0, chunk.count);
          assert.equal([...read.column(owner, name)!], [...before], `${owner} ${name}`);
        }
      }
    }
  }),
);

chunks(
  'hold only the series that are wanted, and know of no others',
  withRandom(async (random) => {
    const { bytes } = await packChunk(randomChunk(random, 5), 1, 0);
    const read = await readChunk(
      bytes,
      (owner, name) => owner === 'shard-1' && name === 'series_0',
    );
    assert.is(read.column('shard-1', 'series_0')?.length, 5);
    assert.is(read.column('main', 'series_0'), undefined);
    assert.is(read.column('shard-9', 'series_0'), undefined);
  }),
);

chunks(
  'that are cut off anywhere are refused',
  withRandom(async (random) => {
    const { bytes } = await packChunk(randomChunk(random, 20), 1, 0);
    for (let length = 0; length < bytes.length; length += random.integer(1, 9)) {
      await refuses(bytes.subarray(0, length));
    }
  }),
);

chunks(
  'with a changed byte are refused, or have the same values',
  withRandom(async (random) => {
    const chunk = randomChunk(random, 20);
    const { bytes } = await packChunk(chunk, 1, 0);
    const name = chunk.owners[0]!.names[0]!;
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const damaged = Buffer.from(bytes);
      damaged[at] = damaged[at]! ^ (1 << random.integer(0, 7));
      try {
        const read = await readChunk(damaged, all);
        assert.equal(
          [...read.column('main', name)!],
          [...chunk.column('main', name)!.slice(0, 20)],
        );
      } catch (error) {
        if ((error as Error).name !== 'DamagedChunk') throw error;
        refused += 1;
      }
    }
    // The head of gzip has a few bytes that mean nothing for the content.
    assert.ok(refused >= bytes.length - 10, `${refused} of ${bytes.length}`);
  }),
);

chunks('of another format, and other files, are refused', async () => {
  const chunk = new OpenChunk(0);
  chunk.add([{ owner: 'main', names: ['a'] }], [1], { wallMs: 1, intervalUs: 1 });
  const { bytes } = await packChunk(chunk, 1, 0);
  const newer = Buffer.from(bytes);
  newer[7] = 2;
  await refuses(newer);
  await refuses(Buffer.from('not a chunk at all, but long enough to have a whole head'));
  await refuses(Buffer.concat([bytes.subarray(0, CHUNK_HEAD_BYTES), gzipSync('\x05hello')]));
});

async function refuses(bytes: Buffer): Promise<void> {
  try {
    await readChunk(bytes, all);
  } catch (error) {
    assert.is((error as Error).name, 'DamagedChunk');
    return;
  }
  assert.unreachable('it was read');
}

chunks('series of an owner that came later have no values before', async () => {
  const chunk = new OpenChunk(0);
  const first = { owner: 'main', names: ['a'] };
  const second = { owner: 'command:get', names: ['calls'] };
  chunk.add([first], [1], { wallMs: 1, intervalUs: 1 });
  chunk.add([first, second], [2, 9], { wallMs: 2, intervalUs: 1 });
  const read = await readChunk((await packChunk(chunk, 1, 0)).bytes, all);
  assert.equal([...read.column('command:get', 'calls')!], [NaN, 9]);
});

chunks('take little for what does not change', async () => {
  const names = Array.from({ length: 3_000 }, (_, nth) => `series_${nth}`);
  const chunk = new OpenChunk(0);
  for (let index = 0; index < CHUNK_SAMPLES; index += 1) {
    const time = { wallMs: index * 1_000, intervalUs: 1_000_000 };
    chunk.add(
      [{ owner: 'main', names }],
      names.map((_, nth) => nth % 10),
      time,
    );
  }
  const { bytes } = await packChunk(chunk, 1, 0);
  assert.ok(bytes.length < 12_000, String(bytes.length));
});

chunks.run();
