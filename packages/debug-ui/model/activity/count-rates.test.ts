/** Rates of named counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ratesBetween } from './count-rates.ts';

const rates = suite('rates of counts');

const at = (timeMs: number, counts: Readonly<Record<string, number>>) => ({
  timeMs,
  counts: new Map(Object.entries(counts)),
});

rates('commands by the time between', () => {
  const found = ratesBetween(at(1_000, { anna: 10, bert: 5 }), at(3_000, { anna: 30, bert: 5 }));
  assert.equal(
    [...found],
    [
      ['anna', 10],
      ['bert', 0],
    ],
  );
});

rates('nothing of who has come, began anew, or at one moment', () => {
  const before = at(1_000, { anna: 10 });
  assert.equal([...ratesBetween(before, at(2_000, { anna: 3, carl: 7 }))], []);
  assert.equal([...ratesBetween(before, at(1_000, { anna: 20 }))], []);
  assert.equal([...ratesBetween(null, before)], []);
});

rates.run();
