import { call, CallContext } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const clientState = suite('client state');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['CLIENT GETREDIR', -1],
  ['CLIENT GETNAME', null],
  ['CLIENT SETNAME worker', 'OK'],
  ['CLIENT NO-TOUCH MAYBE', '-ERR syntax error'],
  ['CLIENT NO-EVICT MAYBE', '-ERR syntax error'],
  ['CLIENT REPLY MAYBE', '-ERR syntax error'],
  ['CLIENT SETINFO LIB-COLOUR blue', "-ERR Unrecognized option 'LIB-COLOUR'"],
  [
    'CLIENT SETNAME "two words"',
    '-ERR Client names cannot contain spaces, newlines or special characters.',
  ],
  [
    'CLIENT SETINFO LIB-NAME "two words"',
    '-ERR lib-name cannot contain spaces, newlines or special characters.',
  ],
];

for (const [line, reply] of cases) {
  clientState(line, () => {
    assert.equal(call(new CallContext(), line), reply);
  });
}

clientState('HELP explains every subcommand', () => {
  const lines = call(new CallContext(), 'CLIENT HELP') as string[];
  assert.match(lines[0]!, /^CLIENT <subcommand>/);
  for (const name of ['GETREDIR', 'KILL', 'LIST', 'PAUSE', 'REPLY', 'SETINFO', 'UNBLOCK']) {
    assert.ok(
      lines.some((line) => line.startsWith(name)),
      name,
    );
  }
  assert.equal(lines.slice(-2), ['HELP', '    Print this help.']);
});

clientState.run();
