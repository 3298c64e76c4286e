import { call, CallContext } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const libraries = suite('libraries');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['FUNCTION FLUSH', 'OK'],
  ['FUNCTION FLUSH ASYNC', 'OK'],
  ['FUNCTION FLUSH SYNC', 'OK'],
  ['FUNCTION FLUSH NOW', '-ERR syntax error'],
  ['FUNCTION FLUSH ASYNC SYNC', '-ERR syntax error'],
  ['FUNCTION LIST', []],
  ['SCRIPT FLUSH', 'OK'],
  ['SCRIPT FLUSH SYNC', 'OK'],
  ['SCRIPT FLUSH NOW', '-ERR syntax error'],
  ['SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db x', [0, 0]],
];

for (const [line, reply] of cases) {
  libraries(line, () => {
    assert.equal(call(new CallContext(), line), reply);
  });
}

libraries.run();
