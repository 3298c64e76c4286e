import { call, CallContext } from '../call.test-helper.ts';
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
    '-ERR LIB-NAME cannot contain spaces, newlines or special characters.',
  ],
  [
    'CLIENT SETINFO lib-Ver "two words"',
    '-ERR lib-Ver cannot contain spaces, newlines or special characters.',
  ],
];

for (const [line, reply] of cases) {
  clientState(line, () => {
    assert.equal(call(new CallContext(), line), reply);
  });
}

const W3C = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const malformed =
  '-ERR TRACEPARENT must be 00-<32 hex digits of the trace>-<16 of the parent>-<2 of the flags>, in lower case';
const badWord = '-ERR TRACEPARENT takes NEXT after the value, or OFF alone';

const traceParents: readonly (readonly [words: string, reply: string])[] = [
  [W3C, 'OK'],
  [`${W3C} next`, 'OK'],
  ['off', 'OK'],
  [W3C.replace(/^00/, 'cc'), 'OK'],
  [`${W3C.replace(/^00/, 'cc')}-what-comes-later`, 'OK'],
  [`${W3C}-more`, malformed],
  [W3C.toUpperCase(), malformed],
  [W3C.slice(0, -1), malformed],
  [W3C.replace('7651', '765g'), malformed],
  ['nonsense', malformed],
  [W3C.replace(/^00/, 'ff'), '-ERR TRACEPARENT version ff is not valid'],
  [
    W3C.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
    '-ERR TRACEPARENT trace id must not be all zeros',
  ],
  [
    W3C.replace('b7ad6b7169203331', '0'.repeat(16)),
    '-ERR TRACEPARENT parent id must not be all zeros',
  ],
  [`${W3C} later`, badWord],
  ['OFF NEXT', badWord],
  [`${W3C} NEXT NEXT`, badWord],
];
for (const [words, reply] of traceParents) {
  clientState(`CLIENT TRACEPARENT ${words}`, () => {
    assert.is(call(new CallContext(), `CLIENT TRACEPARENT ${words}`), reply);
  });
}

clientState('TRACEPARENT is what the value says, until it is off', () => {
  const context = new CallContext();
  call(context, `CLIENT TRACEPARENT ${W3C} NEXT`);
  const { traceId, spanId, isSampled, isForNext } = context.client.session.traceParent!;
  assert.is(Buffer.from(traceId).toString('hex'), '0af7651916cd43dd8448eb211c80319c');
  assert.is(Buffer.from(spanId).toString('hex'), 'b7ad6b7169203331');
  assert.equal([isSampled, isForNext], [true, true]);
  call(context, `CLIENT TRACEPARENT ${W3C.replace(/01$/, '02')}`);
  const unsampled = context.client.session.traceParent!;
  assert.equal([unsampled.isSampled, unsampled.isForNext], [false, false]);
  call(context, 'CLIENT TRACEPARENT OFF');
  assert.is(context.client.session.traceParent, undefined);
});

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
