import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call } from '../../call.test-helper.ts';
import { contextWithPorts } from '../server.test-helper.ts';

const waits = suite('waiting for acknowledgements');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  // One replica has all there is, and so has the disk.
  ['WAIT 0 100', 1],
  ['WAIT 1 100', 1],
  ['WAIT -1 0', 1],
  ['WAIT x 0', '-ERR value is not an integer or out of range'],
  ['WAIT 1 x', '-ERR timeout is not an integer or out of range'],
  ['WAIT 1 -1', '-ERR timeout is negative'],
  ['WAIT 1 9223372036854775807', '-ERR timeout is out of range'],
  ['WAITAOF 1 1 100', [1, 1]],
  ['WAITAOF 0 1 100', [1, 1]],
  ['WAITAOF 2 1 100', '-ERR value is out of range, must be between 0 and 1'],
  ['WAITAOF 1 -1 100', '-ERR value is out of range, must be positive'],
  ['WAITAOF 1 1 -1', '-ERR timeout is negative'],
];

for (const [line, reply] of cases) {
  waits(line, () => {
    const { context } = contextWithPorts();
    assert.equal(call(context, line), reply);
  });
}

waits('who waits for more is answered when the time is over, and never without one', () => {
  const { context, asked } = contextWithPorts();
  assert.is(call(context, 'WAIT 2 100'), undefined);
  assert.equal(context.deferred, [1]);
  assert.is(call(context, 'WAITAOF 1 2 100'), undefined);
  assert.equal(context.deferred, [1, [1, 1]]);
  assert.is(call(context, 'WAIT 2 0'), undefined);
  assert.equal(
    asked.filter((each) => each.startsWith('after')),
    ['after 100', 'after 100'],
  );
});

waits('in a transaction nobody waits', () => {
  const { context } = contextWithPorts();
  context.mayBlock = false;
  assert.is(call(context, 'WAIT 2 100'), 1);
});

waits('without a log nobody waits for the disk of this server', () => {
  const { context } = contextWithPorts({}, undefined, false);
  assert.is(
    call(context, 'WAITAOF 1 0 100'),
    '-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.',
  );
});

waits.run();
