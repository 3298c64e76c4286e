/** Consumer groups of streams: who reads what. The replies were recorded from Redis 7.4.1. */

import { call, CallContext, prepared } from '../../call.test-helper.ts';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupLines } from '../stream.test-helper.ts';

const groups = suite('stream groups');

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
  groups(line, () => assert.equal(call(prepared(groupLines), line), reply));
}

const announced: readonly (readonly [line: string, events: readonly string[]])[] = [
  ['XGROUP CREATE s i $', ['change', '~t xgroup-create s']],
  ['XGROUP CREATE new i $ MKSTREAM', ['~n new new', 't xgroup-create new']],
  ['XGROUP SETID s g 0', ['change', '~t xgroup-setid s']],
  ['XGROUP DESTROY s g', ['change', '~t xgroup-destroy s']],
  ['XGROUP DESTROY s none', []],
  ['XGROUP CREATECONSUMER s g new', ['change', '~t xgroup-createconsumer s']],
  ['XGROUP CREATECONSUMER s g c', []],
  ['XGROUP DELCONSUMER s g c', ['change', '~t xgroup-delconsumer s']],
  ['XGROUP DELCONSUMER s g none', []],
  ['XREADGROUP GROUP h new STREAMS s >', ['change', '~t xgroup-createconsumer s', 'change']],
  ['XREADGROUP GROUP g c STREAMS s >', []],
  // What is shown again is delivered again: that must be in the log.
  ['XREADGROUP GROUP g c STREAMS s 0', ['uncounted']],
  ['XREADGROUP GROUP g c STREAMS s 9', []],
];

for (const [line, events] of announced) {
  groups(`${line} announces ${events.join(', ') || 'nothing'}`, () => {
    const context = prepared(groupLines);
    call(context, line);
    assert.equal(context.takeAnnounced(), events);
  });
}

/** A field of XINFO GROUPS' first group. */
function reported(context: CallContext, field: string): unknown {
  const [info] = call(context, 'XINFO GROUPS s') as unknown[][];
  return info![info!.indexOf(field) + 1];
}

groups('count what they have read, and how far they are behind', () => {
  const context = new CallContext();
  call(context, 'XGROUP CREATE s g 0 MKSTREAM');
  const state = (): unknown[] => [reported(context, 'entries-read'), reported(context, 'lag')];
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
  const context = prepared(groupLines);
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

groups('let a claim say when and how often an entry was delivered', () => {
  const context = prepared(groupLines);
  call(context, 'XCLAIM s g e 0 1-1 IDLE 700 RETRYCOUNT 9');
  call(context, `XCLAIM s g e 0 5-0 TIME ${context.nowMs - 40} JUSTID`);
  call(context, `XCLAIM s h e 0 5-0 TIME ${context.nowMs + 40} FORCE`);
  assert.equal(call(context, 'XPENDING s g - + 9 e'), [
    ['1-1', 'e', 700, 9],
    ['5-0', 'e', 40, 1],
  ]);
  assert.equal(call(context, 'XPENDING s h - + 9'), [['5-0', 'e', 0, 2]]);
  call(context, 'XCLAIM s g c 0 1-1 LASTID 77-7');
  assert.is(reported(context, 'last-delivered-id'), '77-7');
});

groups('show all of a stream', () => {
  const context = prepared(groupLines, { protocol: 3 });
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
