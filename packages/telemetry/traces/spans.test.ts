/** From a record to spans: which there are under each switch, and what a statement shows. */
import { type KeptArgument, type SpanSwitches, TracedPart, type TraceRecord } from '#link';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plannedTrace } from './spans.ts';
import { statementOf } from './statement.ts';

const spans = suite('spans');

const OFF: SpanSwitches = { scatterGather: false, shard: false, persistence: false };

const kept = (text: string): KeptArgument => {
  const bytes = Buffer.from(text, 'latin1');
  return { bytes, length: bytes.length };
};

const record: TraceRecord = {
  startUs: 100,
  endUs: 200,
  connection: 5,
  command: 0,
  error: -1,
  keyCount: 1,
  mainUs: undefined,
  isSampled: true,
  isGathered: false,
  isSnapshot: false,
  hasParent: false,
  isLogged: false,
  spans: OFF,
  ids: Uint8Array.from({ length: 32 }, (_, index) => index + 1),
  argumentCount: 2,
  args: [kept('GET'), kept('k')],
  shards: [
    {
      shard: 1,
      queueUs: 20,
      startUs: 130,
      endUs: 180,
      error: -1,
      parts: [
        { part: TracedPart.evict, detail: 3, startUs: 131, endUs: 140 },
        { part: TracedPart.store, detail: 0, startUs: 140, endUs: 160 },
        { part: TracedPart.logWrite, detail: 77, startUs: 160, endUs: 170 },
        { part: TracedPart.logSync, detail: 0, startUs: 170, endUs: 175 },
      ],
    },
  ],
};

const planned = (settings: SpanSwitches, of = record) =>
  plannedTrace(
    { ...of, spans: settings },
    { commandNames: ['get', 'client|id'], unixOffsetUs: 1_000 },
  );
const names = (settings: SpanSwitches): string[] => planned(settings).spans.map(({ name }) => name);

spans('three of every request, more under each switch', () => {
  const always = ['GET', 'shard.execute', 'store.GET'];
  assert.equal(names(OFF), always);
  assert.equal(names({ ...OFF, shard: true }), [
    ...['GET', 'shard.queue', 'shard.execute', 'shard.evict', 'store.GET'],
  ]);
  assert.equal(names({ ...OFF, persistence: true }), [
    ...[...always, 'persistence.wal_write', 'persistence.wal_sync'],
  ]);
});

spans('a snapshot is one, of its own name', () => {
  const [only, ...others] = planned(OFF, { ...record, isSnapshot: true, shards: [] }).spans;
  assert.equal([only!.name, only!.startUs, only!.endUs], ['persistence.snapshot', 1_100, 1_200]);
  assert.is(others.length, 0);
});

spans('have unix times, ids of their own that stay, and their parents', () => {
  const { id, spans: made } = planned(OFF);
  assert.is(id, '0102030405060708090a0b0c0d0e0f10');
  assert.is(made[0]!.id, '1112131415161718');
  assert.equal([made[0]!.startUs, made[0]!.endUs, made[0]!.parentId], [1_100, 1_200, null]);
  assert.equal([made[2]!.startUs, made[2]!.endUs, made[2]!.parentId], [1_140, 1_160, made[1]!.id]);
  assert.is(new Set(made.map((span) => span.id)).size, 3);
  for (const span of made) assert.match(span.id, /^[0-9a-f]{16}$/);
  assert.equal(planned(OFF).spans, made);
});

spans('begin no earlier than their request', () => {
  const [shard] = record.shards;
  const early = { ...record, shards: [{ ...shard!, startUs: 99.5 }] };
  assert.is(planned(OFF, early).spans[1]!.startUs, 1_100);
});

spans("an application's span is the parent of the first", () => {
  const { spans: made, isRemote } = planned(OFF, { ...record, hasParent: true });
  assert.equal([made[0]!.parentId, isRemote], ['191a1b1c1d1e1f20', true]);
});

spans("main's own commands, and none that is known, have names", () => {
  const own = { ...record, command: 1, shards: [], mainUs: 3 };
  assert.equal(
    planned(OFF, own).spans.map(({ name }) => name),
    ['CLIENT ID'],
  );
  assert.is(planned(OFF, { ...own, command: 99 }).spans[0]!.name, 'UNKNOWN');
});

const statements: readonly (readonly [
  args: readonly KeptArgument[],
  count: number,
  text: string,
])[] = [
  [[kept('GET'), kept('k')], 2, 'GET k'],
  [[kept('AUTH'), { bytes: kept('').bytes, length: -1 }], 2, 'AUTH (redacted)'],
  [[kept('SET'), kept('')], 2, 'SET ""'],
  [[kept('SET'), kept('a b')], 2, 'SET "a b"'],
  [[kept('SET'), kept('\u00ff\u0000')], 2, 'SET "\u00ff\\x00"'],
  [[kept('SET'), { bytes: kept('ab').bytes, length: 9 }], 2, 'SET ab... (7 more bytes)'],
  [[kept('MGET'), kept('k')], 9, 'MGET k ... (7 more arguments)'],
];
for (const [args, argumentCount, text] of statements) {
  spans(`a statement: ${text}`, () => {
    assert.is(statementOf({ ...record, args, argumentCount }), text);
  });
}

spans('a statement is no longer than a kilobyte, and on one line', () => {
  const args = Array.from({ length: 31 }, () => kept('\n\u2028'.repeat(60)));
  const text = statementOf({ ...record, args, argumentCount: 31 });
  assert.is(text.length, 1_024);
  assert.not.match(text, /[\n\u2028]/);
});

spans.run();
