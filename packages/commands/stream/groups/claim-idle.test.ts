/** Cases of the documentation for XREADGROUP CLAIM (Redis 8.4) and XNACK (8.8). */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Random, withRandom } from '#testkit';
import { call, type CallContext, prepared } from '../../call.test-helper.ts';
import { lineOf } from '../stream.test-helper.ts';

const claiming = suite('idle and released entries');

const NOT_INTEGER = '-ERR min-idle-time is not an integer or out of range';
const READ = 'XREADGROUP GROUP g';

/** Entries 1 to 3 are pending of c, delivered a second apart; 4 and 5 are new for the group. */
function delivered(options = {}): CallContext {
  const context = prepared(
    [...[1, 2, 3, 4, 5].map((id) => `XADD s ${id} f v${id}`), 'XGROUP CREATE s g 0', 'SET str x'],
    options,
  );
  for (let nth = 0; nth < 3; nth += 1) {
    call(context, `${READ} c COUNT 1 STREAMS s >`);
    context.nowMs += 1_000;
  }
  context.takeAnnounced();
  return context;
}

const entry = (id: number, idle: number, deliveries: number): unknown => [
  `${id}-0`,
  ['f', `v${id}`],
  idle,
  deliveries,
];

const replies: readonly (readonly [line: string, reply: unknown])[] = [
  [
    `${READ} d CLAIM 2000 STREAMS s >`,
    [['s', [entry(1, 3000, 1), entry(2, 2000, 1), entry(4, 0, 0), entry(5, 0, 0)]]],
  ],
  [`${READ} d COUNT 1 CLAIM 0 STREAMS s >`, [['s', [entry(1, 3000, 1)]]]],
  [
    `${READ} d CLAIM 1001 COUNT 3 STREAMS s >`,
    [['s', [1, 2].map((id) => entry(id, 4000 - id * 1000, 1)).concat([entry(4, 0, 0)])]],
  ],
  [`${READ} c CLAIM 5000 COUNT 1 STREAMS s >`, [['s', [entry(4, 0, 0)]]]],
  [`${READ} d CLAIM 3001 COUNT 1 STREAMS s 0`, [['s', []]]],
  [`${READ} c CLAIM 0 COUNT 1 STREAMS s 0`, [['s', [['1-0', ['f', 'v1']]]]]],
  [`${READ} d CLAIM x STREAMS s >`, NOT_INTEGER],
  [`${READ} d CLAIM 9223372036854775808 STREAMS s >`, NOT_INTEGER],
  [`${READ} d CLAIM 1.5 STREAMS s >`, NOT_INTEGER],
  [`${READ} d CLAIM -1 STREAMS s >`, '-ERR min-idle-time must be a positive integer'],
  [
    'XREAD CLAIM 1 STREAMS s 0',
    '-ERR The CLAIM option is only supported by XREADGROUP. You called XREAD instead.',
  ],
  [`${READ} d CLAIM STREAMS s >`, NOT_INTEGER],
  ['XNACK s g FAIL IDS 3 1 3 9', 2],
  ['XNACK s g silent ids 1 1', 1],
  ['XNACK s g FAIL IDS 2 1 1', 1],
  ['XNACK s none FAIL IDS 1 1', 0],
  ['XNACK none g FAIL IDS 1 1', 0],
  ['XNACK s g FAIL IDS 1 4', 0],
  ['XNACK s g FAIL IDS 2 4 9 FORCE', 1],
  ['XNACK s g FOO IDS 1 1', '-ERR XNACK mode must be SILENT, FAIL, or FATAL'],
  ['XNACK s g FAIL FOO 1 1', '-ERR syntax error, expected IDS keyword'],
  ['XNACK s g FAIL IDS 0 1', '-ERR numids must be positive'],
  ['XNACK s g FAIL IDS x 1', '-ERR value is not an integer or out of range'],
  ['XNACK s g FAIL IDS 2 1', "-ERR number of IDs doesn't match numids"],
  ['XNACK s g FAIL IDS 9223372036854775807 1', "-ERR number of IDs doesn't match numids"],
  ['XNACK s g FAIL IDS 1 1 FOO', "-ERR Unrecognized XNACK option 'FOO'"],
  ['XNACK s g FAIL IDS 1 1 RETRYCOUNT -1', '-ERR Invalid RETRYCOUNT value, must be >= 0'],
  ['XNACK s g FAIL IDS 1 x', '-ERR Invalid stream ID specified as stream command argument'],
  [
    'XNACK str g FAIL IDS 1 1',
    '-WRONGTYPE Operation against a key holding the wrong kind of value',
  ],
];

