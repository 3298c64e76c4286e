/** Cases of the documentation of Redis 8.6 for XADD IDMP and IDMPAUTO, XCFGSET, XIDMPRECORD, and XINFO STREAM. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { call, CallContext, prepared } from '../../call.test-helper.ts';

const idempotency = suite('idempotent ids');

const SYNTAX = '-ERR syntax error';
const EXPLICIT = '-ERR syntax error, IDMP/IDMPAUTO can be used only with auto-generated IDs';
const TWICE = '-ERR syntax error, IDMP/IDMPAUTO specified multiple times';
const INVALID_ID = '-ERR Invalid stream ID specified as stream command argument';
const DURATION = '-ERR IDMP-DURATION must be between 1 and 86400 seconds';
const MAXSIZE = '-ERR IDMP-MAXSIZE must be between 1 and 10000 entries';
const WRONG_TYPE = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const NOT_INTEGER = '-ERR value is not an integer or out of range';

const lines = ['XADD s IDMP p a * f v', 'SET str x'];
const FIRST = '1700000000000-0';
const SECOND = '1700000000000-1';

const cases: readonly (readonly [line: string | readonly string[], reply: unknown])[] = [
  ['XADD s IDMP p a * f other', FIRST],
  ['XADD s IDMP p b * f v', SECOND],
  ['XADD s IDMP q a * f v', SECOND],
  ['XADD s idmp p a * f v', FIRST],
  ['XADD s NOMKSTREAM IDMP p a * f v', FIRST],
  ['XADD s MAXLEN 1 IDMP p b KEEPREF * f v', SECOND],
  ['XADD none NOMKSTREAM IDMP p a * f v', null],
  ['XADD s IDMP p a 5-1 f v', EXPLICIT],
  ['XADD s IDMPAUTO p 5-* f v', EXPLICIT],
  ['XADD s IDMPAUTO p IDMPAUTO p * f v', TWICE],
  ['XADD s IDMP p a IDMPAUTO p * f v', TWICE],
  [
    ['XADD', 's', 'IDMP', '', 'a', '*', 'f', 'v'],
    '-ERR syntax error, IDMP requires a non-empty producer ID',
  ],
  [
    ['XADD', 's', 'IDMP', 'p', '', '*', 'f', 'v'],
    '-ERR syntax error, IDMP requires a non-empty idempotent ID',
  ],
  [
    ['XADD', 's', 'IDMPAUTO', '', '*', 'f', 'v'],
    '-ERR syntax error, IDMPAUTO requires a non-empty producer ID',
  ],
  ['XADD s IDMP p a x f v', INVALID_ID],
  ['XADD s IDMP p a * f', "-ERR wrong number of arguments for 'xadd' command"],
  ['XADD str IDMP p a * f v', WRONG_TYPE],
  ['XCFGSET s IDMP-DURATION 1', 'OK'],
  ['XCFGSET s IDMP-MAXSIZE 10000 IDMP-DURATION 86400', 'OK'],
  ['XCFGSET s IDMP-DURATION 0', DURATION],
  ['XCFGSET s IDMP-DURATION 86401', DURATION],
  ['XCFGSET s IDMP-DURATION -9223372036854775808', DURATION],
  ['XCFGSET s IDMP-DURATION x', NOT_INTEGER],
  ['XCFGSET s IDMP-MAXSIZE 0', MAXSIZE],
  ['XCFGSET s IDMP-MAXSIZE 10001', MAXSIZE],
  ['XCFGSET s IDMP-MAXSIZE 9223372036854775808', NOT_INTEGER],
  ['XCFGSET s IDMP-DURATION 1 IDMP-DURATION 2', '-ERR IDMP-DURATION specified multiple times'],
  ['XCFGSET s IDMP-MAXSIZE 1 IDMP-MAXSIZE 2', '-ERR IDMP-MAXSIZE specified multiple times'],
  ['XCFGSET s IDMP-MAXSIZE', SYNTAX],
  ['XCFGSET s', '-ERR At least one parameter must be specified'],
  ['XCFGSET s FOO 1', SYNTAX],
  ['XCFGSET none IDMP-DURATION x', '-ERR no such key'],
  ['XCFGSET str IDMP-DURATION 1', WRONG_TYPE],
  [`XIDMPRECORD s p a ${FIRST}`, 'OK'],
  [`XIDMPRECORD s q b ${FIRST}`, 'OK'],
  ['XIDMPRECORD s p b 1-1', '-ERR No such message in stream'],
  ['XIDMPRECORD s p b x', INVALID_ID],
  ['XIDMPRECORD none p b 1-1', '-ERR no such key'],
  ['XIDMPRECORD str p b 1-1', WRONG_TYPE],
  [['XIDMPRECORD', 's', '', 'b', FIRST], '-ERR producer ID must be non-empty'],
  [['XIDMPRECORD', 's', 'p', '', FIRST], '-ERR idempotent ID must be non-empty'],
];

for (const [line, reply] of cases) {
  idempotency(typeof line === 'string' ? line : line.join(' '), () => {
    assert.equal(call(prepared(lines), line), reply);
  });
}

/** Figures of XINFO STREAM in the order of its fields; none for a stream without idempotent ids. */
function figuresOf(context: CallContext, key = 's'): number[] {
  const info = call(context, `XINFO STREAM ${key} FULL`) as unknown[];
  const names = ['idmp-duration', 'idmp-maxsize', 'pids-tracked', 'iids-tracked'];
  return [...names, 'iids-added', 'iids-duplicates'].flatMap((name) =>
    info.includes(name) ? [info[info.indexOf(name) + 1] as number] : [],
  );
}

