/** Refusals of the last minute. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentRefusals } from './recent-refusals.ts';

const refusals = suite('recent refusals');

const SECOND = 1_000_000;

refusals('by user, most first, for a minute', () => {
  const recent = new RecentRefusals();
  const startUs = 1_000 * SECOND;
  recent.add('anna', startUs);
  for (let nth = 0; nth < 3; nth += 1) recent.add('bert', startUs + 15 * SECOND);
  recent.add('anna', startUs + 31 * SECOND);
  assert.equal(recent.at(startUs + 40 * SECOND), [
    { user: 'bert', refused: 3 },
    { user: 'anna', refused: 2 },
  ]);
  assert.equal(recent.at(startUs + 65 * SECOND), [
    { user: 'bert', refused: 3 },
    { user: 'anna', refused: 1 },
  ]);
  assert.equal(recent.at(startUs + 75 * SECOND), [{ user: 'anna', refused: 1 }]);
  assert.equal(recent.at(startUs + 1_000 * SECOND), []);
});

refusals.run();
