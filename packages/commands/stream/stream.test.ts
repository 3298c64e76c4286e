/** Entries of streams as they come and go: every command, every error. The replies were recorded from Redis 7.4.1. */

import { call, CallContext, prepared } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { streamLines } from './stream.test-helper.ts';

const stream = suite('stream');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['XADD s 6 a 1', '6-0'],
  ['XADD s 5-1 a 1', '5-1'],
  ['XADD s 5-* a 1', '5-1'],
  ['XADD s 6-* a 1 b 2 a 3', '6-0'],
  [
    'XADD s 5-0 a 1',
    '-ERR The ID specified in XADD is equal or smaller than the target stream top item',
  ],
  [
    'XADD s 5 a 1',
    '-ERR The ID specified in XADD is equal or smaller than the target stream top item',
  ],
  [
    'XADD s 4-* a 1',
    '-ERR The ID specified in XADD is equal or smaller than the target stream top item',
  ],
  ['XADD s 0-0 a 1', '-ERR The ID specified in XADD must be greater than 0-0'],
  ['XADD none 0-0 a 1', '-ERR The ID specified in XADD must be greater than 0-0'],
  ['XADD none 0-* a 1', '0-1'],
  ['XADD none 0-1 a 1', '0-1'],
  [
    'XADD none 18446744073709551615-18446744073709551615 a 1',
    '18446744073709551615-18446744073709551615',
  ],
  ['XADD none 18446744073709551615 a 1', '18446744073709551615-0'],
  ['XADD none NOMKSTREAM 1-1 a 1', null],
  ['XADD s NOMKSTREAM 6 a 1', '6-0'],
  ['XADD s NOMKSTREAM MAXLEN 2 6 a 1', '6-0'],
  ['XADD s MAXLEN = 2 6 a 1', '6-0'],
  ['XADD s MAXLEN ~ 2 6 a 1', '6-0'],
  ['XADD s MINID 2 6 a 1', '6-0'],
  [
    'XADD s MAXLEN 2 MINID 2 6 a 1',
    '-ERR syntax error, MAXLEN and MINID options at the same time are not compatible',
  ],
  ['XADD s MAXLEN -1 6 a 1', '-ERR The MAXLEN argument must be >= 0.'],
  ['XADD s MAXLEN x 6 a 1', '-ERR value is not an integer or out of range'],
  [
    'XADD s MAXLEN 2 LIMIT 3 6 a 1',
    '-ERR syntax error, LIMIT cannot be used without the special ~ option',
  ],
  [
    'XADD s MAXLEN = 2 LIMIT 3 6 a 1',
    '-ERR syntax error, LIMIT cannot be used without the special ~ option',
  ],
  ['XADD s MAXLEN ~ 2 LIMIT -1 6 a 1', '-ERR The LIMIT argument must be >= 0.'],
  ['XADD s MAXLEN ~ 2 LIMIT x 6 a 1', '-ERR value is not an integer or out of range'],
  [
    'XADD s LIMIT 1 6 a 1',
    '-ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
  ],
  ['XADD s MINID - 6 a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s 6 a', "-ERR wrong number of arguments for 'xadd' command"],
  ['XADD s 6 a 1 b', "-ERR wrong number of arguments for 'xadd' command"],
  ['XADD s 6', "-ERR wrong number of arguments for 'xadd' command"],
  ['XADD s MAXLEN 6 a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s -5 a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s - a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s + a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s 6-x a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s 6- a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XADD s x a 1', '-ERR Invalid stream ID specified as stream command argument'],
  [
    'XADD s 18446744073709551616 a 1',
    '-ERR Invalid stream ID specified as stream command argument',
  ],
  ['XADD s 06 a 1', '6-0'],
  ['XADD str 1 a 1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XADD str x a 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XTRIM s MAXLEN 2', 2],
  ['XTRIM s MAXLEN = 0', 4],
  ['XTRIM s MAXLEN ~ 2', 0],
  ['XTRIM s MAXLEN ~ 0', 4],
  ['XTRIM s MAXLEN ~ 0 LIMIT 3', 0],
  ['XTRIM s MAXLEN ~ 0 LIMIT 0', 4],
  ['XTRIM s MAXLEN 9', 0],
  ['XTRIM s MINID 2', 2],
  ['XTRIM s MINID 1-2', 1],
  ['XTRIM s MINID ~ 9', 4],
  ['XTRIM s MINID x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XTRIM s MAXLEN', "-ERR wrong number of arguments for 'xtrim' command"],
  ['XTRIM s MAXLEN 1 2', '-ERR syntax error'],
  ['XTRIM s FOO 1', '-ERR syntax error'],
  [
    'XTRIM s LIMIT 5',
    '-ERR syntax error, LIMIT cannot be used without specifying a trimming strategy',
  ],
  ['XTRIM s LIMIT 0', '-ERR syntax error, XTRIM must be called with a trimming strategy'],
  ['XTRIM s NOMKSTREAM MAXLEN 1', '-ERR syntax error'],
  ['XTRIM none MAXLEN 1', 0],
  ['XTRIM str MAXLEN 1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XTRIM str MAXLEN x', '-ERR value is not an integer or out of range'],
  ['XLEN s', 4],
  ['XLEN none', 0],
  ['XLEN str', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XDEL s 1-1', 1],
  ['XDEL s 1-1 1-1 5 7', 2],
  ['XDEL s 1-1 1-2 2-0 5-0', 4],
  ['XDEL s 1-1 x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XDEL s -', '-ERR Invalid stream ID specified as stream command argument'],
  ['XDEL none 1-1', 0],
  ['XDEL none x', 0],
  ['XDEL str 1-1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XSETID s 5', 'OK'],
  ['XSETID s 7-3', 'OK'],
  ['XSETID s 4', '-ERR The ID specified in XSETID is smaller than the target stream top item'],
  ['XSETID s x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XSETID s -', '-ERR Invalid stream ID specified as stream command argument'],
  ['XSETID s 7 ENTRIESADDED 9 MAXDELETEDID 4', 'OK'],
  [
    'XSETID s 7 ENTRIESADDED 3',
    '-ERR The entries_added specified in XSETID is smaller than the target stream length',
  ],
  ['XSETID s 7 ENTRIESADDED -1', '-ERR entries_added must be positive'],
  ['XSETID s 7 ENTRIESADDED x', '-ERR value is not an integer or out of range'],
  ['XSETID s 7 ENTRIESADDED', '-ERR syntax error'],
  [
    'XSETID s 7 MAXDELETEDID 8',
    '-ERR The ID specified in XSETID is smaller than the provided max_deleted_entry_id',
  ],
  ['XSETID s 7 MAXDELETEDID x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XSETID s 7 FOO 1', '-ERR syntax error'],
  ['XSETID none 1', '-ERR no such key'],
  ['XSETID str 1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['OBJECT ENCODING s', 'stream'],
  ['TYPE s', 'stream'],
];

for (const [line, reply] of cases) {
  stream(line, () => assert.equal(call(prepared(streamLines), line), reply));
}

const announced: readonly (readonly [line: string, events: readonly string[]])[] = [
  ['XADD new 1 a 1', ['~n new new', 't xadd new']],
  ['XADD s 6 a 1', ['t xadd s']],
  ['XADD s MAXLEN 2 6 a 1', ['t xadd s', '~t xtrim s']],
  ['XADD s MAXLEN 9 6 a 1', ['t xadd s']],
  ['XADD none NOMKSTREAM 1 a 1', []],
  ['XTRIM s MAXLEN 1', ['t xtrim s']],
  ['XTRIM s MAXLEN 9', []],
  ['XDEL s 1-1 5', ['t xdel s']],
  ['XDEL s 9', []],
  ['XSETID s 9', ['change', '~t xsetid s']],
  ['XREAD STREAMS s 0', []],
];

for (const [line, events] of announced) {
  stream(`${line} announces ${events.join(', ') || 'nothing'}`, () => {
    const context = prepared(streamLines);
    call(context, line);
    assert.equal(context.takeAnnounced(), events);
  });
}

stream('chooses ids by the clock, and never twice', () => {
  const context = new CallContext();
  const add = (): unknown => call(context, 'XADD s * a 1');
  const ms = context.nowMs;
  assert.equal([add(), add()], [`${ms}-0`, `${ms}-1`]);
  context.nowMs += 5;
  assert.is(add(), `${ms + 5}-0`);
  context.nowMs -= 100;
  assert.is(add(), `${ms + 5}-1`);
  call(context, `XSETID s ${ms + 5}-18446744073709551615`);
  assert.is(add(), `${ms + 6}-0`);
  assert.is(call(context, `XADD s ${ms + 6}-* a 1`), `${ms + 6}-1`);
});

stream('has no id behind the last one', () => {
  const context = new CallContext();
  const last = '18446744073709551615-18446744073709551615';
  assert.is(call(context, `XADD s ${last} a 1`), last);
  const exhausted = '-ERR The stream has exhausted the last possible ID, unable to add more items';
  assert.is(call(context, 'XADD s * a 1'), exhausted);
  call(context, 'XADD t 5-18446744073709551615 a 1');
  const small = '-ERR The ID specified in XADD is equal or smaller than the target stream top item';
  assert.is(call(context, 'XADD t 5-* a 1'), small);
});

stream('keeps any bytes as fields and values', () => {
  const context = new CallContext();
  const texts = ['', '\0', '\r\n', '9223372036854775807', '-1', '007', '\xff', 'x'.repeat(5000)];
  const pairs = texts.flatMap((text) => [text, text]);
  call(context, ['XADD', 's', '1-1', ...pairs]);
  call(context, ['XADD', 's', '1-2', ...pairs]);
  call(context, ['XADD', 's', '1-3', ...pairs.toReversed(), 'a', 'b']);
  const [first, second, third] = call(context, 'XRANGE s - +') as [string, string[]][];
  assert.equal(first, ['1-1', pairs]);
  assert.equal(second, ['1-2', pairs]);
  assert.equal(third, ['1-3', [...pairs.toReversed(), 'a', 'b']]);
});

/** Number of nodes that 250 entries of 10 bytes take under other limits. */
const nodeLimits: readonly (readonly [entries: number, bytes: number, nodes: number])[] = [
  [100, 4096, 3],
  [0, 4096, 2],
  [0, 0, 1],
  [1, 0, 250],
  [100, 400, 14],
];

for (const [entries, bytes, nodes] of nodeLimits) {
  stream(`250 entries take ${nodes} nodes of at most ${entries} entries and ${bytes} bytes`, () => {
    const settings = {
      'encoding.stream-node-max-entries': entries,
      'encoding.stream-node-max-bytes': bytes,
    };
    const context = new CallContext({ settings });
    for (let nth = 1; nth <= 250; nth += 1) call(context, `XADD s ${nth} item ${'x'.repeat(10)}`);
    const info = call(context, 'XINFO STREAM s') as unknown[];
    assert.is(info[info.indexOf('radix-tree-keys') + 1], nodes);
    assert.is((call(context, 'XRANGE s - +') as unknown[]).length, 250);
  });
}

stream('an approximate trimming takes whole nodes, as many as the limit lets it', () => {
  const context = new CallContext({ settings: { 'encoding.stream-node-max-entries': 10 } });
  for (let nth = 1; nth <= 1000; nth += 1) call(context, `XADD s ${nth} a ${nth}`);
  assert.is(call(context, 'XTRIM s MAXLEN ~ 995'), 0);
  assert.is(call(context, 'XTRIM s MAXLEN ~ 985'), 10);
  assert.is(call(context, 'XTRIM s MAXLEN ~ 0 LIMIT 30'), 30);
  assert.is(call(context, 'XTRIM s MINID ~ 65'), 20);
  assert.is(call(context, 'XTRIM s MINID 65'), 4);
  assert.is(call(context, 'XTRIM s MAXLEN ~ 0'), 936);
  assert.is(call(context, 'XLEN s'), 0);
  assert.is(call(context, 'TYPE s'), 'stream');
});

stream('a copy is a stream of its own', () => {
  const context = prepared(streamLines);
  assert.is(call(context, 'COPY s t'), 1);
  const [one, other] = call(context, 'DEBUG DIGEST-VALUE s t') as string[];
  assert.is(one, other);
  call(context, 'XADD t 9 a 1');
  assert.is(call(context, 'XLEN s'), 4);
  const [before, after] = call(context, 'DEBUG DIGEST-VALUE s t') as string[];
  assert.is.not(before, after);
});

stream('costs memory while it has entries', () => {
  const context = new CallContext();
  call(context, 'XGROUP CREATE s g 0 MKSTREAM');
  const empty = call(context, 'MEMORY USAGE s') as number;
  for (let nth = 1; nth <= 5000; nth += 1) call(context, `XADD s ${nth} item ${nth * 7}`);
  call(context, 'XREADGROUP GROUP g c STREAMS s >');
  const full = call(context, 'MEMORY USAGE s') as number;
  assert.ok(full > empty + 5000 * 60 && full < empty + 5000 * 100, `${full - empty} bytes`);
  call(context, 'XTRIM s MAXLEN 0');
  call(context, 'XGROUP DELCONSUMER s g c');
  assert.is(call(context, 'MEMORY USAGE s'), empty);
});

stream.run();
