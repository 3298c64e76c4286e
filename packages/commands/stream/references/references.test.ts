/** Cases of the documentation of Redis 8.2 for XDELEX, XACKDEL, and KEEPREF, DELREF and ACKED of XADD and XTRIM. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Random, withRandom } from '#testkit';
import { call, CallContext, prepared } from '../../call.test-helper.ts';
import { lineOf } from '../stream.test-helper.ts';

const references = suite('references of groups');

/** Five entries: g has acknowledged 2 and has 1 and 3 pending; h has 1 pending, and has not read 4 and 5, nor has g. */
const lines = [
  ...[1, 2, 3, 4, 5].map((id) => `XADD s ${id} f v`),
  'XGROUP CREATE s g 0',
  'XREADGROUP GROUP g c COUNT 3 STREAMS s >',
  'XACK s g 2',
  'XGROUP CREATE s h 0',
  'XREADGROUP GROUP h d COUNT 3 STREAMS s >',
  'XACK s h 2 3',
  'SET str x',
];

const WRONG_TYPE = '-WRONGTYPE Operation against a key holding the wrong kind of value';
const NOT_POSITIVE = '-ERR Number of IDs must be a positive integer';
const OTHER_COUNT = '-ERR The `numids` parameter must match the number of arguments';
const INVALID_ID = '-ERR Invalid stream ID specified as stream command argument';
const SYNTAX = '-ERR syntax error';

const replies: readonly (readonly [line: string, reply: unknown])[] = [
  ['XDELEX none IDS 2 1 x', [-1, -1]],
  ['XDELEX s IDS 2 1 9', [1, -1]],
  ['XDELEX s KEEPREF IDS 1 1', [1]],
  ['XDELEX s ACKED IDS 5 1 2 3 4 5', [2, 1, 2, 2, 2]],
  ['XDELEX s ACKED IDS 1 9', [2]],
  ['XDELEX s DELREF IDS 3 1 1 3', [1, -1, 1]],
  ['XDELEX s IDS 2 1 2 DELREF', [1, 1]],
  ['XDELEX s IDS 1 1 IDS 1 2', [1]],
  ['XDELEX s ids 1 2-0 acked', [1]],
  ['XDELEX str IDS 1 1', WRONG_TYPE],
  ['XDELEX str FOO IDS 1 1', WRONG_TYPE],
  ['XDELEX s IDS 0 1', NOT_POSITIVE],
  ['XDELEX s IDS -1 1', NOT_POSITIVE],
  ['XDELEX s IDS x 1', NOT_POSITIVE],
  ['XDELEX s IDS 9223372036854775808 1', NOT_POSITIVE],
  ['XDELEX s IDS 9223372036854775807 1', OTHER_COUNT],
  ['XDELEX s IDS 3 1 2', OTHER_COUNT],
  ['XDELEX s IDS 1 1 2', SYNTAX],
  ['XDELEX s KEEPREF DELREF IDS 1 1', SYNTAX],
  ['XDELEX s KEEPREF DELREF ACKED', SYNTAX],
  ['XDELEX none FOO IDS 1', SYNTAX],
  ['XDELEX s KEEPREF IDS 1 -', INVALID_ID],
  ['XDELEX s IDS 2 1 x', INVALID_ID],
  ['XACKDEL none g IDS 2 1 x', [-1, -1]],
  ['XACKDEL s none IDS 2 1 x', [-1, -1]],
  ['XACKDEL s g IDS 5 1 2 3 4 9', [1, -1, 1, -1, -1]],
  ['XACKDEL s g ACKED IDS 3 1 2 3', [2, -1, 1]],
  ['XACKDEL s g DELREF IDS 2 1 1', [1, -1]],
  ['XACKDEL str g IDS 1 1', WRONG_TYPE],
  ['XACKDEL s g IDS 0 1', NOT_POSITIVE],
  ['XACKDEL s g IDS 2 1', OTHER_COUNT],
  ['XACKDEL s g FOO IDS 1', SYNTAX],
  ['XACKDEL s g IDS 2 1 x', INVALID_ID],
  ['XTRIM s MAXLEN 0 ACKED', 1],
  ['XTRIM s ACKED MAXLEN 0', 1],
  ['XTRIM s MAXLEN 0 DELREF', 5],
  ['XTRIM s MAXLEN = 2 KEEPREF', 3],
  ['XTRIM s MINID 3 DELREF', 2],
  ['XTRIM s MINID 5 ACKED', 1],
  ['XTRIM s MAXLEN ~ 0 ACKED', 1],
  ['XTRIM s MAXLEN ~ 0 DELREF', 5],
  ['XTRIM s MAXLEN ~ 0 DELREF LIMIT 4', 0],
  ['XTRIM s MAXLEN 1 DELREF ACKED', SYNTAX],
  ['XTRIM s ACKED LIMIT 0', '-ERR syntax error, XTRIM must be called with a trimming strategy'],
  ['XADD s ACKED MAXLEN 0 6 f v', '6-0'],
  ['XADD s KEEPREF 6 f v', '6-0'],
  ['XADD s KEEPREF ACKED 6 f v', INVALID_ID],
];

