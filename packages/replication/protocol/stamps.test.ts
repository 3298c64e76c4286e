/** Timestamps in the stream: when one is due, and the lag of a replica computed from acknowledgements. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Stamps, type StampLag } from './stamps.ts';

const stamps = suite('stamps');

const fresh = (): StampLag => ({ stampOffset: -1, delayMs: 0 });

stamps('come a tenth of a second apart, also when the clock was set back', () => {
  const all = new Stamps();
  assert.ok(all.isDue(1_000));
  all.note(10, 1_000);
  assert.not.ok(all.isDue(1_099));
  assert.ok(all.isDue(1_100));
  assert.ok(all.isDue(500));
});

stamps('an acknowledgement tells how long the last stamp before it took', () => {
  const all = new Stamps();
  const lag = fresh();
  all.note(100, 1_000);
  all.note(200, 1_100);
  all.acknowledged(lag, 99, 1_105);
  assert.equal(lag, fresh());
  all.acknowledged(lag, 250, 1_107);
  assert.equal(lag, { stampOffset: 200, delayMs: 7 });
  // A periodic one, a second later, contains nothing new.
  all.acknowledged(lag, 260, 2_000);
  assert.equal(lag, { stampOffset: 200, delayMs: 7 });
});

const cases: readonly (readonly [
  what: string,
  offset: number,
  unackedMs: number,
  nowMs: number,
  lagMs: number,
])[] = [
  ['who has all of it is not behind', 300, 0, 1_500, 0],
  ['what came since the last stamp is as late as that was', 200, 900, 2_000, 7],
  ['it is no later than it has been there', 200, 3, 1_110, 3],
  ['a stamp without an answer is as late as it has waited', 150, 900, 1_900, 800],
  [
    'who is silent for longer than acknowledgements take is as late as that',
    200,
    5_000,
    6_100,
    5_000,
  ],
];
for (const [what, offset, unackedMs, nowMs, lagMs] of cases) {
  stamps(what, () => {
    const all = new Stamps();
    const lag = { stampOffset: 200, delayMs: 7 };
    all.note(100, 1_000);
    all.note(200, 1_100);
    assert.is(all.lagMs(lag, offset, unackedMs, nowMs), lagMs);
  });
}

stamps('a stream that begins anew has none of those before', () => {
  const all = new Stamps();
  const lag = fresh();
  all.note(1_000, 1_000);
  all.note(10, 2_000);
  all.acknowledged(lag, 10, 2_004);
  assert.equal(lag, { stampOffset: 10, delayMs: 4 });
});

stamps('of many the latest are kept', () => {
  const all = new Stamps();
  const lag = fresh();
  for (let nth = 1; nth <= 10_000; nth += 1) all.note(nth, 100 * nth);
  all.acknowledged(lag, 9_999, 1_000_000);
  assert.equal(lag, { stampOffset: 9_999, delayMs: 100 });
});

stamps.run();
