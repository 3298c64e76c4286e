import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FakeClock } from './fake-clock.ts';
import { everyThird, Random, withRandom } from './random.ts';

const random = suite('random');

random('repeats itself from the same seed', () => {
  const draw = (seed: number): number[] => {
    const source = new Random(seed);
    return Array.from({ length: 100 }, () => source.integer(-5, 5));
  };
  assert.equal(draw(7), draw(7));
  assert.not.equal(draw(7), draw(8));
});

random('reaches both ends of a range and nothing beyond', () => {
  const source = new Random(1);
  const drawn = new Set(Array.from({ length: 500 }, () => source.integer(1, 3)));
  assert.equal([...drawn].sort(), [1, 2, 3]);
  assert.equal(source.shuffled([1, 2, 3, 4]).sort(), [1, 2, 3, 4]);
  assert.is(source.bytes(16).length, 16);
});

random('hands a failure on', async () => {
  const body = withRandom(() => {
    throw new Error('as arranged');
  });
  const failure = await body().catch((error: unknown) => error);
  assert.match(String(failure), 'as arranged');
});

random('has a third of what takes too long as a whole, another for another seed', () => {
  const thirds = [3, 4, 5].map((seed) => everyThird([0, 1, 2, 3, 4, 5, 6], seed));
  assert.equal(thirds, [
    [0, 3, 6],
    [1, 4],
    [2, 5],
  ]);
});

random('comes with a clock that moves only when told', () => {
  const clock = new FakeClock(1_000, 5);
  clock.advanceMs(2);
  clock.advanceUs(500);
  assert.equal([clock.wallMs(), clock.nowUs()], [1_002, 2_505]);
  clock.setWallMs(0);
  assert.equal([clock.wallMs(), clock.nowUs()], [0, 2_505]);
});

random.run();
