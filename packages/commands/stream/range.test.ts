/** Views of the entries of streams: every command, every error. The replies were recorded from Redis 7.4.1. */

import { call, prepared } from '../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { streamLines } from './stream.test-helper.ts';

const reading = suite('stream reading');

/** The entries of the stream. */
const FIRST = ['1-1', ['a', '1', 'b', '2']];
const SECOND = ['1-2', ['a', '3', 'b', '4']];
const THIRD = ['2-0', ['c', '5']];
const FOURTH = ['5-0', ['a', '6', 'b', '7']];

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['XRANGE s - +', [FIRST, SECOND, THIRD, FOURTH]],
  ['XRANGE s - + COUNT 1', [FIRST]],
  ['XRANGE s - + COUNT 0', null],
  ['XRANGE s - + COUNT -1', null],
  ['XRANGE s - + COUNT', '-ERR syntax error'],
  ['XRANGE s - + COUNT x', '-ERR value is not an integer or out of range'],
  ['XRANGE s - + FOO 1', '-ERR syntax error'],
  ['XRANGE s 1 1', [FIRST, SECOND]],
  ['XRANGE s 1-2 4', [SECOND, THIRD]],
  ['XRANGE s (1-2 +', [THIRD, FOURTH]],
  ['XRANGE s (1 +', [FIRST, SECOND, THIRD, FOURTH]],
  ['XRANGE s - (5-0', [FIRST, SECOND, THIRD]],
  ['XRANGE s - (2', [FIRST, SECOND, THIRD]],
  [
    'XRANGE s (18446744073709551615-18446744073709551615 +',
    '-ERR invalid start ID for the interval',
  ],
  ['XRANGE s - (0-0', '-ERR invalid end ID for the interval'],
  ['XRANGE s (- +', '-ERR Invalid stream ID specified as stream command argument'],
  ['XRANGE s - (+', '-ERR Invalid stream ID specified as stream command argument'],
  ['XRANGE s + -', []],
  ['XRANGE s 3 4', []],
  ['XRANGE s x +', '-ERR Invalid stream ID specified as stream command argument'],
  ['XRANGE s - x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XRANGE s ( +', '-ERR Invalid stream ID specified as stream command argument'],
  ['XRANGE none - +', []],
  ['XRANGE str - +', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XRANGE str x +', '-ERR Invalid stream ID specified as stream command argument'],
  ['XREVRANGE s + -', [FOURTH, THIRD, SECOND, FIRST]],
  ['XREVRANGE s + - COUNT 1', [FOURTH]],
  ['XREVRANGE s (5 (1-1', [FOURTH, THIRD, SECOND]],
  ['XREVRANGE s 4 2', [THIRD]],
  ['XREVRANGE s - +', []],
  ['XREVRANGE s x -', '-ERR Invalid stream ID specified as stream command argument'],
  ['XREVRANGE none + -', []],
  ['XREVRANGE str + -', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XREAD STREAMS s 0', [['s', [FIRST, SECOND, THIRD, FOURTH]]]],
  ['XREAD STREAMS s 1-1', [['s', [SECOND, THIRD, FOURTH]]]],
  ['XREAD COUNT 1 STREAMS s 0', [['s', [FIRST]]]],
  ['XREAD COUNT -1 STREAMS s 2', [['s', [FOURTH]]]],
  ['XREAD STREAMS s 5', null],
  ['XREAD STREAMS s $', null],
  ['XREAD STREAMS s +', [['s', [FOURTH]]]],
  ['XREAD COUNT 5 STREAMS s none 5 0', null],
  [
    'XREAD STREAMS s s 2 1-2',
    [
      ['s', [FOURTH]],
      ['s', [THIRD, FOURTH]],
    ],
  ],
  ['XREAD STREAMS none $', null],
  ['XREAD STREAMS none +', null],
  ['XREAD STREAMS none 0', null],
  [
    'XREAD STREAMS s >',
    '-ERR The > ID can be specified only when calling XREADGROUP using the GROUP <group> <consumer> option.',
  ],
  ['XREAD STREAMS s -', '-ERR Invalid stream ID specified as stream command argument'],
  ['XREAD STREAMS s x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XREAD STREAMS s 18446744073709551615-18446744073709551615', null],
  ['XREAD STREAMS s', "-ERR wrong number of arguments for 'xread' command"],
  [
    'XREAD STREAMS s t 0',
    "-ERR Unbalanced 'xread' list of streams: for each stream key an ID or '$' must be specified.",
  ],
  ['XREAD STREAMS str 0', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XREAD STREAMS none str 0 0',
    '-WRONGTYPE Operation against a key holding the wrong kind of value',
  ],
  ['XREAD COUNT x STREAMS s 0', '-ERR value is not an integer or out of range'],
  ['XREAD COUNT 1 2 s 0', '-ERR syntax error'],
  ['XREAD BLOCK -1 STREAMS s 0', '-ERR timeout is negative'],
  ['XREAD BLOCK x STREAMS s 0', '-ERR timeout is not an integer or out of range'],
  ['XREAD BLOCK 9223372036854775807 STREAMS s 2', '-ERR timeout is out of range'],
  ['XREAD BLOCK 5 STREAMS s 2', [['s', [FOURTH]]]],
  [
    'XREAD GROUP g c STREAMS s 0',
    '-ERR The GROUP option is only supported by XREADGROUP. You called XREAD instead.',
  ],
  [
    'XREAD NOACK STREAMS s 0',
    '-ERR The NOACK option is only supported by XREADGROUP. You called XREAD instead.',
  ],
  ['XREAD BLOCK 1 COUNT 1', '-ERR syntax error'],
  [
    'XINFO STREAM s',
    [
      'length',
      4,
      'radix-tree-keys',
      1,
      'radix-tree-nodes',
      2,
      'last-generated-id',
      '5-0',
      'max-deleted-entry-id',
      '0-0',
      'entries-added',
      4,
      'recorded-first-entry-id',
      '1-1',
      'groups',
      0,
      'first-entry',
      FIRST,
      'last-entry',
      FOURTH,
    ],
  ],
  ['XINFO STREAM none', '-ERR no such key'],
  ['XINFO STREAM str', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XINFO STREAM s FOO',
    "-ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
  ],
  [
    'XINFO STREAM s FULL COUNT',
    "-ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
  ],
  [
    'XINFO STREAM s FULL FOO 1',
    "-ERR unknown subcommand or wrong number of arguments for 'STREAM'. Try XINFO HELP.",
  ],
  ['XINFO STREAM s FULL COUNT x', '-ERR value is not an integer or out of range'],
  [
    'XINFO STREAM s FULL COUNT 1',
    [
      'length',
      4,
      'radix-tree-keys',
      1,
      'radix-tree-nodes',
      2,
      'last-generated-id',
      '5-0',
      'max-deleted-entry-id',
      '0-0',
      'entries-added',
      4,
      'recorded-first-entry-id',
      '1-1',
      'entries',
      [FIRST],
      'groups',
      [],
    ],
  ],
  [
    'XINFO STREAM s FULL',
    [
      'length',
      4,
      'radix-tree-keys',
      1,
      'radix-tree-nodes',
      2,
      'last-generated-id',
      '5-0',
      'max-deleted-entry-id',
      '0-0',
      'entries-added',
      4,
      'recorded-first-entry-id',
      '1-1',
      'entries',
      [FIRST, SECOND, THIRD, FOURTH],
      'groups',
      [],
    ],
  ],
  ['XINFO FOO s', "-ERR unknown subcommand 'FOO'. Try XINFO HELP."],
];

for (const [line, reply] of cases) {
  reading(line, () => assert.equal(call(prepared(streamLines), line), reply));
}

reading('is a map in RESP3 where streams are named', () => {
  const context = prepared(streamLines, { protocol: 3 });
  const reply = call(context, 'XREAD COUNT 1 STREAMS s none 0 0');
  assert.equal(reply, new Map([['s', [FIRST]]]));
  assert.is(call(context, 'XREAD STREAMS s 9'), null);
  assert.is((call(context, 'XINFO STREAM s') as Map<string, unknown>).get('length'), 4);
});

reading.run();
