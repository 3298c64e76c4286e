/** Spans of traced commands, as a collector gets them: which there are, how they lie within each other, what they say. */

import { keyPerShard, type OtlpSpan, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { named, PARENT_ID, SHARDS, TracedServer } from './traced-server.ts';

const tracing = suite('tracing');

let traced: TracedServer;

tracing.before(async () => {
  traced = await TracedServer.start();
});
tracing.after(() => traced.stop());

tracing('a request, its shard and its store operation, one within the other', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'one');
  const spans = await traced.spansOf(['SET', key, 'v']);
  assert.is(spans.length, 3);
  const [whole, shard, store] = ['SET', 'shard.execute', 'store.SET'].map((n) => named(spans, n));
  assert.is(whole!.parentId, PARENT_ID);
  assert.is(shard!.parentId, whole!.spanId);
  assert.is(store!.parentId, shard!.spanId);
  assert.equal(
    [whole!.kind, shard!.kind, store!.kind],
    [2, 1, 1],
    'a server span, and internal ones',
  );
  for (const [outer, inner] of [
    [whole!, shard!],
    [shard!, store!],
  ] as const) {
    assert.ok(outer.startNs <= inner.startNs && inner.startNs <= inner.endNs, 'begins within');
    assert.ok(inner.endNs <= outer.endNs, 'ends within');
  }
  const ageMs = Date.now() - Number(whole!.startNs / 1_000_000n);
  assert.ok(ageMs >= -1_000 && ageMs < 60_000, `${String(ageMs)} ms ago`);
  assert.equal(whole!.attributes, {
    'db.system': 'svc',
    'db.operation': 'SET',
    'db.statement': `SET ${key} v`,
    'svc.connection_id': await traced.client.call('CLIENT', 'ID'),
    'svc.key_count': 1,
    'svc.shard_id': 0,
  });
  assert.is(store!.attributes['svc.shard_id'], 0);
  assert.is(whole!.resource['service.name'], 'orders');
  assert.is(typeof whole!.resource['service.version'], 'string');
});

tracing('the commands of a pipeline have their own starts and lengths', async () => {
  const keys = keyPerShard(SHARDS, 'own');
  const spans = await traced.spansOf(
    ['SET', keys[0]!, 'v'],
    ['PING'],
    ['GET', keys[1]!],
    ['INCR', 'own'],
  );
  const own = ['SET', 'PING', 'GET', 'INCR'].map((name) => named(spans, name));
  // Two of them may have been taken up in the same tick of the clock.
  own.slice(1).forEach((span, nth) => {
    assert.ok(own[nth]!.startNs <= span.startNs, `${span.name} was taken up later`);
    assert.ok(own[nth]!.endNs <= span.endNs, `${span.name} was answered in its turn`);
  });
  assert.ok(own[0]!.startNs < own.at(-1)!.startNs, 'not all at once');
});

tracing('a failed command has the code of its error, in all its spans that failed', async () => {
  const spans = await traced.spansOf(
    ['SET', 'text', 'v'],
    ['LPUSH', 'text', 'x'],
    ['CONFIG', 'GET'],
  );
  for (const name of ['LPUSH', 'shard.execute']) {
    const failed = spans.filter((span) => span.name === name && span.statusCode === 2);
    assert.is(failed.length, 1, name);
    assert.is(failed[0]!.attributes['error.type'], 'WRONGTYPE');
  }
  assert.is(named(spans, 'SET').statusCode, 0);
});

tracing('secrets are left out, long arguments cut, and bytes made readable', async () => {
  const spans = await traced.spansOf(
    ['AUTH', 'hunter2'],
    ['CONFIG', 'SET', 'requirepass', ''],
    ['SET', 'long', 'x'.repeat(100_000)],
    ['MGET', ...Array.from({ length: 100 }, (_, nth) => `key:${String(nth)}`)],
    ['ECHO', 'two words\r\n\u0000"'],
  );
  const statementOf = (name: string): string =>
    String(named(spans, name).attributes['db.statement']);
  assert.is(statementOf('AUTH'), 'AUTH (redacted)');
  assert.is(statementOf('SET'), `SET long ${'x'.repeat(128)}... (99872 more bytes)`);
  assert.match(statementOf('MGET'), / key:29 \.\.\. \(70 more arguments\)$/);
  assert.is(statementOf('ECHO'), 'ECHO "two words\\x0d\\x0a\\x00\\""');
  assert.not.match(
    JSON.stringify(spans, (_, v) => (typeof v === 'bigint' ? 0 : v) as unknown),
    /hunter2/,
  );
});

tracing('scatter-gather-spans: one shard stands for all, or each has its own', async () => {
  const keys = keyPerShard(SHARDS, 'many');
  const less = await traced.spansOf(['MGET', ...keys]);
  assert.equal(less.map(({ name }) => name).sort(), ['MGET', 'shard.execute', 'store.MGET']);
  assert.is(named(less, 'MGET').attributes['svc.key_count'], 2);
  await traced.set('tracing-scatter-gather-spans', 'yes');
  const more = await traced.spansOf(['MGET', ...keys], ['DBSIZE']);
  await traced.set('tracing-scatter-gather-spans', 'no');
  const gathers = more.filter(({ name }) => name === 'scatter-gather');
  assert.is(gathers.length, 2);
  const root = named(more, 'MGET');
  const gather = gathers.find(({ parentId }) => parentId === root.spanId)!;
  assert.is(gather.attributes['svc.shard_count'], SHARDS);
  const shards = more.filter(({ parentId }) => parentId === gather.spanId);
  assert.equal(shards.map((span) => span.attributes['svc.shard_id']).sort(), [0, 1]);
  for (const shard of shards) {
    const inner = more.filter(({ parentId }) => parentId === shard.spanId);
    assert.equal(
      inner.map(({ name }) => name),
      ['store.MGET'],
    );
  }
});

