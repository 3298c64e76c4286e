/** Commands in flight, by sequence: found in any order, and removed without leaving garbage. */
import { bytesPromoted, withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SequenceTable, type Sequenced } from './sequence-table.ts';

const sequenceTables = suite('sequence table');

interface Flying extends Sequenced<Flying> {
  readonly text: string;
}

const BUCKETS = 4;

const flying = (slot: number, sequence: number, text = ''): Flying => ({
  slot,
  sequence,
  next: undefined,
  text,
});

sequenceTables(
  'finds what a Map would find',
  withRandom((random) => {
    const table = new SequenceTable<Flying>(BUCKETS);
    const model = new Map<string, Flying>();
    for (let round = 0; round < 5_000; round += 1) {
      const [slot, step] = [random.integer(0, 3), random.integer(0, 16)];
      const value = flying(slot, (2 ** 32 - 8 + step) >>> 0, `${slot}:${step}`);
      const had = model.get(value.text);
      assert.is(table.find(value.slot, value.sequence), had);
      if (had === undefined) {
        table.add(value);
        model.set(value.text, value);
      } else {
        assert.is(table.remove(value.slot, value.sequence), had);
        assert.is(had.next, undefined);
        model.delete(value.text);
      }
      assert.is(table.count, model.size);
    }
    assert.is(table.remove(9, 9), undefined);
    table.clear();
    assert.is(table.count, 0);
    for (const { slot, sequence } of model.values())
      assert.is(table.find(slot, sequence), undefined);
  }),
);

sequenceTables('of what comes and goes nothing gets into the old generation', async () => {
  const table = new SequenceTable<Flying>(BUCKETS);
  let sequence = 0;
  const comeAndGo = (): void => {
    for (let times = 0; times < 100; times += 1) {
      table.add(flying(0, sequence));
      table.add(flying(0, sequence + 1));
      table.remove(0, sequence);
      table.remove(0, sequence + 1);
      sequence += 2;
    }
  };
  const left = await bytesPromoted(200, comeAndGo);
  // A Map in its place leaves 2.7 MB.
  assert.ok(left < 256 * 1024, `${left} bytes`);
});

sequenceTables.run();
