/** Sizes of requests: those of the bytes that a client sends. */
import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ArgumentBytes } from './kept-arguments.ts';
import { requestBytesFrom, RESP_OVERHEAD_MAX } from './request-size.ts';

const sizes = suite('request size');

function argumentsOf(lengths: readonly number[]): ArgumentBytes {
  const source = new Uint8Array(0);
  return { source, count: lengths.length, at: () => 0, length: (index) => lengths[index]! };
}

function respOf(lengths: readonly number[]): string {
  const bulks = lengths.map((length) => `$${length}\r\n${'x'.repeat(length)}\r\n`);
  return `*${lengths.length}\r\n${bulks.join('')}`;
}

sizes(
  'are those of RESP',
  withRandom((random) => {
    for (let round = 0; round < 500; round += 1) {
      const count = random.integer(1, 200);
      const lengths = Array.from({ length: count }, () => random.integer(0, 10 ** (round % 4)));
      const bytes = respOf(lengths).length;
      const args = argumentsOf(lengths);
      assert.is(requestBytesFrom(args, 0), bytes);
      assert.is(requestBytesFrom(args, bytes), bytes);
      assert.is(requestBytesFrom(args, bytes + 1), 0);
    }
  }),
);

sizes('of long arguments are exact, and framing is never more than was reckoned', () => {
  for (const length of [9, 10, 99, 100, 536_870_912, 4_294_967_295]) {
    const bytes = requestBytesFrom(argumentsOf([length]), 0);
    assert.is(bytes, 4 + 5 + String(length).length + length);
    assert.ok(bytes - length <= 2 * RESP_OVERHEAD_MAX);
  }
});

sizes('are not counted while none is logged', () => {
  assert.is(requestBytesFrom(argumentsOf([100]), Infinity), 0);
});

sizes.run();
