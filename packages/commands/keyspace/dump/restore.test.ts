/** RESTORE: its options, what it answers, and what becomes of the key. */

import { call, CallContext } from '../../call.test-helper.ts';
import { binary, dumpPayload, restore } from './dump-payload.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const dumping = suite('RESTORE');

const good = binary('000568656c6c6f0c00a804ebb69f1ebe43');
const unsound = '-ERR DUMP payload version or checksum are wrong';
const notInteger = '-ERR value is not an integer or out of range';
const syntax = '-ERR syntax error';
const busy = '-BUSYKEY Target key name already exists.';
const invalidTtl = '-ERR Invalid TTL value, must be >= 0';
const invalidFrequency = '-ERR Invalid FREQ value, must be >= 0 and <= 255';

/** With a key `taken`. */
const cases: readonly (readonly [line: readonly string[], reply: unknown])[] = [
  [['DUMP', 'none'], null],
  [['RESTORE', 'new', '0', good], 'OK'],
  [['RESTORE', 'taken', '0', good], busy],
  [['RESTORE', 'taken', '0', good, 'replace'], 'OK'],
  [['RESTORE', 'taken', '-1', 'x'], busy],
  [['RESTORE', 'taken', '-1', 'x', 'WHAT'], syntax],
  [['RESTORE', 'new', 'x', 'x'], notInteger],
  [['RESTORE', 'new', '-1', 'x'], invalidTtl],
  [['RESTORE', 'new', '0', ''], unsound],
  [['RESTORE', 'new', '0', 'x'], unsound],
  [['RESTORE', 'new', '0', `${good.slice(0, -1)}x`], unsound],
  [['RESTORE', 'new', '0', `x${good}`], unsound],
  [['RESTORE', 'new', '0', dumpPayload('\0\x01a', 15)], unsound],
  [['RESTORE', 'new', '0', dumpPayload('\0\x01a', 1)], 'OK'],
  [['RESTORE', 'new', '0', good, 'IDLETIME'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', 'x'], notInteger],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '-1'], '-ERR Invalid IDLETIME value, must be >= 0'],
  [['RESTORE', 'new', '0', good, 'FREQ'], syntax],
  [['RESTORE', 'new', '0', good, 'FREQ', 'x'], notInteger],
  [['RESTORE', 'new', '0', good, 'FREQ', '-1'], invalidFrequency],
  [['RESTORE', 'new', '0', good, 'FREQ', '256'], invalidFrequency],
  [['RESTORE', 'new', '0', good, 'FREQ', '1', 'IDLETIME', '1'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '1', 'FREQ', '1'], syntax],
  [['RESTORE', 'new', '0', good, 'IDLETIME', '1', 'REPLACE', 'ABSTTL'], 'OK'],
];

for (const [line, reply] of cases) {
  dumping(JSON.stringify(line), () => {
    const context = new CallContext();
    call(context, 'SET taken value');
    assert.is(call(context, line), reply);
  });
}

dumping('a score of -0 in a ziplist keeps its sign, as in Redis', () => {
  const context = new CallContext();
  assert.is(
    restore(
      context,
      binary('0c181800000014000000040000016103022d30040162030131ff0a00733faa31165d9570'),
    ),
    'OK',
  );
  assert.equal(call(context, 'ZRANGE k 0 -1 WITHSCORES'), ['a', '-0', 'b', '1']);
});

dumping('announces what was restored', () => {
  const context = new CallContext();
  restore(context, good);
  assert.equal(context.takeAnnounced(), ['~n new k', 'g restore k']);
});

dumping('a time to live counts from now, or is a moment with ABSTTL', () => {
  const context = new CallContext();
  call(context, ['RESTORE', 'k', '5000', good]);
  assert.is(call(context, 'PTTL k'), 5000);
  call(context, ['RESTORE', 'k', '4000000000000', good, 'REPLACE', 'ABSTTL']);
  assert.is(call(context, 'PEXPIRETIME k'), 4_000_000_000_000);
  restore(context, good, 'REPLACE');
  assert.is(call(context, 'PTTL k'), -1);
  call(context, ['RESTORE', 'far', '9223372036854775807', good]);
  assert.is(call(context, 'PEXPIRETIME far'), Number.MAX_SAFE_INTEGER);
});

dumping('a moment that is over removes what REPLACE replaces', () => {
  const context = new CallContext();
  assert.is(call(context, ['RESTORE', 'k', '1000', good, 'ABSTTL']), 'OK');
  assert.equal(context.takeAnnounced(), []);
  call(context, 'SET k value');
  context.takeAnnounced();
  assert.is(call(context, ['RESTORE', 'k', '1000', good, 'ABSTTL', 'REPLACE']), 'OK');
  assert.equal(context.takeAnnounced(), ['g del k']);
  assert.is(call(context, 'EXISTS k'), 0);
});

dumping('a key is as idle, or as often used, as it is said to be', () => {
  const context = new CallContext();
  restore(context, good, 'IDLETIME', '1000');
  assert.is(call(context, 'OBJECT IDLETIME k'), 1000);
  restore(context, good, 'REPLACE', 'FREQ', '9');
  assert.is(call(context, 'OBJECT IDLETIME k'), 0);
  context.store.setPolicy('allkeys-lfu');
  restore(context, good, 'REPLACE', 'FREQ', '99');
  assert.is(call(context, 'OBJECT FREQ k'), 99);
});

dumping.run();