idempotency('are counted, and a duplicate changes nothing else', () => {
  const context = prepared(lines);
  call(context, 'XADD s IDMP p b * f v');
  call(context, 'XADD s IDMP q a * f v');
  context.takeAnnounced();
  call(context, 'XADD s IDMP q a * f other');
  assert.equal(context.takeAnnounced(), []);
  assert.equal(figuresOf(context), [100, 100, 2, 3, 3, 1]);
  assert.is(call(context, 'XLEN s'), 3);
});

idempotency('of IDMPAUTO are those of the fields and values, in any order', () => {
  const context = new CallContext();
  const first = call(context, 'XADD s IDMPAUTO p * a 1 b 2');
  assert.is(call(context, 'XADD s IDMPAUTO p * b 2 a 1'), first);
  assert.is(call(context, 'XADD s IDMPAUTO p * a 1 b 2'), first);
  for (const other of ['a 2 b 1', 'a 1', 'a1 "" b 2', 'ab 12', 'a 1 b 2 a 1', 'a 1 a 1']) {
    assert.is.not(call(context, `XADD s IDMPAUTO p * ${other}`), first, other);
  }
  assert.is.not(call(context, 'XADD s IDMPAUTO q * a 1 b 2'), first);
});

idempotency('end after the duration, for look-ups and for counts', () => {
  const context = prepared(['XADD s 1 f v', 'XCFGSET s IDMP-DURATION 10', ...lines]);
  context.nowMs += 9_999;
  assert.is(call(context, 'XADD s IDMP p a * f v'), FIRST);
  context.nowMs += 1;
  assert.equal(figuresOf(context), [10, 100, 0, 0, 1, 1]);
  assert.is(call(context, 'XADD s IDMP p a * f v'), '1700000010000-0');
  assert.equal(figuresOf(context), [10, 100, 1, 1, 2, 1]);
});

idempotency('that have ended give their memory back when any producer adds', () => {
  const context = prepared(['XADD s 1 f v', 'XCFGSET s IDMP-DURATION 10']);
  const before = call(context, 'MEMORY USAGE s') as number;
  for (let nth = 0; nth < 1_000; nth += 1) call(context, `XADD s IDMP p${nth % 50} ${nth} * f v`);
  const full = call(context, 'MEMORY USAGE s') as number;
  assert.ok(full > before + 1_000 * 100, `${full - before}`);
  context.nowMs += 10_000;
  call(context, 'XADD s IDMP p7 x * f v');
  call(context, 'XTRIM s MAXLEN 1');
  const after = call(context, 'MEMORY USAGE s') as number;
  assert.ok(after < before + 2_000, `${after - before}`);
});

idempotency('beyond the maximum of a producer push out its oldest', () => {
  const context = prepared(['XADD s 1 f v', 'XCFGSET s IDMP-MAXSIZE 8']);
  const ids: unknown[] = [];
  for (let nth = 0; nth < 100; nth += 1) ids.push(call(context, `XADD s IDMP p r${nth} * f v`));
  call(context, 'XADD s IDMP q r0 * f v');
  for (let nth = 92; nth < 100; nth += 1) {
    assert.is(call(context, `XADD s IDMP p r${nth} * f v`), ids[nth]);
  }
  assert.is.not(call(context, 'XADD s IDMP p r91 * f v'), ids[91]);
  assert.is.not(call(context, 'XADD s IDMP p r92 * f v'), ids[92]);
  assert.equal(figuresOf(context).slice(1), [8, 2, 9, 103, 8]);
});

idempotency('are forgotten when XCFGSET changes something, and else kept', () => {
  const context = prepared(lines);
  call(context, 'XCFGSET s IDMP-DURATION 100 IDMP-MAXSIZE 100');
  assert.equal(context.takeAnnounced(), []);
  assert.equal(figuresOf(context), [100, 100, 1, 1, 1, 0]);
  call(context, 'XCFGSET s IDMP-DURATION 60');
  assert.equal(context.takeAnnounced(), ['change']);
  assert.equal(figuresOf(context), [60, 100, 0, 0, 1, 0]);
  assert.is(call(context, 'XADD s IDMP p a * f v'), SECOND);
});

