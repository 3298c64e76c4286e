import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LineLimit } from './line-limit.ts';

const limits = suite('line limit');

limits('a flood costs the lines of a window, and the rest is counted once', () => {
  const limit = new LineLimit(3, 1_000);
  const written = [...Array(100).keys()].filter((nth) => limit.take(5_000 + nth));
  assert.equal(written, [0, 1, 2]);
  assert.is(limit.takeOmitted(5_999), 0, 'the window is not over');
  assert.is(limit.takeOmitted(6_000), 97);
  assert.is(limit.takeOmitted(6_000), 0, 'it is reported once');
});

limits('the next window has lines again, after the omitted ones are reported', () => {
  const limit = new LineLimit(1, 1_000);
  assert.equal([limit.take(0), limit.take(1), limit.take(1_500)], [true, false, false]);
  assert.is(limit.takeOmitted(1_500), 2);
  assert.equal([limit.take(1_501), limit.take(1_502)], [true, false]);
});

limits('a clock that is set back ends a window', () => {
  const limit = new LineLimit(1, 1_000);
  assert.equal([limit.take(100_000), limit.take(100_001)], [true, false]);
  assert.is(limit.takeOmitted(50), 1);
  assert.ok(limit.take(51));
});

limits.run();
