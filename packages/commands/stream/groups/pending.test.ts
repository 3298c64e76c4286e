/** Deliveries of streams' groups: acknowledged, pending, claimed. The replies were recorded from Redis 7.4.1. */

import { call, prepared } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupLines } from '../stream.test-helper.ts';

const pending = suite('stream pending entries');

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['XACK s g 1-1', 1],
  ['XACK s g 1-1 1-1 1-2 9', 2],
  ['XACK s g 1-1 x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XACK s none x', 0],
  ['XACK none g 1-1', 0],
  ['XACK str g 1-1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XPENDING s g',
    [
      4,
      '1-1',
      '5-0',
      [
        ['c', '2'],
        ['d', '2'],
      ],
    ],
  ],
  ['XPENDING s h', [0, null, null, null]],
  ['XPENDING s none', "-NOGROUP No such key 's' or consumer group 'none'"],
  ['XPENDING none g', "-NOGROUP No such key 'none' or consumer group 'g'"],
  ['XPENDING str g', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XPENDING s g - + 10',
    [
      ['1-1', 'c', 0, 1],
      ['1-2', 'c', 0, 1],
      ['2-0', 'd', 600000, 1],
      ['5-0', 'd', 0, 1],
    ],
  ],
  ['XPENDING s g - + 1', [['1-1', 'c', 0, 1]]],
  ['XPENDING s g - + 0', []],
  ['XPENDING s g - + -1', []],
  ['XPENDING s g - + x', '-ERR value is not an integer or out of range'],
  [
    'XPENDING s g (1-1 (5 10',
    [
      ['1-2', 'c', 0, 1],
      ['2-0', 'd', 600000, 1],
      ['5-0', 'd', 0, 1],
    ],
  ],
  [
    'XPENDING s g - + 10 c',
    [
      ['1-1', 'c', 0, 1],
      ['1-2', 'c', 0, 1],
    ],
  ],
  ['XPENDING s g - + 10 none', []],
  ['XPENDING s g IDLE 500000 - + 10', [['2-0', 'd', 600000, 1]]],
  ['XPENDING s g IDLE 500000 - + 10 c', []],
  [
    'XPENDING s g IDLE 0 - + 10 d',
    [
      ['2-0', 'd', 600000, 1],
      ['5-0', 'd', 0, 1],
    ],
  ],
  ['XPENDING s g IDLE x - + 10', '-ERR value is not an integer or out of range'],
  ['XPENDING s g IDLE 1 - +', '-ERR syntax error'],
  ['XPENDING s g - +', '-ERR syntax error'],
  ['XPENDING s g - + 1 c d', [['1-1', 'c', 0, 1]]],
  ['XPENDING s g x + 1', '-ERR Invalid stream ID specified as stream command argument'],
  ['XPENDING s g - x 1', '-ERR Invalid stream ID specified as stream command argument'],
  [
    'XPENDING s g (18446744073709551615-18446744073709551615 + 1',
    '-ERR invalid start ID for the interval',
  ],
  ['XCLAIM s g e 0 1-1', [['1-1', ['a', '1', 'b', '2']]]],
  [
    'XCLAIM s g e 0 1-1 1-2 2-0',
    [
      ['1-1', ['a', '1', 'b', '2']],
      ['2-0', ['c', '5']],
    ],
  ],
  ['XCLAIM s g e 0 1-1 JUSTID', ['1-1']],
  ['XCLAIM s g e 500000 1-1 2-0 JUSTID', ['2-0']],
  ['XCLAIM s g e -5 1-1 JUSTID', ['1-1']],
  ['XCLAIM s g e 0 9 JUSTID', []],
  ['XCLAIM s h e 0 1-1 1-2 JUSTID', []],
  ['XCLAIM s h e 0 1-1 1-2 FORCE JUSTID', ['1-1']],
  ['XCLAIM s g e 0 1-1 IDLE 10 RETRYCOUNT 7 LASTID 9 TIME 5', [['1-1', ['a', '1', 'b', '2']]]],
  ['XCLAIM s g e 0 1-1 IDLE x', '-ERR Invalid IDLE option argument for XCLAIM'],
  ['XCLAIM s g e 0 1-1 TIME x', '-ERR Invalid TIME option argument for XCLAIM'],
  ['XCLAIM s g e 0 1-1 RETRYCOUNT x', '-ERR Invalid RETRYCOUNT option argument for XCLAIM'],
  ['XCLAIM s g e 0 1-1 LASTID x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XCLAIM s g e 0 1-1 FOO', "-ERR Unrecognized XCLAIM option 'FOO'"],
  ['XCLAIM s g e 0 1-1 IDLE', "-ERR Unrecognized XCLAIM option 'IDLE'"],
  ['XCLAIM s g e 0 JUSTID', []],
  ['XCLAIM s g e x 1-1', '-ERR Invalid min-idle-time argument for XCLAIM'],
  ['XCLAIM s none e x 1-1', "-NOGROUP No such key 's' or consumer group 'none'"],
  ['XCLAIM none g e 0 1-1', "-NOGROUP No such key 'none' or consumer group 'g'"],
  ['XCLAIM str g e 0 1-1', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XAUTOCLAIM s g e 0 -',
    [
      '0-0',
      [
        ['1-1', ['a', '1', 'b', '2']],
        ['2-0', ['c', '5']],
        ['5-0', ['a', '6', 'b', '7']],
      ],
      ['1-2'],
    ],
  ],
  ['XAUTOCLAIM s g e 0 - COUNT 1', ['1-2', [['1-1', ['a', '1', 'b', '2']]], []]],
  ['XAUTOCLAIM s g e 0 1-2 COUNT 1', ['2-0', [], ['1-2']]],
  ['XAUTOCLAIM s g e 0 (1-2 JUSTID', ['0-0', ['2-0', '5-0'], []]],
  ['XAUTOCLAIM s g e 500000 0 JUSTID', ['0-0', ['2-0'], ['1-2']]],
  ['XAUTOCLAIM s h e 0 -', ['0-0', [], []]],
  ['XAUTOCLAIM s g e 0 - COUNT 0', '-ERR COUNT must be > 0'],
  ['XAUTOCLAIM s g e 0 - COUNT x', '-ERR COUNT must be > 0'],
  ['XAUTOCLAIM s g e 0 - COUNT', '-ERR syntax error'],
  ['XAUTOCLAIM s g e 0 - COUNT 576460752303423488', '-ERR COUNT must be > 0'],
  [
    'XAUTOCLAIM s g e 0 - COUNT 576460752303423487',
    '-ERR Insufficient memory, failed allocating transient memory, COUNT too high.',
  ],
  ['XAUTOCLAIM s g e 0 - FOO', '-ERR syntax error'],
  ['XAUTOCLAIM s g e 0 x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XAUTOCLAIM s g e x -', '-ERR Invalid min-idle-time argument for XAUTOCLAIM'],
  ['XAUTOCLAIM s none e 0 -', "-NOGROUP No such key 's' or consumer group 'none'"],
  ['XAUTOCLAIM none g e 0 -', "-NOGROUP No such key 'none' or consumer group 'g'"],
  ['XAUTOCLAIM str g e x -', '-ERR Invalid min-idle-time argument for XAUTOCLAIM'],
  ['XAUTOCLAIM str g e 0 -', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
];