tracing('shard-spans: what a script calls, within it', async () => {
  const [key = '', far = ''] = keyPerShard(SHARDS, 'script');
  const calls = `redis.call('SET', KEYS[1], 'v') redis.call('GET', '${far}')
    for n = 1, tonumber(ARGV[1]) do redis.call('GET', KEYS[1]) end return redis.call('DBSIZE')`;
  const words = ['EVAL', calls, '1', key, '1'];
  assert.equal((await traced.spansOf(words)).map(({ name }) => name).sort(), [
    'EVAL',
    'shard.execute',
    'store.EVAL',
  ]);
  await traced.set('tracing-shard-spans', 'yes');
  const spans = await traced.spansOf(words);
  const many = await traced.spansOf([...words.slice(0, -1), '1000']);
  await traced.set('tracing-shard-spans', 'no');
  const script = named(spans, 'store.EVAL');
  const within = spans.filter(({ parentId }) => parentId === script.spanId);
  assert.equal(
    within.map(({ name }) => name),
    ['store.SET', 'store.GET', 'store.GET', 'store.DBSIZE'],
  );
  for (const { startNs, endNs } of within) {
    assert.ok(script.startNs <= startNs && endNs <= script.endNs, 'within the script');
  }
  assert.is(named(many, 'store.EVAL').parentId, named(many, 'shard.execute').spanId);
  assert.ok(many.length < 80, 'a script that calls a lot is not told whole');
});

tracing('shard-spans: waiting in the queue, and making room', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'queue');
  assert.not.ok((await traced.spansOf(['GET', key])).some(({ name }) => name === 'shard.queue'));
  await traced.set('tracing-shard-spans', 'yes');
  const spans = await traced.spansOf(['GET', key]);
  const queue = named(spans, 'shard.queue');
  assert.is(queue.parentId, named(spans, 'GET').spanId);
  assert.ok(queue.endNs <= named(spans, 'shard.execute').startNs);
  await traced.set('maxmemory-policy', 'allkeys-lru', 'maxmemory', '1mb');
  // What is too much may have been evicted by itself before the next comes: there are some, and they are sent again.
  const large = Array.from({ length: 8 }, (_, nth) => [
    'SET',
    `{${key}}${String(nth)}`,
    'x'.repeat(400_000),
  ]);
  let evicting: OtlpSpan[] = [];
  const evicts = (): OtlpSpan | undefined => evicting.find(({ name }) => name === 'shard.evict');
  await until(async () => {
    evicting = await traced.spansOf(...large);
    return evicts() !== undefined;
  }, 'one of them evicts');
  await traced.set('maxmemory', 0, 'maxmemory-policy', 'noeviction', 'tracing-shard-spans', 'no');
  const evict = evicts()!;
  const executed = evicting.filter(({ name }) => name === 'shard.execute');
  assert.ok(executed.some(({ spanId }) => spanId === evict.parentId));
  assert.ok(Number(evict.attributes['svc.evicted_keys']) > 0);
});

tracing('a transaction has a store span for each of its commands', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'tx');
  const spans = await traced.spansOf(['MULTI'], ['SET', key, '1'], ['INCR', key], ['EXEC']);
  const exec = named(spans, 'EXEC');
  const shard = spans.find(({ parentId }) => parentId === exec.spanId)!;
  const inner = spans.filter(({ parentId }) => parentId === shard.spanId);
  assert.equal(
    inner.map(({ name }) => name),
    ['store.SET', 'store.INCR'],
  );
});

tracing('a transaction that main conducts is one request, with what each shard did', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'conducted');
  const spans = await traced.spansOf(['MULTI'], ['SET', key, '1'], ['DBSIZE'], ['EXEC']);
  const exec = named(spans, 'EXEC');
  const within = spans.filter(({ parentId }) => parentId === exec.spanId);
  assert.is(within.length, 1 + SHARDS);
  assert.ok(within.every(({ endNs }) => endNs <= exec.endNs));
  assert.ok(spans.some(({ name }) => name === 'store.DBSIZE'));
});

tracing('a command over two shards, and one that waits, are traced to their replies', async () => {
  const [one = '', other = ''] = keyPerShard(SHARDS, 'list');
  const lent = await traced.spansOf(['RPUSH', one, 'a'], ['LMOVE', one, other, 'LEFT', 'RIGHT']);
  assert.is(named(lent, 'LMOVE').attributes['svc.key_count'], 2);
  assert.ok(lent.some(({ name }) => name === 'store.LMOVE'));

  const waiting = await traced.server.client();
  const id = 'f'.repeat(32);
  await waiting.call('CLIENT', 'TRACEPARENT', `00-${id}-${PARENT_ID}-01`);
  const popped = waiting.call('BLPOP', 'awaited', 0);
  await until(
    async () => /blocked_clients:1/.test(textOf(await traced.client.call('INFO', 'clients'))),
    'blocked',
  );
  await traced.client.call('RPUSH', 'awaited', 'x');
  assert.equal(await popped, ['awaited', 'x']);
  const found = (): OtlpSpan[] => traced.collector.spans.filter(({ traceId }) => traceId === id);
  await until(() => found().some(({ name }) => name === 'BLPOP'), 'the span of the wait');
  const spans = found();
  assert.is(named(spans, 'shard.execute').parentId, named(spans, 'BLPOP').spanId);
  await waiting.end();
});

tracing.run();
