/** ShardCalls: every shard is asked, in one order, and who does not answer in time is a gap. */
import { Page, type PageShape, shardCall } from '#stats';
import { decodeMessage, encodeMessage, FrameKind } from '#link';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ShardCalls } from './shard-calls.ts';
import type { RequestHead, ShardLink } from './shard-link.ts';

const reports = suite('reports');

const sizes = shardCall<{ prefix: string }, number>('sizes');

const shape: PageShape = { databases: 1, commands: 1, errorCodes: 1 };

interface Sent {
  readonly head: RequestHead;
  readonly question: unknown;
}

function fixture(
  shards: number,
  isStuck: (shard: number) => boolean = () => true,
  published: readonly Uint8Array[] = [],
) {
  const sent: Sent[][] = Array.from({ length: shards }, () => []);
  const links = sent.map(
    (list, index) =>
      ({
        index,
        sendMessage: (head: RequestHead, body: Uint8Array) => {
          list.push({ head: { ...head }, question: decodeMessage(body) });
        },
      }) as unknown as ShardLink,
  );
  let turns = 0;
  const page = new Page(shape, new ArrayBuffer(Page.bytes(shape)));
  const all = new ShardCalls({
    links,
    page,
    isStuck,
    published: (shard) => published[shard],
    beginTurn: () => void (turns += 1),
  });
  const answer = (shard: number, nth: number, value: unknown): void => {
    all.answered(shard, sent[shard]![nth]!.head.sequence, encodeMessage(value));
  };
  return { all, sent, answer, page, turns: () => turns };
}

reports('asks every shard the same, and answers in the order of shards', async () => {
  const { all, sent, answer, turns } = fixture(3);
  const asked = all.ask(sizes, { prefix: 'a' });
  assert.is(turns(), 1, 'a turn is begun, or nobody would see the question');
  for (const [only, ...more] of sent) {
    assert.is(only?.head.kind, FrameKind.call);
    assert.equal(only?.question, ['sizes', { prefix: 'a' }]);
    assert.is(more.length, 0);
  }
  answer(2, 0, 22);
  answer(0, 0, 20);
  answer(1, 0, 21);
  assert.equal(await asked, [
    { shard: 0, missing: false, answer: 20 },
    { shard: 1, missing: false, answer: 21 },
    { shard: 2, missing: false, answer: 22 },
  ]);
});

reports('asks one shard alone, and marks it when it does not answer', async () => {
  const { all, sent, answer, page } = fixture(3);
  const asked = all.askOne(1, sizes, { question: { prefix: 'a' }, timeoutMs: 10_000 });
  assert.equal(
    sent.map((list) => list.length),
    [0, 1, 0],
  );
  answer(1, 0, 21);
  assert.equal(await asked, { shard: 1, missing: false, answer: 21 });
  assert.is(page.get('missingShardReplies'), 0);
  // The timer of a report keeps no process alive.
  const alive = setTimeout(() => undefined, 5_000);
  const late = await all.askOne(2, sizes, { question: { prefix: 'b' }, timeoutMs: 1 });
  clearTimeout(alive);
  assert.equal(late, { shard: 2, missing: true });
  assert.is(page.get('missingShardReplies'), 1);
});

reports('keeps several questions apart', async () => {
  const { all, answer } = fixture(1);
  const first = all.ask(sizes, { prefix: 'a' });
  const second = all.ask(sizes, { prefix: 'b' });
  answer(0, 1, 2);
  answer(0, 0, 1);
  assert.equal(await first, [{ shard: 0, missing: false, answer: 1 }]);
  assert.equal(await second, [{ shard: 0, missing: false, answer: 2 }]);
});

reports('marks who did not answer in time, and passes over what comes later', async () => {
  const { all, answer, page } = fixture(2);
  // The timer of a report keeps no process alive.
  const alive = setTimeout(() => undefined, 5_000);
  const asked = all.ask(sizes, { prefix: '' }, { timeoutMs: 20 });
  answer(1, 0, 7);
  assert.equal(await asked, [
    { shard: 0, missing: true },
    { shard: 1, missing: false, answer: 7 },
  ]);
  assert.is(page.get('missingShardReplies'), 1);
  answer(0, 0, 6);
  clearTimeout(alive);
});

reports('takes what a shard published last in place of a reply, where that will do', async () => {
  // The timer of a report keeps no process alive.
  const alive = setTimeout(() => undefined, 5_000);
  const message = encodeMessage([1_234, { sizes: encodeMessage(5), other: new Uint8Array(0) }]);
  const { all, page, answer } = fixture(2, () => true, [message]);
  const published = all.ask(sizes, { prefix: '' }, { acceptsPublished: true });
  answer(1, 0, 7);
  assert.equal(await published, [
    { shard: 0, missing: false, answer: 5, publishedMs: 1_234 },
    { shard: 1, missing: false, answer: 7 },
  ]);
  assert.is(page.get('missingShardReplies'), 1);
  const strict = await all.ask(sizes, { prefix: '' }, { timeoutMs: 1 });
  assert.ok(strict.every(({ missing }) => missing));
  const tooLong = await all.ask(shardCall<null, number>('other'), null, { acceptsPublished: true });
  assert.ok(tooLong.every(({ missing }) => missing));
  clearTimeout(alive);
});

reports('carries bytes as they are', async () => {
  const { all, answer } = fixture(1);
  const bytes = Buffer.from([0, 13, 10, 255]);
  const asked = all.ask(shardCall<null, { key: Uint8Array }>('key'), null);
  answer(0, 0, { key: bytes });
  const [report] = await asked;
  assert.ok(report !== undefined && !report.missing);
  assert.equal(Buffer.from(report.answer.key), bytes);
});

reports('waits longer for shards that are late, as long as there is hope', async () => {
  // The timer of a report keeps no process alive.
  const alive = setTimeout(() => undefined, 5_000);
  let looks = 0;
  const { all, answer } = fixture(3, (shard) => {
    looks += 1;
    if (looks === 5) {
      answer(0, 0, 20);
      answer(1, 0, 21);
    }
    return shard === 2 || looks >= 6;
  });
  const late = all.ask(sizes, { prefix: 'a' }, { timeoutMs: 1, patienceMs: 10_000 });
  assert.equal(await late, [
    { shard: 0, missing: false, answer: 20 },
    { shard: 1, missing: false, answer: 21 },
    { shard: 2, missing: true },
  ]);
  const hopeful = fixture(3, () => false).all;
  const given = await hopeful.ask(sizes, { prefix: 'b' }, { timeoutMs: 1, patienceMs: 3 });
  assert.ok(
    given.every(({ missing }) => missing),
    'not for ever',
  );
  clearTimeout(alive);
});

reports.run();
