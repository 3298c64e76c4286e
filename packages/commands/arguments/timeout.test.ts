/** Timeouts of commands that wait are judged as Redis judges them, and after the other arguments. */

import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const timeout = suite('timeout');

const notFloat = '-ERR timeout is not a float or out of range';
const outOfRange = '-ERR timeout is out of range';

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['BRPOP list x', notFloat],
  ['BRPOP list nan', notFloat],
  ['BRPOP list 1e300', outOfRange],
  // Beyond a double, and within what C calls a long double.
  ['BRPOP list 1e400', outOfRange],
  ['BRPOP list inf', outOfRange],
  ['BRPOP list -1e400', '-ERR timeout is negative'],
  ['BRPOP list 1e5000', notFloat],
  ['BRPOP list 1e-5000', notFloat],
  ['BLMOVE list other LEFT LEFT 1e400', outOfRange],
  ['BZPOPMIN set 1e400', outOfRange],
  ['BLMPOP x 0 list LEFT', '-ERR numkeys should be greater than 0'],
  ['BLMPOP -1 1 list MIDDLE', '-ERR syntax error'],
  ['BLMPOP x 1 list LEFT COUNT 0', '-ERR count should be greater than 0'],
  ['BLMPOP x 1 list LEFT', notFloat],
  ['BZMPOP x 0 set MIN', '-ERR numkeys should be greater than 0'],
  ['BZMPOP -1 1 set MIDDLE', '-ERR syntax error'],
  ['BZMPOP -1 1 set MIN COUNT x', '-ERR count should be greater than 0'],
  ['BZMPOP -1 1 set MIN', '-ERR timeout is negative'],
];

for (const [line, reply] of cases) {
  timeout(`${line} is refused`, () => assert.equal(call(new CallContext(), line), reply));
}

timeout('the shortest of waits has an end', () => {
  const context = new CallContext();
  call(context, 'BRPOP list 1e-400');
  assert.is(context.waited.at(-1)?.timeoutMs, 1);
});

timeout.run();