for (const [line, reply] of replies) {
  claiming(line, () => assert.equal(call(delivered(), line), reply));
}

const pendingOf = (context: CallContext): unknown => call(context, 'XPENDING s g - + 10');

claiming('moves entries to the consumer, and counts the delivery', () => {
  const context = delivered();
  call(context, `${READ} d CLAIM 2000 COUNT 2 STREAMS s >`);
  assert.equal(context.takeAnnounced(), [...['change', '~t xgroup-createconsumer s'], 'change']);
  assert.equal(pendingOf(context), [
    ['1-0', 'd', 0, 2],
    ['2-0', 'd', 0, 2],
    ['3-0', 'c', 1000, 1],
  ]);
});

claiming('takes nothing twice in one reply, whatever the idle time', () => {
  const context = delivered();
  const [[, served]] = call(context, `${READ} d CLAIM 0 STREAMS s >`) as [[string, unknown[]]];
  assert.is(served.length, 5);
  const [[, again]] = call(context, `${READ} c CLAIM 0 STREAMS s >`) as [[string, unknown[]]];
  assert.equal(
    again.map((each) => (each as [string])[0]),
    ['1-0', '2-0', '3-0', '4-0', '5-0'],
  );
});

claiming('passes over entries that are deleted, which stay pending', () => {
  const context = delivered();
  call(context, 'XDEL s 1 4 5');
  assert.equal(call(context, `${READ} d CLAIM 2000 STREAMS s >`), [['s', [entry(2, 2000, 1)]]]);
  assert.is((pendingOf(context) as unknown[]).length, 3);
  assert.equal(call(context, `${READ} d CLAIM 2000 STREAMS s >`), null);
});

claiming('with NOACK keeps what it claims pending, and nothing new', () => {
  const context = delivered();
  call(context, `${READ} d CLAIM 3000 NOACK STREAMS s >`);
  const owners = (pendingOf(context) as [string, string][]).map(([id, owner]) => [id, owner]);
  assert.equal(owners, [
    ['1-0', 'd'],
    ['2-0', 'c'],
    ['3-0', 'c'],
  ]);
});

claiming('is logged as the entries that it took', () => {
  const context = delivered();
  context.isLogged = true;
  call(context, `${READ} c CLAIM 3000 COUNT 2 STREAMS s >`);
  const texts = context.logged.map(lineOf);
  assert.equal(texts, [
    'XGROUP SETID s g 4-0 ENTRIESREAD 4',
    `XCLAIM s g c 0 1-0 TIME ${context.nowMs} RETRYCOUNT 2 FORCE JUSTID LASTID 4-0`,
    `XCLAIM s g c 0 4-0 TIME ${context.nowMs} RETRYCOUNT 1 FORCE JUSTID LASTID 4-0`,
  ]);
});

claiming('waits until an entry will have been idle for long enough', () => {
  const context = delivered();
  call(context, `${READ} c STREAMS s >`);
  call(context, `${READ} d BLOCK 0 CLAIM 10000 STREAMS s >`);
  assert.is(context.waited.at(-1)!.dueMs, context.nowMs - 3_000 + 10_000);
  call(context, `${READ} d BLOCK 0 STREAMS s >`);
  assert.is(context.waited.at(-1)!.dueMs, undefined);
  call(context, 'XACK s g 1 2 3 4 5');
  call(context, `${READ} d BLOCK 0 CLAIM 10000 STREAMS s >`);
  assert.is(context.waited.at(-1)!.dueMs, context.nowMs + 10_000);
});

