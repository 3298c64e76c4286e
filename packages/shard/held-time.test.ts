/** A command's time is its thread's own, without waits for a processor. */
import { runDelayReader } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HeldTime } from './held-time.ts';

const held = suite('held time');

held('leaves out what the thread waited for a processor, from the command in which it did', () => {
  let waitedUs = 5_000;
  let readings = 0;
  const time = new HeldTime(() => {
    readings += 1;
    return waitedUs;
  });
  assert.is(time.of(7), 7);
  waitedUs += 3_000;
  assert.is(time.of(3_020), 20);
  assert.is(time.of(400), 400, 'a long one of its own');
  waitedUs += 800;
  time.begin();
  assert.is(time.of(60), 60, "what was waited at rest is nobody's");
  waitedUs += 900;
  assert.is(time.of(100), 0, 'it cannot have taken less than nothing');
  assert.is(readings, 6, 'short ones are not looked at');
});

held('is all time where the system does not tell', () => {
  const time = new HeldTime(undefined);
  time.begin();
  assert.is(time.of(3_000), 3_000);
});

held('the system tells a number that grows, where it tells one', () => {
  const read = runDelayReader();
  if (read === undefined) return;
  const before = read();
  assert.ok(before >= 0 && read() >= before);
});

held.run();