for (const [line, reply] of replies) {
  references(line, () => assert.equal(call(prepared(lines), line), reply));
}

/** Pending ids of both groups, and ids of entries. */
function stateOf(context: CallContext): readonly string[] {
  const idsOf = (line: string): string =>
    (call(context, line) as readonly (readonly [string])[]).map(([id]) => id.split('-')[0]).join();
  return [
    idsOf('XRANGE s - +'),
    idsOf('XPENDING s g - + 100000'),
    idsOf('XPENDING s h - + 100000'),
  ];
}

const effects: readonly (readonly [line: string, ...state: string[]])[] = [
  ['XDELEX s KEEPREF IDS 2 1 3', '2,4,5', '1,3', '1'],
  ['XDELEX s DELREF IDS 2 1 3', '2,4,5', '', ''],
  ['XDELEX s ACKED IDS 5 1 2 3 4 5', '1,3,4,5', '1,3', '1'],
  ['XACKDEL s g KEEPREF IDS 1 1', '2,3,4,5', '3', '1'],
  ['XACKDEL s g DELREF IDS 1 1', '2,3,4,5', '3', ''],
  ['XACKDEL s g ACKED IDS 2 1 3', '1,2,4,5', '', '1'],
  ['XTRIM s MAXLEN 3 KEEPREF', '3,4,5', '1,3', '1'],
  ['XTRIM s MAXLEN 3 DELREF', '3,4,5', '3', ''],
  ['XTRIM s MAXLEN 3 ACKED', '1,3,4,5', '1,3', '1'],
  ['XADD s MAXLEN 3 DELREF 6 f v', '4,5,6', '', ''],
  ['XADD s ACKED MAXLEN = 1 6 f v', '1,3,4,5,6', '1,3', '1'],
];

for (const [line, ...state] of effects) {
  references(`${line} leaves ${state.join(' | ')}`, () => {
    const context = prepared(lines);
    call(context, line);
    assert.equal(stateOf(context), state);
  });
}

references('dropping references to entries that are gone is a change', () => {
  const context = prepared([...lines, 'XDEL s 1 3']);
  assert.equal(call(context, 'XDELEX s DELREF IDS 2 1 3'), [-1, -1]);
  assert.equal(context.takeAnnounced(), ['change']);
  assert.equal(stateOf(context), ['2,4,5', '', '']);
  assert.equal(call(context, 'XDELEX s DELREF IDS 2 1 3'), [-1, -1]);
  assert.equal(context.takeAnnounced(), []);
});

references('removed entries are announced once, and the first entry is found again', () => {
  const context = prepared(lines);
  call(context, 'XDELEX s IDS 3 1 2 9');
  assert.equal(context.takeAnnounced(), ['t xdel s']);
  call(context, 'XACKDEL s g ACKED IDS 1 1');
  assert.equal(context.takeAnnounced(), ['change']);
  const info = call(context, 'XINFO STREAM s') as unknown[];
  assert.is(info[info.indexOf('recorded-first-entry-id') + 1], '3-0');
  assert.is(info[info.indexOf('max-deleted-entry-id') + 1], '2-0');
});

references('the log has what an approximate trimming came to', () => {
  const context = prepared(lines);
  context.isLogged = true;
  call(context, 'XTRIM s MAXLEN ~ 2 ACKED');
  call(context, 'XADD s MAXLEN ~ 1 DELREF 6 f v');
  const texts = context.logged.map(lineOf);
  assert.equal(texts, ['XTRIM s MAXLEN 4 ACKED', 'XADD s 6-0 f v', 'XTRIM s MAXLEN 1 DELREF']);
});

references('100,000 entries of 50 groups are removed by one command', () => {
  const context = new CallContext();
  const count = 100_000;
  const ids: string[] = [];
  for (let nth = 1; nth <= count; nth += 1) {
    ids.push(String(nth));
    call(context, ['XADD', 's', String(nth), 'f', 'v']);
  }
  for (let nth = 0; nth < 50; nth += 1) {
    call(context, `XGROUP CREATE s g${nth} 0`);
    const read = nth === 0 ? count : 10;
    call(context, `XREADGROUP GROUP g${nth} c COUNT ${read} STREAMS s >`);
    if (nth > 0) call(context, `XGROUP SETID s g${nth} $`);
  }
  const reply = call(context, ['XDELEX', 's', 'ACKED', 'IDS', String(count), ...ids]) as number[];
  assert.ok(reply.every((each) => each === 2));
  assert.is(call(context, 'XACK s g0 11'), 1);
  assert.equal(call(context, 'XDELEX s ACKED IDS 2 11 12'), [1, 2]);
  const dropped = call(context, ['XDELEX', 's', 'DELREF', 'IDS', String(count), ...ids]);
  assert.is((dropped as number[]).filter((each) => each === 1).length, count - 1);
  assert.equal(call(context, 'XPENDING s g0'), [0, null, null, null]);
  assert.is(call(context, 'XLEN s'), 0);
});

