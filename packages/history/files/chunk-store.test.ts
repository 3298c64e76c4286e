import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HistoryDocument } from '#api-types';
import { OpenChunk } from '../chunks/samples.ts';
import { historyDocument } from '../query.ts';
import type { Series } from '../samples/series.ts';
import type { TierShape } from '../samples/tier.ts';
import { ChunkStore } from './chunk-store.ts';
import { HistoryFolder } from './history-folder.ts';

const store = suite('store of the history');

const TIERS: readonly TierShape[] = [
  { name: '1s', seconds: 1, samplesMax: 180, saveSeconds: 10 },
  { name: '10s', seconds: 10, samplesMax: 120, saveSeconds: 60 },
];
const OPS: Series = { name: 'ops', kind: 'growth', unit: 'count' };
const CLIENTS: Series = { name: 'clients', kind: 'gauge', unit: 'count' };
const P99: Series = { name: 'p99_us', kind: 'percentile', unit: 'us' };
const NAMES = ['ops', 'clients', 'p99_us'];
/** A full minute. */
const ZERO_MS = 1_700_000_040_000;

let folder: string;
let lines: string[];

store.before.each(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'history-'));
  lines = [];
});
store.after.each(() => {
  fs.rmSync(folder, { recursive: true });
});

/** A process that keeps history in a folder; in memory where there is none. */
class Process {
  bytesMax = 1_000_000;
  nowMs = 0;
  isReady = true;
  readonly folder: HistoryFolder | undefined;
  readonly store: ChunkStore;
  readonly #counts = TIERS.map(() => 0);

  constructor(place: string | null = folder) {
    this.folder =
      place === null
        ? undefined
        : new HistoryFolder(
            place,
            () => this.nowMs,
            (_, event) => lines.push(event),
          );
    this.store = new ChunkStore({
      tiers: TIERS,
      folder: () => (this.isReady ? this.folder : undefined),
      bytesMax: () => this.bytesMax,
    });
  }

  async load(): Promise<void> {
    await this.store.load(this.folder!);
  }

  /** Closes a chunk of samples that end at these times; each has as many operations a second as its tier's seconds. */
  async keep(tier: number, times: readonly number[], shards = 1): Promise<void> {
    this.store.add(tier, this.chunk(tier, times, shards));
    await this.store.settle();
  }