claiming('released entries come first, in the order of their release, and at any idle time', () => {
  const context = delivered();
  call(context, 'XNACK s g FAIL IDS 2 3 1');
  const idle = context.nowMs;
  assert.equal(call(context, `${READ} d CLAIM 100000 COUNT 3 STREAMS s >`), [
    ['s', [entry(3, idle, 1), entry(1, idle, 1), entry(4, 0, 0)]],
  ]);
});

const counts: readonly (readonly [line: string, deliveries: unknown])[] = [
  ['XNACK s g SILENT IDS 1 1', 0],
  ['XNACK s g FAIL IDS 1 1', 1],
  ['XNACK s g FATAL IDS 1 1', 9223372036854775807n],
  ['XNACK s g FATAL IDS 1 1 RETRYCOUNT 7', 7],
  ['XNACK s g SILENT IDS 1 1 RETRYCOUNT 0', 0],
];

for (const [line, deliveries] of counts) {
  claiming(`${line} leaves ${String(deliveries)} deliveries`, () => {
    const context = delivered();
    call(context, line);
    const [first] = pendingOf(context) as unknown[][];
    assert.equal(first!.slice(0, 3), ['1-0', '', -1]);
    assert.is(String(first![3]), String(deliveries));
  });
}

claiming('a failed entry stays at the most deliveries, also in the log and in a dump', () => {
  const context = delivered();
  call(context, 'XNACK s g FATAL IDS 1 1');
  context.isReplicated = true;
  call(context, 'XCLAIM s g d 0 1');
  assert.match(lineOf(context.logged[1]!), 'RETRYCOUNT 9223372036854775807');
  const dump = call(context, 'DUMP s') as string;
  call(context, ['RESTORE', 't', '0', dump]);
  assert.equal(call(context, 'XPENDING t g - + 10'), pendingOf(context));
});

claiming('released entries are counted, and are no consumer’s', () => {
  const context = delivered({ protocol: 3 });
  call(context, 'XNACK s g FAIL IDS 2 1 2');
  call(context, 'XNACK s g SILENT IDS 1 5 FORCE');
  const info = call(context, 'XINFO STREAM s FULL') as Map<string, unknown>;
  const [group] = info.get('groups') as Map<string, unknown>[];
  assert.is(group!.get('pel-count'), 4);
  assert.is(group!.get('nacked-count'), 3);
  assert.equal(group!.get('pending'), [
    ...[1, 2].map((id) => [`${id}-0`, '', 0, 1]),
    ['3-0', 'c', context.nowMs - 1_000, 1],
    ['5-0', '', 0, 0],
  ]);
  assert.is(call(context, 'XGROUP DELCONSUMER s g c'), 1);
  assert.is(call(context, 'XACK s g 1'), 1);
  assert.equal(call(context, 'XACKDEL s g IDS 1 2'), [1]);
  assert.equal(call(context, 'XAUTOCLAIM s g d 1000000 0 JUSTID'), ['0-0', ['5-0'], []]);
  call(context, 'XGROUP DESTROY s g');
  call(context, 'XTRIM s MAXLEN 0');
});

claiming('released entries survive DUMP and COPY with their order', () => {
  const context = delivered();
  call(context, 'XNACK s g FAIL IDS 3 3 1 2');
  call(context, ['RESTORE', 't', '0', call(context, 'DUMP s') as string]);
  call(context, 'COPY s u');
  for (const key of ['s', 't', 'u']) {
    const [[, served]] = call(context, `${READ} d CLAIM 1 COUNT 3 STREAMS ${key} >`) as [
      [string, [string][]],
    ];
    assert.equal(
      served.map(([id]) => id),
      ['3-0', '1-0', '2-0'],
      key,
    );
  }
});

