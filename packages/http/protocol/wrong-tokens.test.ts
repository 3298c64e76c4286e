import type { LogFields } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { HttpError } from './answer.ts';
import { WrongTokens } from './wrong-tokens.ts';

const wrongTokens = suite('wrong tokens');

interface Guarded {
  readonly guard: WrongTokens;
  readonly logged: LogFields[];
  readonly pass: (ms: number) => void;
}

function guarded(): Guarded {
  let nowMs = 1_000;
  const logged: LogFields[] = [];
  const guard = new WrongTokens({
    nowMs: () => nowMs,
    log: (_message, fields) => logged.push(fields),
  });
  return { guard, logged, pass: (ms) => (nowMs += ms) };
}

/** Guesses until it is refused to be judged; answers how often it was. */
function guesses(guard: WrongTokens, address: string, most = 100): number {
  for (let count = 0; count < most; count += 1) {
    try {
      guard.demandPatience(address);
    } catch (error) {
      assert.is((error as HttpError).status, 429);
      return count;
    }
    void guard.noted(address);
  }
  return most;
}

wrongTokens('only so many guesses of an address are judged, and more as time goes by', () => {
  const { guard, pass } = guarded();
  assert.is(guesses(guard, '10.0.0.1'), 8);
  assert.is(guesses(guard, '10.0.0.1'), 0);
  pass(1_000);
  assert.is(guesses(guard, '10.0.0.1'), 4);
  pass(60_000);
  assert.is(guesses(guard, '10.0.0.1'), 8);
});

wrongTokens('an address does not pay for another, but one network of IPv6 is one', () => {
  const { guard } = guarded();
  guesses(guard, '10.0.0.1');
  assert.is(guesses(guard, '10.0.0.2', 3), 3);
  assert.is(guesses(guard, '2001:db8:0:1::1'), 8);
  assert.is(guesses(guard, '2001:db8:0:1:ffff::2'), 0);
  assert.is(guesses(guard, '2001:db8:0:2::1', 3), 3);
  assert.is(guesses(guard, '::ffff:10.0.0.3', 3), 3);
});

wrongTokens('an answer waits until what came before is paid for', async () => {
  const { guard } = guarded();
  await guard.noted('10.0.0.1');
  let isAnswered = false;
  const second = guard.noted('10.0.0.1').then(() => (isAnswered = true));
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(isAnswered, false);
  await second;
});

wrongTokens('a thousand addresses are remembered, the last that guessed', () => {
  const { guard } = guarded();
  guesses(guard, 'first');
  for (let nth = 0; nth < 1_023; nth += 1) void guard.noted(`other ${String(nth)}`);
  assert.is(guesses(guard, 'first'), 0);
  void guard.noted('one more');
  assert.is(guesses(guard, 'first'), 8);
});

wrongTokens('the log says so once a second, with how many', () => {
  const { guard, logged, pass } = guarded();
  guesses(guard, '10.0.0.1');
  assert.equal(logged, [{ addr: '10.0.0.1', count: 1 }]);
  pass(1_000);
  guesses(guard, '10.0.0.2', 2);
  assert.equal(logged.slice(1), [{ addr: '10.0.0.2', count: 9 }]);
});

wrongTokens.run();
