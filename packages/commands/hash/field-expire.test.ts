import { call, CallContext } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const fields = suite('field expiry');

const wrongType = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const notInteger = '-ERR value is not an integer or out of range';
const noFields = '-ERR Mandatory argument FIELDS is missing or not at the right position';
const mismatch = '-ERR The `numfields` parameter must match the number of arguments';
const noCount = '-ERR Number of fields must be a positive integer';
const noExpireCount = '-ERR Parameter `numFields` should be greater than 0';
const invalid = (name: string): string => `-ERR invalid expire time in '${name}' command`;

/** On `h` = { a: 1, b: 2, e: 3 } of which `e` has 100 seconds to live, and a string `s`. */
const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['HEXPIRE h 10 FIELDS 3 a e n', [1, 1, -2]],
  ['HEXPIRE h 10 NX FIELDS 2 a e', [1, 0]],
  ['HEXPIRE h 10 XX FIELDS 2 a e', [0, 1]],
  ['HEXPIRE h 200 GT FIELDS 2 a e', [0, 1]],
  ['HEXPIRE h 100 GT FIELDS 1 e', [0]],
  ['HEXPIRE h 100 LT FIELDS 2 a e', [1, 0]],
  ['HEXPIRE h 99 LT FIELDS 1 e', [1]],
  ['HEXPIRE h 0 FIELDS 2 a n', [2, -2]],
  ['HEXPIRE none 10 FIELDS 2 a b', [-2, -2]],
  ['HEXPIRE none x FIELDS 1 a', notInteger],
  ['HEXPIRE s x FIELDS 1 a', wrongType],
  ['HEXPIRE h -1 FIELDS 1 a', '-ERR invalid expire time, must be >= 0'],
  ['HEXPIRE h 9223372036854775807 FIELDS 1 a', invalid('hexpire')],
  ['HEXPIRE h 70368744178 FIELDS 1 a', invalid('hexpire')],
  ['HEXPIRE h 9223372036854775808 FIELDS 1 a', notInteger],
  ['HEXPIRE h 10 ZZ FIELDS 1 a', noFields],
  ['HEXPIRE h 10 NX FIELDZ 1 a', noFields],
  ['HEXPIRE h 10 FIELDS 0 a', noExpireCount],
  ['HEXPIRE h 10 FIELDS x a', noExpireCount],
  ['HEXPIRE h 10 FIELDS 2 a', mismatch],
  ['HEXPIRE h 10 FIELDS 1 a b', mismatch],
  ['HEXPIRE h 10 FIELDS 1', "-ERR wrong number of arguments for 'hexpire' command"],
  ['HPEXPIRE h 10 FIELDS 1 a', [1]],
  ['HPEXPIRE h 70368744177663 FIELDS 1 a', invalid('hpexpire')],
  ['HEXPIREAT h 1 FIELDS 1 a', [2]],
  ['HEXPIREAT h 70368744177 FIELDS 1 a', [1]],
  ['HEXPIREAT h 70368744178 FIELDS 1 a', invalid('hexpireat')],
  ['HPEXPIREAT h 70368744177663 FIELDS 1 a', [1]],
  ['HPEXPIREAT h 70368744177664 FIELDS 1 a', invalid('hpexpireat')],
  ['HTTL h FIELDS 3 a e n', [-1, 100, -2]],
  ['HPTTL h FIELDS 1 e', [100_000]],
  ['HEXPIRETIME h FIELDS 2 e a', [1_700_000_100, -1]],
  ['HPEXPIRETIME h FIELDS 1 e', [1_700_000_100_000]],
  ['HTTL none FIELDS 2 a b', [-2, -2]],
  ['HTTL s FIELD 1 a', wrongType],
  ['HTTL h FIELD 1 a', noFields],
  ['HTTL h FIELDS 0 a', noCount],
  ['HTTL h FIELDS x a', noCount],
  ['HTTL h FIELDS 2 a', mismatch],
  ['HPERSIST h FIELDS 3 a e n', [-1, 1, -2]],
  ['HPERSIST none FIELDS 1 a', [-2]],
  ['HPERSIST s FIELDS 1 a', wrongType],
  ['HPERSIST h FIELDS 0 a', noCount],
  ['HGETDEL h FIELDS 3 a n e', ['1', null, '3']],
  ['HGETDEL none FIELDS 1 a', [null]],
  ['HGETDEL s FIELDS 1 a', wrongType],
  ['HGETDEL h FIELDS 0 a', noCount],
  ['HGETDEL h FIELD 1 a', noFields],
  ['HGETDEL h FIELDS 2 a', mismatch],
  ['HGETEX h FIELDS 2 a n', ['1', null]],
  ['HGETEX h EX 10 FIELDS 2 a n', ['1', null]],
  ['HGETEX h PERSIST FIELDS 1 e', ['3']],
  ['HGETEX none EX 10 FIELDS 1 a', [null]],
  ['HGETEX s FIELDS 1 a', wrongType],
  ['HGETEX h EX x FIELDS 1 a', notInteger],
  ['HGETEX h EX -1 FIELDS 1 a', '-ERR invalid expire time, must be >= 0'],
  ['HGETEX h EX 9223372036854775807 FIELDS 1 a', invalid('hgetex')],
  [
    'HGETEX h EX 10 PERSIST FIELDS 1 a',
    '-ERR Only one of EX, PX, EXAT, PXAT or PERSIST arguments can be specified',
  ],
  ['HGETEX h FIELDS 2 a', mismatch],
  ['HGETEX h FOO 1 a', noFields],
  ['HSETEX h FIELDS 2 a 5 n 6', 1],
  ['HSETEX h EX 10 FIELDS 1 a 5', 1],
  ['HSETEX h FNX FIELDS 2 a 5 n 6', 0],
  ['HSETEX h FNX FIELDS 1 n 6', 1],
  ['HSETEX h FXX FIELDS 2 a 5 n 6', 0],
  ['HSETEX h FXX FIELDS 2 a 5 b 6', 1],
  ['HSETEX none FXX FIELDS 1 a 5', 0],
  ['HSETEX none FNX FIELDS 1 a 5', 1],
  ['HSETEX s FIELDS 1 a 5', wrongType],
  ['HSETEX h FNX FXX FIELDS 1 a 5', '-ERR Only one of FXX or FNX arguments can be specified'],
  [
    'HSETEX h EX 1 KEEPTTL FIELDS 1 a 5',
    '-ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified',
  ],
  ...['FIELDS 2 a 5', 'FIELDS 2 a 5 b', 'FIELDS 3 a 5 b 6', 'FIELDS 1 a 5 unknown'].map(
    (words) =>
      [`HSETEX h ${words}`, "-ERR wrong number of arguments for 'hsetex' command"] as const,
  ),
  ...['x', '9223372036854775808', '0', '-1'].map(
    (count) => [`HSETEX h FIELDS ${count} a b`, '-ERR invalid number of fields'] as const,
  ),
  ['HSETEX h nx FIELDS 1 a b', '-ERR unknown argument: nx'],
  ['HSETEX h 1 FIELDS 1 a b', '-ERR unknown argument: 1'],
  ['HSETEX h FNX EX 10 KEEPTT', '-ERR unknown argument: KEEPTT'],
  ['HSETEX h FNX PX 10 FXX', '-ERR Only one of FXX or FNX arguments can be specified'],
  ['HSETEX h FNX EXAT 1700000001 FIELDS', "-ERR wrong number of arguments for 'hsetex' command"],
  ['HSETEX h EXAT 281474976710656 1 a b', invalid('hsetex')],
  ['HSETEX h EX FIELDS 1 a b', notInteger],
  ['HGETEX h XFIELDX 1 a', noFields],
  ['HGETEX h PERSIST 1 FIELDS 1 a', noFields],
  ['HGETEX h FIELDS 0 a', noCount],
  ['HGETEX h FIELDS 9223372036854775808 a', noCount],
];

