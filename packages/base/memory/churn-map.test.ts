import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesPromoted, withRandom } from '#testkit';
import { ChurnMap } from './churn-map.ts';

const churnMaps = suite('maps of what comes and goes');

churnMaps(
  'hold what a Map would',
  withRandom((random) => {
    const map = new ChurnMap<number, number>();
    const model = new Map<number, number>();
    for (let step = 0; step < 20_000; step += 1) {
      const key = random.integer(0, 63);
      if (random.integer(0, 1) === 0) {
        map.set(key, step);
        model.set(key, step);
      } else {
        assert.is(map.delete(key), model.delete(key));
      }
      if (step === 10_000) {
        map.clear();
        model.clear();
      }
      assert.is(map.size, model.size);
      assert.is(map.has(key), model.has(key));
      assert.is(map.get(key), model.get(key));
    }
    assert.equal([...map], [...model]);
    assert.equal([...map.keys()], [...model.keys()]);
    assert.equal([...map.values()], [...model.values()]);
  }),
);

churnMaps('entries may be removed while they are visited', () => {
  const map = new ChurnMap<number, number>();
  for (let key = 0; key < 5_000; key += 1) map.set(key, key);
  let visited = 0;
  for (const [key] of map) {
    map.delete(key);
    visited += 1;
  }
  assert.is(visited, 5_000);
  assert.is(map.size, 0);
});

churnMaps('of what comes and goes nothing gets into the old generation', async () => {
  const map = new ChurnMap<number, object>();
  let first = 0;
  let next = 0;
  const comeAndGo = (): void => {
    for (let times = 0; times < 2_000; times += 1) {
      map.set(next, { next });
      next += 1;
      if (map.size < 200) continue;
      map.delete(first);
      first += 1;
    }
  };
  const left = await bytesPromoted(100, comeAndGo);
  // A Map in its place leaves 13 MB.
  assert.ok(left < 512 * 1024, `${left} bytes`);
});

churnMaps.run();