for (const [line, reply] of cases) {
  pending(line, () => assert.equal(call(prepared(groupLines), line), reply));
}

const announced: readonly (readonly [line: string, events: readonly string[]])[] = [
  ['XACK s g 1-1', ['change']],
  ['XACK s g 9', []],
  ['XCLAIM s g new 0 1-1', ['change', '~t xgroup-createconsumer s', 'change']],
  ['XCLAIM s g e 0 1-1', ['change']],
  ['XCLAIM s g e 0 9', []],
  ['XCLAIM s g e 0 9 LASTID 99', ['change']],
  ['XAUTOCLAIM s g e 0 -', ['change']],
  ['XAUTOCLAIM s h c 0 -', ['change', '~t xgroup-createconsumer s']],
];

for (const [line, events] of announced) {
  pending(`${line} announces ${events.join(', ') || 'nothing'}`, () => {
    const context = prepared(groupLines);
    call(context, line);
    assert.equal(context.takeAnnounced(), events);
  });
}

pending('deliver again what is shown again', () => {
  const context = prepared(groupLines);
  context.nowMs += 5000;
  call(context, 'XREADGROUP GROUP g c COUNT 1 STREAMS s 0');
  assert.equal(call(context, 'XPENDING s g - + 2'), [
    ['1-1', 'c', 0, 2],
    ['1-2', 'c', 5000, 1],
  ]);
  assert.equal(call(context, 'XPENDING s g IDLE 5000 - + 9 c'), [['1-2', 'c', 5000, 1]]);
});

pending('drop claimed entries that the stream has no more', () => {
  const context = prepared(groupLines);
  assert.equal(call(context, 'XCLAIM s g e 0 1-2'), []);
  assert.is((call(context, 'XPENDING s g') as unknown[])[0], 3);
  call(context, 'XDEL s 1-1 5-0');
  assert.equal(call(context, 'XAUTOCLAIM s g e 0 - COUNT 2'), [
    '5-0',
    [['2-0', ['c', '5']]],
    ['1-1'],
  ]);
  assert.equal(call(context, 'XAUTOCLAIM s g e 0 5-0'), ['0-0', [], ['5-0']]);
});

pending.run();