/** Packed, and as a table. */
const forms = [512, 0];

function prepared(entries: number): CallContext {
  const context = new CallContext({ settings: { 'encoding.hash-max-listpack-entries': entries } });
  call(context, 'HSET h a 1 b 2 e 3');
  call(context, 'HEXPIRE h 100 FIELDS 1 e');
  call(context, 'SET s v');
  context.takeAnnounced();
  return context;
}

for (const entries of forms) {
  const suffix = `(packed up to ${entries})`;

  for (const [line, reply] of cases) {
    fields(`${line} ${suffix}`, () => assert.equal(call(prepared(entries), line), reply));
  }

  fields(`an ended field is missing to every command ${suffix}`, () => {
    const lines: readonly (readonly [line: string, reply: unknown])[] = [
      ['HGET h e', null],
      ['HMGET h a e b', ['1', null, '2']],
      ['HGETALL h', ['a', '1', 'b', '2']],
      ['HKEYS h', ['a', 'b']],
      ['HVALS h', ['1', '2']],
      ['HEXISTS h e', 0],
      ['HSTRLEN h e', 0],
      ['HTTL h FIELDS 1 e', [-2]],
      ['HPERSIST h FIELDS 1 e', [-2]],
      ['HRANDFIELD h 5', ['a', 'b']],
      ['HSCAN h 0 MATCH e', ['0', []]],
      ['HINCRBY h e 1', 1],
      ['HINCRBYFLOAT h e 1', '1'],
      ['HSETNX h e 1', 1],
      ['HGETDEL h FIELDS 1 e', [null]],
      ['HGETEX h FIELDS 1 e', [null]],
      ['HSETEX h FXX FIELDS 1 e 1', 0],
    ];
    for (const [line, reply] of lines) {
      const context = prepared(entries);
      context.nowMs += 100_001;
      assert.equal(call(context, line), reply, line);
    }
  });

  fields(`HLEN counts an ended field until somebody meets it ${suffix}`, () => {
    const context = prepared(entries);
    context.nowMs += 100_001;
    assert.is(call(context, 'HLEN h'), 3);
    assert.is(call(context, 'HGET h e'), null);
    assert.equal(context.takeAnnounced(), ['h hexpired h']);
    assert.is(call(context, 'HLEN h'), 2);
  });

  fields(`a hash goes with its last field ${suffix}`, () => {
    const context = prepared(entries);
    call(context, 'HEXPIRE h 100 FIELDS 2 a b');
    context.takeAnnounced();
    context.nowMs += 100_001;
    assert.equal(call(context, 'HMGET h a b e'), [null, null, null]);
    assert.equal(context.takeAnnounced(), ['h hexpired h', 'g del h']);
    assert.is(call(context, 'EXISTS h'), 0);
  });

  fields(`setting a field takes its end away, counting does not ${suffix}`, () => {
    const context = prepared(entries);
    call(context, 'HINCRBY h e 1');
    assert.equal(call(context, 'HTTL h FIELDS 1 e'), [100]);
    call(context, 'HSETEX h KEEPTTL FIELDS 1 e 7');
    assert.equal(call(context, 'HTTL h FIELDS 1 e'), [100]);
    call(context, 'HSET h e 1');
    assert.equal(call(context, 'HTTL h FIELDS 1 e'), [-1]);
  });

  fields(`HSETEX and HGETEX announce and delete ${suffix}`, () => {
    const context = prepared(entries);
    call(context, 'HSETEX h EX 5 FIELDS 1 n 1');
    assert.equal(context.takeAnnounced(), ['h hset h', 'h hexpire h']);
    assert.equal(call(context, 'HTTL h FIELDS 1 n'), [5]);
    call(context, 'HGETEX h PXAT 1 FIELDS 2 n a');
    assert.equal(context.takeAnnounced(), ['h hdel h']);
    assert.equal(call(context, 'HMGET h n a b'), [null, null, '2']);
  });
}

fields('the encoding of a packed hash shows that its fields may end', () => {
  const context = new CallContext();
  call(context, 'HSET h a 1 b 2');
  call(context, 'HEXPIRE h 10 XX FIELDS 1 a');
  assert.is(call(context, 'OBJECT ENCODING h'), 'listpackex');
  call(context, 'HEXPIRE h 10 FIELDS 1 b');
  call(context, 'HPERSIST h FIELDS 1 b');
  assert.is(call(context, 'OBJECT ENCODING h'), 'listpackex');
  assert.equal(call(context, 'HGETALL h'), ['a', '1', 'b', '2']);
});

fields.run();
