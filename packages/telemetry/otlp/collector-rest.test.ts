/** A collector that fails is tried ever later, and with one thing only, until it works. */

import { FakeClock } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CollectorRest } from './collector-rest.ts';

const rests = suite('rest of a collector');

const MOST = 256;

/** Milliseconds until it is tried again. */
function restMs(rest: CollectorRest, clock: FakeClock): number {
  let ms = 0;
  for (; rest.isResting; ms += 100) clock.advanceMs(100);
  return ms;
}

rests('one that works is sent all there is, at once', () => {
  const rest = new CollectorRest(new FakeClock());
  rest.worked();
  assert.is(rest.isResting, false);
  assert.is(rest.batch(MOST), MOST);
});

rests('one that fails is tried ever later, but not for ever', () => {
  const clock = new FakeClock();
  const rest = new CollectorRest(clock);
  const waits = Array.from({ length: 6 }, () => {
    rest.broke();
    assert.is(rest.batch(MOST), 1);
    return restMs(rest, clock);
  });
  assert.equal(waits, [500, 1_000, 2_000, 4_000, 5_000, 5_000]);
});

rests('one that works again is as it was', () => {
  const clock = new FakeClock();
  const rest = new CollectorRest(clock);
  rest.broke();
  rest.broke();
  restMs(rest, clock);
  rest.worked();
  assert.is(rest.batch(MOST), MOST);
  rest.broke();
  assert.is(restMs(rest, clock), 500);
});

rests.run();
