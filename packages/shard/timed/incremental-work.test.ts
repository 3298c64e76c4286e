/** Work in slices: the shard does not sleep while any is left. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardsFixture, textsOf } from '../machine.test-helper.ts';

const slices = suite('work in slices');

const VALUE_BYTES = 64 * 1024 * 1024;

slices('goes on at once when timed work was due in between', () => {
  const all = new ShardsFixture(1);
  const [shard] = all.shards as [(typeof all.shards)[0]];
  shard.call(`SETRANGE long ${VALUE_BYTES} end`);
  // Every look at the clock takes time, so that a slice is one step, and timed work comes due between slices.
  const read = all.clock.nowUs.bind(all.clock);
  all.clock.nowUs = () => {
    all.clock.advanceMs(2);
    return read();
  };
  const beganUs = read();
  shard.send('COPY long copy');
  const rests: number[] = [];
  let replies = '';
  while (replies === '') {
    rests.push(shard.machine.step());
    replies = textsOf(shard.heard());
  }
  assert.is(replies, ':1\r\n');
  assert.ok(read() - beganUs > 200_000, 'timed work was due');
  assert.equal([...new Set(rests)], [0]);
});

slices.run();