interface ModelGroup {
  last: number;
  readonly pending: Set<number>;
}

/** A stream with its groups, as plain as it can be. */
class Model {
  readonly entries = new Set<number>();
  readonly groups = new Map<string, ModelGroup>();

  remove(id: number, policy: string): number {
    if (policy === 'ACKED' && this.isReferenced(id)) return 2;
    if (policy === 'DELREF') for (const { pending } of this.groups.values()) pending.delete(id);
    return this.entries.delete(id) ? 1 : -1;
  }

  isReferenced(id: number): boolean {
    return [...this.groups.values()].some(({ last, pending }) => last < id || pending.has(id));
  }

  trim(maxlen: number, policy: string): number {
    let removed = 0;
    for (const id of [...this.entries].sort((a, b) => a - b)) {
      if (this.entries.size <= maxlen) break;
      if (this.remove(id, policy) === 1) removed += 1;
    }
    return removed;
  }

  get state(): readonly string[] {
    const textOf = (ids: Iterable<number>): string => [...ids].sort((a, b) => a - b).join();
    return [this.entries, ...[...this.groups.values()].map(({ pending }) => pending)].map(textOf);
  }
}

/** A stream with two groups, and the model of it. */
class World {
  readonly context: CallContext;
  readonly model = new Model();
  readonly #random: Random;
  #top = 1;

  constructor(random: Random) {
    this.#random = random;
    const settings = { 'encoding.stream-node-max-entries': random.pick([1, 3, 10]) };
    const made = ['XADD s 1 f v', 'XGROUP CREATE s g 0', 'XGROUP CREATE s h 0'];
    this.context = prepared(made, { settings });
    this.model.entries.add(1);
    for (const name of ['g', 'h']) this.model.groups.set(name, { last: 0, pending: new Set() });
  }

  /** Runs a random command here and in the model; returns its line with both replies. */
  step(): { line: string; reply: unknown; expected: unknown } {
    const { context } = this;
    const [line, expected] = this.#random.weighted<() => [string, unknown]>([
      [2, () => this.#add()],
      [1, () => this.#read()],
      [1, () => this.#acknowledge()],
      [1, () => this.#remove()],
      [1, () => this.#acknowledgeAndRemove()],
      [1, () => this.#trim()],
    ])();
    return { line, reply: call(context, line), expected };
  }

  get #policy(): string {
    return this.#random.pick(['KEEPREF', 'DELREF', 'ACKED']);
  }

  get #id(): number {
    return Math.max(1, this.#top - this.#random.integer(0, 29));
  }

  #group(): { name: string; group: ModelGroup } {
    const name = this.#random.pick(['g', 'h']);
    return { name, group: this.model.groups.get(name)! };
  }

  #add(): [string, unknown] {
    this.#top += 1;
    this.model.entries.add(this.#top);
    return [`XADD s ${this.#top} f v`, `${this.#top}-0`];
  }

  #read(): [string, unknown] {
    const { name, group } = this.#group();
    const count = this.#random.integer(1, 4);
    const unread = [...this.model.entries].filter((id) => id > group.last).sort((a, b) => a - b);
    const served = unread.slice(0, count);
    for (const id of served) {
      group.pending.add(id);
      group.last = id;
    }
    const entries = served.map((id) => [`${id}-0`, ['f', 'v']]);
    const reply = served.length === 0 ? null : [['s', entries]];
    return [`XREADGROUP GROUP ${name} c COUNT ${count} STREAMS s >`, reply];
  }

  #acknowledge(): [string, unknown] {
    const { name, group } = this.#group();
    const id = this.#id;
    return [`XACK s ${name} ${id}`, group.pending.delete(id) ? 1 : 0];
  }

  #remove(): [string, unknown] {
    const [policy, id] = [this.#policy, this.#id];
    return [`XDELEX s ${policy} IDS 1 ${id}`, [this.model.remove(id, policy)]];
  }

  #acknowledgeAndRemove(): [string, unknown] {
    const { name, group } = this.#group();
    const [policy, id] = [this.#policy, this.#id];
    const wasPending = group.pending.delete(id);
    const expected = wasPending ? Math.abs(this.model.remove(id, policy)) : -1;
    return [`XACKDEL s ${name} ${policy} IDS 1 ${id}`, [expected]];
  }

  #trim(): [string, unknown] {
    const [policy, kept] = [this.#policy, this.#random.integer(0, 11)];
    return [`XTRIM s MAXLEN ${kept} ${policy}`, this.model.trim(kept, policy)];
  }
}

references(
  'random commands do what a plain model does',
  withRandom((random) => {
    for (let round = 0; round < 3; round += 1) {
      const world = new World(random);
      for (let step = 0; step < 2_000; step += 1) {
        const { line, reply, expected } = world.step();
        assert.equal(reply, expected, `step ${step}: ${line}`);
        assert.equal(stateOf(world.context), world.model.state, `step ${step}: ${line}`);
      }
    }
  }),
);

references.run();