  chunk(tier: number, times: readonly number[], shards = 1): OpenChunk {
    const { seconds } = TIERS[tier]!;
    const chunk = new OpenChunk(this.#counts[tier]!);
    this.#counts[tier]! += times.length;
    const owners = Array.from({ length: shards }, (_, shard) => ({
      owner: `shard-${String(shard)}`,
      names: NAMES,
    }));
    for (const wallMs of times) {
      const values = owners.flatMap(() => [seconds * 100, seconds, seconds * 10]);
      chunk.add(owners, values, { wallMs, intervalUs: seconds * 1_000_000 });
    }
    return chunk;
  }

  query(fromMs: number, steps: number, stepMs: number): Promise<HistoryDocument> {
    const columns = [OPS, CLIENTS, P99].map((series) => ({ series, thread: null, owner: null }));
    return historyDocument(
      { range: { fromMs, steps, stepMs }, columns },
      TIERS.map(({ seconds }, tier) => ({
        seconds,
        read: (range, isWanted) => this.store.read(tier, range, isWanted),
      })),
    );
  }

  async ops(fromMs: number, steps: number, stepMs: number): Promise<readonly (number | null)[]> {
    return (await this.query(fromMs, steps, stepMs)).series[0]!.values;
  }
}

/** Ends of samples of some seconds. */
function ends(firstMs: number, count: number, stepMs = 1_000): number[] {
  return Array.from({ length: count }, (_, nth) => firstMs + (nth + 1) * stepMs);
}

store('samples outlive the process, and a stop is a gap', async () => {
  const first = new Process();
  await first.keep(0, ends(ZERO_MS, 5));
  const second = new Process();
  await second.load();
  await second.keep(0, ends(ZERO_MS + 8_000, 2));
  assert.equal(await second.ops(ZERO_MS, 11, 1_000), [
    ...[100, 100, 100, 100, 100, null, null, null, 100, 100, null],
  ]);
  assert.equal(fs.readdirSync(folder).sort(), ['1s-000000000000.chunk', '1s-000000000005.chunk']);
});

store('a killed process leaves what was saved of its open chunk', async () => {
  const first = new Process();
  first.store.save(0, first.chunk(0, ends(ZERO_MS, 3)));
  await first.store.settle();
  const second = new Process();
  await second.load();
  assert.equal(await second.ops(ZERO_MS, 4, 1_000), [100, 100, 100, null]);
});

store('steps are filled by the samples that fit, then by finer, then by longer ones', async () => {
  const own = new Process();
  await own.keep(1, ends(ZERO_MS, 4, 10_000));
  await own.keep(0, ends(ZERO_MS + 30_000, 15));
  const byTen = await own.query(ZERO_MS, 6, 10_000);
  assert.equal(byTen.series[0]!.values, [100, 100, 100, 100, 100, null]);
  assert.equal(
    byTen.series[2]!.values,
    [100, 100, 100, 100, 10, null],
    'of the longer ones where they are',
  );
  assert.equal(byTen.sample_seconds, [10, 1]);
  const byOne = await own.query(ZERO_MS + 25_000, 10, 1_000);
  assert.equal(byOne.series[0]!.values, new Array<number>(10).fill(100));
  assert.equal(byOne.series[1]!.values, [10, 10, 10, 10, 10, 1, 1, 1, 1, 1]);
  assert.equal(byOne.sample_seconds, [1, 10]);
});

store(
  'threads are added up as there were then, and of percentiles the greatest is shown',
  async () => {
    const own = new Process();
    await own.keep(0, ends(ZERO_MS, 2), 3);
    await own.keep(0, ends(ZERO_MS + 2_000, 2), 1);
    const { series } = await own.query(ZERO_MS, 4, 1_000);
    assert.equal(series[0]!.values, [300, 300, 100, 100]);
    assert.equal(series[1]!.values, [3, 3, 1, 1]);
    assert.equal(series[2]!.values, [10, 10, 10, 10]);
  },
);

store('a wall clock that is set back and ahead loses no samples', async () => {
  const own = new Process();
  await own.keep(0, ends(ZERO_MS + 3_600_000, 3));
  await own.keep(0, [...ends(ZERO_MS, 3), ...ends(ZERO_MS - 7_200_000, 3)]);
  await own.keep(0, ends(ZERO_MS + 3, 3));
  const again = new Process();
  await again.load();
  for (const startMs of [ZERO_MS + 3_600_000, ZERO_MS, ZERO_MS - 7_200_000]) {
    assert.equal(await again.ops(startMs, 4, 1_000), [100, 100, 100, null], String(startMs));
  }
});

store('the oldest samples of a tier go first, by their number and not by their time', async () => {
  const own = new Process();
  for (const startMs of [ZERO_MS + 9_000_000, ZERO_MS, ZERO_MS + 60_000, ZERO_MS + 120_000]) {
    await own.keep(0, ends(startMs, 60));
  }
  assert.equal(await own.ops(ZERO_MS + 9_000_000, 1, 1_000), [null]);
  assert.equal(await own.ops(ZERO_MS, 1, 1_000), [100]);
  assert.is(fs.readdirSync(folder).length, 3);
});

store('many short chunks of restarts are bounded', async () => {
  const own = new Process();
  for (let nth = 0; nth < 20; nth += 1) await own.keep(0, [ZERO_MS + nth * 1_000]);
  assert.ok(fs.readdirSync(folder).length <= 6);
});

store('bytes are bounded, in memory and on disk', async () => {
  for (const place of [folder, null]) {
    const own = new Process(place);
    own.bytesMax = 2_000;
    for (let nth = 0; nth < 10; nth += 1) {
      await own.keep(0, ends(ZERO_MS + nth * 5_000, 5));
      await own.keep(1, ends(ZERO_MS + nth * 50_000, 5, 10_000));
      assert.ok(own.store.bytes <= 2_000, String(own.store.bytes));
    }
    assert.ok(own.store.bytes > 0);
  }
  const onDisk = fs.readdirSync(folder).map((name) => fs.statSync(path.join(folder, name)).size);
  assert.ok(onDisk.reduce((sum, size) => sum + size, 0) <= 2_000, String(onDisk));
});

store('damaged and foreign files are skipped, each with one line', async () => {
  const first = new Process();
  for (const nth of [0, 1, 2, 3]) await first.keep(0, ends(ZERO_MS + nth * 5_000, 5));
  const [cut, flipped, empty] = fs
    .readdirSync(folder)
    .sort()
    .map((name) => path.join(folder, name));
  fs.truncateSync(cut!, 60);
  const bytes = fs.readFileSync(flipped!);
  bytes[bytes.length - 20]! ^= 4;
  fs.writeFileSync(flipped!, bytes);
  fs.truncateSync(empty!, 0);
  fs.writeFileSync(path.join(folder, '1s-latest.chunk'), 'x'.repeat(100));
  fs.writeFileSync(path.join(folder, 'notes.txt'), 'mine');
  fs.mkdirSync(path.join(folder, '10s-000000000001.chunk'));
  fs.writeFileSync(path.join(folder, '.1s-000000000099.chunk.part'), 'cut');
  const second = new Process();
  await second.load();
  for (let round = 0; round < 2; round += 1) {
    assert.equal(await second.ops(ZERO_MS, 4, 5_000), [null, null, null, 100]);
  }
  assert.equal(lines, new Array<string>(5).fill('history-skipped'));
  await second.keep(0, ends(ZERO_MS + 20_000, 5));
  assert.equal(await second.ops(ZERO_MS + 20_000, 1, 5_000), [100]);
  assert.is(fs.readFileSync(path.join(folder, 'notes.txt'), 'utf8'), 'mine');
  assert.not.ok(fs.existsSync(path.join(folder, '.1s-000000000099.chunk.part')));
});

store('a disk that fails costs no samples while the process lives, and one line', async () => {
  const place = path.join(folder, 'file', 'history');
  fs.writeFileSync(path.join(folder, 'file'), '');
  const own = new Process(place);
  await own.load();
  lines = [];
  for (let nth = 0; nth < 3; nth += 1) {
    await own.keep(0, ends(ZERO_MS + nth * 5_000, 5));
    own.nowMs += 60_000;
  }
  assert.equal(lines, ['history-failed']);
  assert.equal(await own.ops(ZERO_MS, 4, 5_000), [100, 100, 100, null]);
  fs.rmSync(path.join(folder, 'file'));
  own.nowMs += 600_000;
  await own.keep(0, ends(ZERO_MS + 15_000, 5));
  assert.equal(fs.readdirSync(folder), [], 'a missing data folder is not made');
  fs.mkdirSync(path.join(folder, 'file'));
  own.nowMs += 600_000;
  await own.keep(0, ends(ZERO_MS + 20_000, 5));
  assert.equal(lines, ['history-failed', 'history-written']);
  assert.is(fs.readdirSync(place).length, 5, 'what was kept in memory is written too');
});

store('nothing is written before the server is ready', async () => {
  const own = new Process();
  own.isReady = false;
  await own.keep(0, ends(ZERO_MS, 5));
  assert.equal(fs.readdirSync(folder), []);
  assert.equal(await own.ops(ZERO_MS, 1, 5_000), [100]);
  own.isReady = true;
  await own.keep(0, ends(ZERO_MS + 5_000, 5));
  assert.is(fs.readdirSync(folder).length, 2);
});

store.run();