claiming('memory of the order is given back', () => {
  const context = prepared(['XGROUP CREATE s g 0 MKSTREAM']);
  const empty = call(context, 'MEMORY USAGE s');
  for (let nth = 1; nth <= 3_000; nth += 1) call(context, `XADD s ${nth} f v`);
  call(context, `${READ} c CLAIM 10 STREAMS s >`);
  context.nowMs += 10;
  call(context, `${READ} d CLAIM 10 COUNT 1000 STREAMS s >`);
  call(context, 'XGROUP DELCONSUMER s g c');
  call(context, 'XGROUP DELCONSUMER s g d');
  call(context, 'XTRIM s MAXLEN 0');
  assert.is(call(context, 'MEMORY USAGE s'), empty);
});

interface ModelEntry {
  owner: string;
  ms: number;
  rank: number;
  deliveries: number;
}

/** A stream with one group, and the model of its pending entries. */
class World {
  readonly context = prepared(['XGROUP CREATE s g 0 MKSTREAM', `${READ} c CLAIM 0 STREAMS s >`]);
  readonly model = new Map<number, ModelEntry>();
  readonly #random: Random;
  #top = 0;
  #last = 0;
  #rank = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Runs a random command here and in the model. */
  step(): void {
    this.context.nowMs += this.#random.integer(0, 2);
    this.#random.weighted<() => void>([
      [1, () => this.#add()],
      [2, () => this.#claim()],
      [1, () => this.#acknowledge()],
      [1, () => this.#release()],
      [1, () => this.#give()],
    ])();
  }

  #set(id: number, owner: string, ms: number, deliveries: number): void {
    this.#rank += 1;
    this.model.set(id, { owner, ms, deliveries, rank: this.#rank });
  }

  get #id(): number {
    return this.#random.integer(1, Math.max(this.#top, 1));
  }

  #add(): void {
    this.#top += 1;
    call(this.context, `XADD s ${this.#top} f v`);
  }

  #claim(): void {
    const { nowMs } = this.context;
    const [idle, count] = [this.#random.integer(0, 30), this.#random.integer(1, 5)];
    const owner = this.#random.pick(['c', 'd']);
    const expected: unknown[] = [...this.model]
      .filter(([, { ms }]) => nowMs - ms >= idle)
      .sort(([, a], [, b]) => a.ms - b.ms || a.rank - b.rank)
      .slice(0, count)
      .map(([id, { ms, deliveries }]) => {
        this.#set(id, owner, nowMs, deliveries + 1);
        return [`${id}-0`, nowMs - ms, deliveries];
      });
    for (; expected.length < count && this.#last < this.#top; this.#last += 1) {
      this.#set(this.#last + 1, owner, nowMs, 1);
      expected.push([`${this.#last + 1}-0`, 0, 0]);
    }
    const line = `${READ} ${owner} CLAIM ${idle} COUNT ${count} STREAMS s >`;
    const reply = call(this.context, line) as [[string, unknown[][]]] | null;
    const served = (reply?.[0][1] ?? []).map(([id, , ...rest]) => [id, ...rest]);
    assert.equal(served, expected, line);
  }

  #acknowledge(): void {
    const id = this.#id;
    call(this.context, `XACK s g ${id}`);
    this.model.delete(id);
  }

  #release(): void {
    const id = this.#id;
    const known = this.model.get(id);
    const isReleased = known !== undefined && known.owner !== '';
    assert.is(call(this.context, `XNACK s g FAIL IDS 1 ${id}`), isReleased ? 1 : 0);
    if (isReleased) this.#set(id, '', 0, known.deliveries);
  }

  #give(): void {
    const id = this.#id;
    const idle = this.#random.integer(0, 40);
    const known = this.model.get(id);
    call(this.context, `XCLAIM s g d 0 ${id} IDLE ${idle} JUSTID`);
    if (known !== undefined) this.#set(id, 'd', this.context.nowMs - idle, known.deliveries);
  }
}

claiming(
  'random commands take what a plain model takes',
  withRandom((random) => {
    const world = new World(random);
    for (let step = 0; step < 8_000; step += 1) world.step();
    assert.ok(world.model.size > 10);
  }),
);

claiming.run();
