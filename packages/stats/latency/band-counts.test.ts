/** Bands as they are shown: cumulative, and the same in sum as by shard. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bandCounts, bandLabels, MainBands } from './band-counts.ts';
import { Bands } from './bands.ts';
import { Page, type PageShape } from '../page/page.ts';

const counts = suite('band counts');

const SHARDS = 3;
const shape: PageShape = { databases: 1, commands: 1, errorCodes: 1 };
const three = new Bands(true, [1, 5, 10]);

function fixture() {
  const [main, ...shards] = Array.from(
    { length: SHARDS + 1 },
    () => new Page(shape, new ArrayBuffer(Page.bytes(shape))),
  );
  const bands = new MainBands(main!, SHARDS);
  bands.configure(three);
  const merged = () => bandCounts(bands.bands, bands.generation, [main!, ...shards]);
  return { bands, shards, merged };
}

counts('have a label for each threshold, for what is over, and for all', () => {
  assert.equal(bandLabels(three), ['<=1ms', '<=5ms', '<=10ms', '>10ms', 'total']);
});

counts('are cumulative but for what is over', () => {
  const { bands, shards, merged } = fixture();
  shards[0]!.countBand(0);
  shards[2]!.countBand(1);
  bands.count(7_000, 1);
  bands.count(70_000, 1);
  assert.equal(merged(), [1, 2, 3, 1, 4]);
  assert.equal(bands.perShard(shards), [
    [1, 1, 1, 0, 1],
    [0, 0, 1, 1, 2],
    [0, 1, 1, 0, 1],
  ]);
});

counts('leave out whoever has not begun anew', () => {
  const { bands, shards, merged } = fixture();
  for (const page of shards) page.countBand(0);
  bands.count(1, 0);
  const generation = bands.restart();
  assert.equal(merged(), [0, 0, 0, 0, 0]);
  shards[1]!.clearBands(generation);
  shards[1]!.countBand(0);
  assert.equal(merged(), [1, 1, 1, 0, 1]);
  assert.equal(bands.perShard(shards)[0], [0, 0, 0, 0, 0]);
});

counts('count nothing when they are off', () => {
  const { bands, merged } = fixture();
  bands.configure(new Bands(false, [1, 5, 10]));
  bands.count(1, 0);
  assert.is(merged().at(-1), 0);
});

counts(
  'of the shards add up to those of all',
  withRandom((random) => {
    const { bands, shards, merged } = fixture();
    for (let nth = 0; nth < 500; nth += 1) {
      const us = random.integer(0, 20_000);
      if (random.chance(0.3)) bands.count(us, random.integer(0, SHARDS - 1));
      else random.pick(shards).countBand(three.rowOf(us));
    }
    const byShard = bands.perShard(shards);
    const sums = merged().map((_, row) => byShard.reduce((sum, each) => sum + each[row]!, 0));
    assert.equal(sums, merged());
    assert.is(merged().at(-1), 500);
  }),
);

counts.run();
