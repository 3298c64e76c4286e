/** Consumer groups of streams: every command, every error. The replies were recorded from Redis 7.4.1. */

import { call, CallContext } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const groups = suite('stream groups');

/** A stream with two groups, of which one has delivered everything, and a string. */
const setup = [
  'XADD s 1-1 a 1 b 2',
  'XADD s 1-2 a 3 b 4',
  'XADD s 2-0 c 5',
  'XADD s 5-0 a 6 b 7',
  'SET str x',
  'XGROUP CREATE s g 0',
  'XGROUP CREATE s h 2 ENTRIESREAD 3',
  'XREADGROUP GROUP g c COUNT 3 STREAMS s >',
  'XREADGROUP GROUP g d STREAMS s >',
  'XDEL s 1-2',
  'XCLAIM s g d 0 2-0 IDLE 600000 JUSTID',
  'XGROUP CREATECONSUMER s g e',
];

const cases: readonly (readonly [line: string, reply: unknown])[] = [
  ['XGROUP CREATE s g $', '-BUSYGROUP Consumer Group name already exists'],
  ['XGROUP CREATE s i $', 'OK'],
  ['XGROUP CREATE s i 1-1', 'OK'],
  ['XGROUP CREATE s i x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XGROUP CREATE s i -', '-ERR Invalid stream ID specified as stream command argument'],
  [
    'XGROUP CREATE none g $',
    '-ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  ],
  ['XGROUP CREATE none g $ MKSTREAM', 'OK'],
  ['XGROUP CREATE none g 5 MKSTREAM ENTRIESREAD 3', 'OK'],
  ['XGROUP CREATE s i $ ENTRIESREAD -1', 'OK'],
  ['XGROUP CREATE s i $ ENTRIESREAD -2', '-ERR value for ENTRIESREAD must be positive or -1'],
  ['XGROUP CREATE s i $ ENTRIESREAD x', '-ERR value is not an integer or out of range'],
  [
    'XGROUP CREATE s i $ ENTRIESREAD',
    "-ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
  ],
  [
    'XGROUP CREATE s i $ FOO',
    "-ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
  ],
  [
    'XGROUP CREATE s i $ MKSTREAM MKSTREAM MKSTREAM MKSTREAM',
    "-ERR unknown subcommand or wrong number of arguments for 'CREATE'. Try XGROUP HELP.",
  ],
  ['XGROUP CREATE str g $', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XGROUP CREATE s i', "-ERR wrong number of arguments for 'xgroup|create' command"],
  ['XGROUP SETID s g $', 'OK'],
  ['XGROUP SETID s g 1-1 ENTRIESREAD 1', 'OK'],
  ['XGROUP SETID s g -', 'OK'],
  ['XGROUP SETID s g x', '-ERR Invalid stream ID specified as stream command argument'],
  ['XGROUP SETID s none $', "-NOGROUP No such consumer group 'none' for key name 's'"],
  [
    'XGROUP SETID none g $',
    '-ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  ],
  [
    'XGROUP SETID s g $ MKSTREAM',
    "-ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.",
  ],
  [
    'XGROUP SETID s g $ ENTRIESREAD 1 ENTRIESREAD 2',
    "-ERR unknown subcommand or wrong number of arguments for 'SETID'. Try XGROUP HELP.",
  ],
  ['XGROUP SETID str g $', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XGROUP DESTROY s g', 1],
  ['XGROUP DESTROY s none', 0],
  [
    'XGROUP DESTROY none g',
    '-ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  ],
  ['XGROUP DESTROY str g', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  ['XGROUP CREATECONSUMER s g new', 1],
  ['XGROUP CREATECONSUMER s g c', 0],
  ['XGROUP CREATECONSUMER s none c', "-NOGROUP No such consumer group 'none' for key name 's'"],
  [
    'XGROUP CREATECONSUMER none g c',
    '-ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the MKSTREAM option to create an empty stream automatically.',
  ],
  ['XGROUP DELCONSUMER s g c', 2],
  ['XGROUP DELCONSUMER s g e', 0],
  ['XGROUP DELCONSUMER s g none', 0],
  ['XGROUP DELCONSUMER s none c', "-NOGROUP No such consumer group 'none' for key name 's'"],
  ['XGROUP FOO s g', "-ERR unknown subcommand 'FOO'. Try XGROUP HELP."],
  [
    'XREADGROUP GROUP g c STREAMS s 0',
    [
      [
        's',
        [
          ['1-1', ['a', '1', 'b', '2']],
          ['1-2', null],
        ],
      ],
    ],
  ],
  ['XREADGROUP GROUP g c COUNT 1 STREAMS s 0', [['s', [['1-1', ['a', '1', 'b', '2']]]]]],
  ['XREADGROUP GROUP g c STREAMS s 1-1', [['s', [['1-2', null]]]]],
  [
    'XREADGROUP GROUP g d STREAMS s 0',
    [
      [
        's',
        [
          ['2-0', ['c', '5']],
          ['5-0', ['a', '6', 'b', '7']],
        ],
      ],
    ],
  ],
  ['XREADGROUP GROUP g e STREAMS s 0', [['s', []]]],
  ['XREADGROUP GROUP g new STREAMS s 0', [['s', []]]],
  ['XREADGROUP GROUP g c STREAMS s >', null],
  ['XREADGROUP GROUP h c STREAMS s >', [['s', [['5-0', ['a', '6', 'b', '7']]]]]],
  ['XREADGROUP GROUP h c NOACK STREAMS s >', [['s', [['5-0', ['a', '6', 'b', '7']]]]]],
  ['XREADGROUP GROUP h c COUNT 1 STREAMS s s > >', [['s', [['5-0', ['a', '6', 'b', '7']]]]]],
  [
    'XREADGROUP GROUP g c STREAMS s $',
    '-ERR The $ ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The $ ID would just return an empty result set.',
  ],
  [
    'XREADGROUP GROUP g c STREAMS s +',
    '-ERR The + ID is meaningless in the context of XREADGROUP: you want to read the history of this consumer by specifying a proper ID, or use the > ID to get new messages. The + ID would just return an empty result set.',
  ],
  [
    'XREADGROUP GROUP g c STREAMS s x',
    '-ERR Invalid stream ID specified as stream command argument',
  ],
  [
    'XREADGROUP GROUP none c STREAMS s >',
    "-NOGROUP No such key 's' or consumer group 'none' in XREADGROUP with GROUP option",
  ],
  [
    'XREADGROUP GROUP g c STREAMS none >',
    "-NOGROUP No such key 'none' or consumer group 'g' in XREADGROUP with GROUP option",
  ],
  [
    'XREADGROUP GROUP g c STREAMS str >',
    '-WRONGTYPE Operation against a key holding the wrong kind of value',
  ],
  ['XREADGROUP GROUP g c STREAMS s', "-ERR wrong number of arguments for 'xreadgroup' command"],
  [
    'XREADGROUP GROUP g c STREAMS s t >',
    "-ERR Unbalanced 'xreadgroup' list of streams: for each stream key an ID or '>' must be specified.",
  ],
  ['XREADGROUP COUNT 1 NOACK NOACK STREAMS s >', '-ERR Missing GROUP option for XREADGROUP'],
  ['XREADGROUP GROUP g c FOO STREAMS s >', '-ERR syntax error'],
  ['XREADGROUP GROUP g c BLOCK -1 STREAMS s >', '-ERR timeout is negative'],
  ['XREADGROUP GROUP g c BLOCK 10 STREAMS s 5', [['s', []]]],
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
  [
    'XINFO GROUPS s',
    [
      [
        'name',
        'g',
        'consumers',
        3,
        'pending',
        4,
        'last-delivered-id',
        '5-0',
        'entries-read',
        4,
        'lag',
        0,
      ],
      [
        'name',
        'h',
        'consumers',
        0,
        'pending',
        0,
        'last-delivered-id',
        '2-0',
        'entries-read',
        3,
        'lag',
        1,
      ],
    ],
  ],
  ['XINFO GROUPS none', '-ERR no such key'],
  ['XINFO GROUPS str', '-WRONGTYPE Operation against a key holding the wrong kind of value'],
  [
    'XINFO CONSUMERS s g',
    [
      ['name', 'c', 'pending', 2, 'idle', 0, 'inactive', 0],
      ['name', 'd', 'pending', 2, 'idle', 0, 'inactive', 0],
      ['name', 'e', 'pending', 0, 'idle', 0, 'inactive', -1],
    ],
  ],
  ['XINFO CONSUMERS s h', []],
  ['XINFO CONSUMERS s none', "-NOGROUP No such consumer group 'none' for key name 's'"],
  ['XINFO CONSUMERS none g', '-ERR no such key'],
  [
    'XINFO STREAM s',
    [
      'length',
      3,
      'radix-tree-keys',
      1,
      'radix-tree-nodes',
      2,
      'last-generated-id',
      '5-0',
      'max-deleted-entry-id',
      '1-2',
      'entries-added',
      4,
      'recorded-first-entry-id',
      '1-1',
      'groups',
      2,
      'first-entry',
      ['1-1', ['a', '1', 'b', '2']],
      'last-entry',
      ['5-0', ['a', '6', 'b', '7']],
    ],
  ],
];

for (const [line, reply] of cases) {
  groups(line, () => assert.equal(call(prepared(), line), reply));
}

function prepared(options: ConstructorParameters<typeof CallContext>[0] = {}): CallContext {
  const context = new CallContext(options);
  for (const line of setup) call(context, line);
  context.takeAnnounced();
  return context;
}

const announced: readonly (readonly [line: string, events: readonly string[]])[] = [
  ['XGROUP CREATE s i $', ['t xgroup-create s']],
  ['XGROUP CREATE new i $ MKSTREAM', ['~n new new', 't xgroup-create new']],
  ['XGROUP SETID s g 0', ['t xgroup-setid s']],
  ['XGROUP DESTROY s g', ['t xgroup-destroy s']],
  ['XGROUP DESTROY s none', []],
  ['XGROUP CREATECONSUMER s g new', ['t xgroup-createconsumer s']],
  ['XGROUP CREATECONSUMER s g c', []],
  ['XGROUP DELCONSUMER s g c', ['t xgroup-delconsumer s']],
  ['XGROUP DELCONSUMER s g none', []],
  ['XREADGROUP GROUP h new STREAMS s >', ['t xgroup-createconsumer s']],
  ['XREADGROUP GROUP g c STREAMS s >', []],
  ['XREADGROUP GROUP g c STREAMS s 0', []],
  ['XACK s g 1-1', ['change']],
  ['XACK s g 9', []],
  ['XCLAIM s g new 0 1-1', ['t xgroup-createconsumer s']],
  ['XCLAIM s g e 0 1-1', ['change']],
  ['XCLAIM s g e 0 9', []],
  ['XCLAIM s g e 0 9 LASTID 99', ['change']],
  ['XAUTOCLAIM s g e 0 -', ['change']],
  ['XAUTOCLAIM s h c 0 -', ['t xgroup-createconsumer s']],
];

for (const [line, events] of announced) {
  groups(`${line} announces ${events.join(', ') || 'nothing'}`, () => {
    const context = prepared();
    call(context, line);
    assert.equal(context.takeAnnounced(), events);
  });
}

/** A field of XINFO GROUPS' first group. */
function told(context: CallContext, field: string): unknown {
  const [info] = call(context, 'XINFO GROUPS s') as unknown[][];
  return info![info!.indexOf(field) + 1];
}

groups('count what they have read, and how far they are behind', () => {
  const context = new CallContext();
  call(context, 'XGROUP CREATE s g 0 MKSTREAM');
  const state = (): unknown[] => [told(context, 'entries-read'), told(context, 'lag')];
  assert.equal(state(), [null, 0]);
  for (let nth = 1; nth <= 6; nth += 1) call(context, `XADD s ${nth}-0 a 1`);
  assert.equal(state(), [null, 6]);
  call(context, 'XREADGROUP GROUP g c COUNT 2 STREAMS s >');
  assert.equal(state(), [2, 4]);
  call(context, 'XDEL s 1-0 2-0');
  assert.equal(state(), [2, 4]);
  call(context, 'XDEL s 5-0');
  assert.equal(state(), [2, null]);
  call(context, 'XREADGROUP GROUP g c COUNT 2 STREAMS s >');
  assert.equal(state(), [null, null]);
  call(context, 'XREADGROUP GROUP g c STREAMS s >');
  assert.equal(state(), [6, 0]);
  call(context, 'XGROUP SETID s g 3-0 ENTRIESREAD 3');
  assert.equal(state(), [3, null]);
});

groups('know when consumers were seen and active', () => {
  const context = prepared();
  const times = (): unknown[][] =>
    (call(context, 'XINFO CONSUMERS s g') as unknown[][]).map((each) => [each[5], each[7]]);
  context.nowMs += 1000;
  assert.equal(times(), [
    [1000, 1000],
    [1000, 1000],
    [1000, -1],
  ]);
  call(context, 'XREADGROUP GROUP g c STREAMS s >');
  call(context, 'XCLAIM s g e 0 1-1');
  assert.equal(times(), [
    [0, 1000],
    [1000, 1000],
    [0, 0],
  ]);
});

groups('deliver again what is shown again', () => {
  const context = prepared();
  context.nowMs += 5000;
  call(context, 'XREADGROUP GROUP g c COUNT 1 STREAMS s 0');
  assert.equal(call(context, 'XPENDING s g - + 2'), [
    ['1-1', 'c', 0, 2],
    ['1-2', 'c', 5000, 1],
  ]);
  assert.equal(call(context, 'XPENDING s g IDLE 5000 - + 9 c'), [['1-2', 'c', 5000, 1]]);
});

groups('let a claim say when and how often an entry was delivered', () => {
  const context = prepared();
  call(context, 'XCLAIM s g e 0 1-1 IDLE 700 RETRYCOUNT 9');
  call(context, `XCLAIM s g e 0 5-0 TIME ${context.nowMs - 40} JUSTID`);
  call(context, `XCLAIM s h e 0 5-0 TIME ${context.nowMs + 40} FORCE`);
  assert.equal(call(context, 'XPENDING s g - + 9 e'), [
    ['1-1', 'e', 700, 9],
    ['5-0', 'e', 40, 1],
  ]);
  assert.equal(call(context, 'XPENDING s h - + 9'), [['5-0', 'e', 0, 2]]);
  call(context, 'XCLAIM s g c 0 1-1 LASTID 77-7');
  assert.is(told(context, 'last-delivered-id'), '77-7');
});

groups('drop claimed entries that the stream has no more', () => {
  const context = prepared();
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

groups('show all of a stream', () => {
  const context = prepared({ protocol: 3 });
  const info = call(context, 'XINFO STREAM s FULL COUNT 1') as Map<string, unknown>;
  assert.equal(info.get('entries'), [['1-1', ['a', '1', 'b', '2']]]);
  const [group] = info.get('groups') as Map<string, unknown>[];
  const { nowMs } = context;
  assert.equal(group!.get('pel-count'), 4);
  assert.equal(group!.get('pending'), [['1-1', 'c', nowMs, 1]]);
  const [consumer, , idle] = group!.get('consumers') as Map<string, unknown>[];
  assert.equal(
    [...consumer!],
    [
      ['name', 'c'],
      ['seen-time', nowMs],
      ['active-time', nowMs],
      ['pel-count', 2],
      ['pending', [['1-1', nowMs, 1]]],
    ],
  );
  assert.is(idle!.get('active-time'), -1);
});

for (const line of ['XGROUP HELP', 'XINFO HELP']) {
  const [name] = line.split(' ');
  groups(`${line} tells what there is`, () => {
    const [head, ...lines] = call(new CallContext(), line) as string[];
    assert.match(head!, new RegExp(`^${name} <subcommand>`));
    assert.ok(lines.includes('    Print this help.'));
  });
}

groups.run();