idempotency('have the limits of the settings in a new stream, and keep them', () => {
  const settings = { 'streams.idmp-duration': 5, 'streams.idmp-maxsize': 2 };
  const context = prepared(lines, { settings });
  assert.equal(figuresOf(context), [5, 2, 1, 1, 1, 0]);
  call(context, 'XADD s IDMP p b * f v');
  call(context, 'XADD s IDMP p c * f v');
  assert.is.not(call(context, 'XADD s IDMP p a * f v'), FIRST);
  context.nowMs += 5_000;
  assert.equal(figuresOf(context), [5, 2, 0, 0, 4, 0]);
  call(context, 'XGROUP CREATE t g 0 MKSTREAM');
  assert.equal(figuresOf(context, 't'), [5, 2, 0, 0, 0, 0]);
});

idempotency('outlive their entries, and name them', () => {
  const context = prepared(lines);
  call(context, `XDEL s ${FIRST}`);
  assert.is(call(context, 'XADD s IDMP p a * f v'), FIRST);
  assert.is(call(context, 'XLEN s'), 0);
});

idempotency('leave nothing behind of an entry that is refused', () => {
  const context = prepared(['XADD s 18446744073709551615-18446744073709551615 f v']);
  const before = call(context, 'MEMORY USAGE s');
  const exhausted = '-ERR The stream has exhausted the last possible ID, unable to add more items';
  assert.is(call(context, 'XADD s IDMP p a * f v'), exhausted);
  assert.is(call(context, 'MEMORY USAGE s'), before);
  assert.equal(figuresOf(context), []);
});

idempotency('are logged with the entry, and the log makes the same', () => {
  for (const line of [
    'XADD s IDMP p a * f v',
    'XADD s IDMPAUTO p * f v g w',
    'XADD s MAXLEN 0 IDMP p a * f v',
    'XADD s MAXLEN ~ 0 DELREF IDMP p a * f v',
  ]) {
    for (const mode of ['isLogged', 'isReplicated'] as const) {
      const context = prepared(['XADD s 1 f v', 'XGROUP CREATE s g 0']);
      context[mode] = true;
      const id = call(context, line);
      const replica = prepared(['XADD s 1 f v', 'XGROUP CREATE s g 0']);
      assert.ok(context.logged.length > 0, line);
      for (const words of context.logged) {
        const texts = words.map((word) => Buffer.from(word as string).toString('latin1'));
        assert.is(String(call(replica, texts)).startsWith('-'), false, texts.join(' '));
      }
      assert.equal(call(replica, 'XINFO STREAM s'), call(context, 'XINFO STREAM s'), line);
      assert.is(call(replica, line), id, line);
    }
  }
});

idempotency('of a primary come with the id of the entry', () => {
  const context = prepared(lines);
  context.isObeyed = true;
  assert.is(call(context, 'XADD s IDMP p a 1800000000000-1 f v'), '1800000000000-1');
  assert.is(call(context, 'XADD s IDMP p a * f v'), '1800000000000-1');
  assert.is(call(context, 'XLEN s'), 2);
});

idempotency('that are recorded stay with the latest entry', () => {
  const context = prepared(lines);
  call(context, 'XADD s 1800000000000-1 f v');
  assert.is(call(context, 'XIDMPRECORD s p a 1800000000000-1'), 'OK');
  assert.is(
    call(context, `XIDMPRECORD s p a ${FIRST}`),
    '-ERR IID already exists for this producer with a different stream ID',
  );
});

idempotency('survive DUMP and RESTORE, COPY, and a payload of Redis 7.4 has none', () => {
  const context = prepared([...lines, 'XADD s IDMP p \\x00\\xff * f v', 'XADD s IDMP q 12 * f v']);
  call(context, 'XCFGSET t IDMP-DURATION 60');
  const dump = call(context, 'DUMP s') as string;
  assert.is(call(context, ['RESTORE', 't', '0', dump]), 'OK');
  assert.equal(call(context, 'XINFO STREAM t'), call(context, 'XINFO STREAM s'));
  assert.is(call(context, 'DUMP t'), dump);
  call(context, 'COPY s u');
  assert.is(call(context, 'XADD u IDMP p \\x00\\xff * f v'), SECOND);
  const plain = call(prepared(['XADD s 1 f v']), 'DUMP s') as string;
  assert.is(Buffer.from(plain, 'latin1').readUInt16LE(plain.length - 10), 12);
  assert.is(Buffer.from(dump, 'latin1').readUInt16LE(dump.length - 10), 14);
});

idempotency.run();
