import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_NUMBERS, EventRing, EVENTS_MAX } from './event-ring.ts';

const rings = suite('ring of events');

rings('an event comes out as it went in', () => {
  const memory = EventRing.allocate();
  const ring = new EventRing(memory);
  assert.equal(ring.read(), []);
  ring.record(3, 123_456_789.25, [1.5, -(2 ** 40), Infinity, NaN]);
  ring.record(0, 0, []);
  assert.equal(new EventRing(memory).read(), [
    { kind: 3, timeUs: 123_456_789.25, numbers: [1.5, -(2 ** 40), Infinity, NaN] },
    { kind: 0, timeUs: 0, numbers: new Array<number>(EVENT_NUMBERS).fill(0) },
  ]);
  assert.is(ring.recorded, 2);
});

rings('the last events are kept, oldest first', () => {
  const ring = new EventRing(EventRing.allocate());
  for (let nth = 0; nth < EVENTS_MAX + 10; nth += 1) ring.record(1, nth, [nth]);
  const times = ring.read().map(({ timeUs }) => timeUs);
  assert.equal(
    times,
    Array.from({ length: EVENTS_MAX }, (_, index) => index + 10),
  );
  assert.is(ring.recorded, EVENTS_MAX + 10);
});

rings('a record that is being written is not read', () => {
  const memory = EventRing.allocate();
  const ring = new EventRing(memory);
  ring.record(1, 1, [1]);
  ring.record(1, 2, [2]);
  const words = new Int32Array(memory);
  // The state of the first record says that event 4096 is on its way into its place.
  const state = words.indexOf(2, 1);
  words[state] = 2 * EVENTS_MAX + 1;
  assert.equal(
    ring.read().map(({ timeUs }) => timeUs),
    [2],
  );
});

rings.run();
