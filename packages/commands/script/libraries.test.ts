import { call, CallContext } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const libraries = suite('libraries');

const WRONG_FORM = 'unknown subcommand or wrong number of arguments for';

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['FUNCTION FLUSH', 'OK'],
  ['FUNCTION FLUSH ASYNC', 'OK'],
  ['FUNCTION FLUSH SYNC', 'OK'],
  ['FUNCTION FLUSH NOW', '-ERR FUNCTION FLUSH only supports SYNC|ASYNC option'],
  ['FUNCTION FLUSH ASYNC SYNC', `-ERR ${WRONG_FORM} 'FLUSH'. Try FUNCTION HELP.`],
  ['FUNCTION LIST', []],
  ['FUNCTION LIST WITHCODE LIBRARYNAME x', []],
  ['FUNCTION LIST LIBRARYNAME WITHCODE', []],
  ['FUNCTION LIST LIBRARYNAME', '-ERR library name argument was not given'],
  ['FUNCTION LIST x', '-ERR Unknown argument x'],
  ['FUNCTION LIST withcode withcode', '-ERR Unknown argument withcode'],
  ['SCRIPT FLUSH', 'OK'],
  ['SCRIPT FLUSH SYNC', 'OK'],
  ['SCRIPT FLUSH NOW', '-ERR SCRIPT FLUSH only support SYNC|ASYNC option'],
  ['SCRIPT FLUSH SYNC x', '-ERR SCRIPT FLUSH only support SYNC|ASYNC option'],
  ['SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db x', [0, 0]],
];

for (const [line, reply] of cases) {
  libraries(line, () => {
    assert.equal(call(new CallContext(), line), reply);
  });
}

for (const [container, first] of [
  ['FUNCTION', 'FLUSH [ASYNC|SYNC]'],
  ['SCRIPT', 'EXISTS <sha1> [<sha1> ...]'],
] as const) {
  libraries(`${container} HELP tells of what is there`, () => {
    const line = container === 'SCRIPT' ? 'SCRIPT HELP' : 'FUNCTION HELP';
    assert.is((call(new CallContext(), line) as string[])[1], first);
  });
}

libraries.run();
