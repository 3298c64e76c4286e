/** Traces, from a client's command to a collector: what is sampled, which spans there are, what they say. */

import {
  type ChildServer,
  Collector,
  keyPerShard,
  type OtlpSpan,
  ReplyError,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleIn } from './metrics-text.ts';

const tracing = suite('tracing');

const SHARDS = 2;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';

let collector: Collector;
let server: ChildServer;
let client: RespClient;

tracing.before(async () => {
  collector = await Collector.start();
  server = await startServer({
    shards: SHARDS,
    http: true,
    toml: `
      [tracing]
      enabled = true
      otlp-endpoint = "${collector.endpoint}"
      service-name = "orders"
      [slowlog]
      log-slower-than = -1
    `,
  });
  client = await server.client();
});
tracing.after(async () => {
  await server.stop();
  collector.stop();
});

const set = async (...words: (string | number)[]): Promise<void> => {
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
};

let traces = 0;

/** Gives the commands a trace id of their own, and answers its spans once the collector has them. */
async function spansOf(...commands: readonly (readonly string[])[]): Promise<OtlpSpan[]> {
  traces += 1;
  const id = traces.toString(16).padStart(32, '0');
  await client.call('CLIENT', 'TRACEPARENT', `00-${id}-${PARENT_ID}-01`);
  await client.pipeline(commands.map((words) => [...words]));
  await client.call('CLIENT', 'TRACEPARENT', 'OFF');
  const found = (): OtlpSpan[] => collector.spans.filter(({ traceId }) => traceId === id);
  // The command that ends the trace is its last: what was before it is there when it is.
  await until(() => found().some(({ name }) => name === 'CLIENT TRACEPARENT'), 'the last span');
  return found().filter(({ name }) => name !== 'CLIENT TRACEPARENT');
}

function named(spans: readonly OtlpSpan[], name: string): OtlpSpan {
  const found = spans.filter((span) => span.name === name);
  assert.is(found.length, 1, `one ${name} in ${spans.map((span) => span.name).join(', ')}`);
  return found[0]!;
}

tracing('a request, its shard and its store operation, one within the other', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'one');
  const spans = await spansOf(['SET', key, 'v']);
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
    'svc.connection_id': await client.call('CLIENT', 'ID'),
    'svc.key_count': 1,
    'svc.shard_id': 0,
  });
  assert.is(store!.attributes['svc.shard_id'], 0);
  assert.is(whole!.resource['service.name'], 'orders');
  assert.is(typeof whole!.resource['service.version'], 'string');
});

tracing('the commands of a pipeline have their own starts and lengths', async () => {
  const keys = keyPerShard(SHARDS, 'own');
  const spans = await spansOf(['SET', keys[0]!, 'v'], ['PING'], ['GET', keys[1]!], ['INCR', 'own']);
  const own = ['SET', 'PING', 'GET', 'INCR'].map((name) => named(spans, name));
  // Two of them may have been taken up in the same tick of the clock.
  own.slice(1).forEach((span, nth) => {
    assert.ok(own[nth]!.startNs <= span.startNs, `${span.name} was taken up later`);
    assert.ok(own[nth]!.endNs <= span.endNs, `${span.name} was answered in its turn`);
  });
  assert.ok(own[0]!.startNs < own.at(-1)!.startNs, 'not all at once');
});

tracing('a failed command has the code of its error, in all its spans that failed', async () => {
  const spans = await spansOf(['SET', 'text', 'v'], ['LPUSH', 'text', 'x'], ['CONFIG', 'GET']);
  for (const name of ['LPUSH', 'shard.execute']) {
    const failed = spans.filter((span) => span.name === name && span.statusCode === 2);
    assert.is(failed.length, 1, name);
    assert.is(failed[0]!.attributes['error.type'], 'WRONGTYPE');
  }
  assert.is(named(spans, 'SET').statusCode, 0);
});

tracing('secrets are left out, long arguments cut, and bytes made readable', async () => {
  const spans = await spansOf(
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
  const less = await spansOf(['MGET', ...keys]);
  assert.equal(less.map(({ name }) => name).sort(), ['MGET', 'shard.execute', 'store.MGET']);
  assert.is(named(less, 'MGET').attributes['svc.key_count'], 2);
  await set('tracing-scatter-gather-spans', 'yes');
  const more = await spansOf(['MGET', ...keys], ['DBSIZE']);
  await set('tracing-scatter-gather-spans', 'no');
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
  assert.equal((await spansOf(words)).map(({ name }) => name).sort(), [
    'EVAL',
    'shard.execute',
    'store.EVAL',
  ]);
  await set('tracing-shard-spans', 'yes');
  const spans = await spansOf(words);
  const many = await spansOf([...words.slice(0, -1), '1000']);
  await set('tracing-shard-spans', 'no');
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
  assert.not.ok((await spansOf(['GET', key])).some(({ name }) => name === 'shard.queue'));
  await set('tracing-shard-spans', 'yes');
  const spans = await spansOf(['GET', key]);
  const queue = named(spans, 'shard.queue');
  assert.is(queue.parentId, named(spans, 'GET').spanId);
  assert.ok(queue.endNs <= named(spans, 'shard.execute').startNs);
  await set('maxmemory-policy', 'allkeys-lru', 'maxmemory', '1mb');
  // What is too much may have been evicted by itself before the next comes: there are some, and they are sent again.
  const large = Array.from({ length: 8 }, (_, nth) => [
    'SET',
    `{${key}}${String(nth)}`,
    'x'.repeat(400_000),
  ]);
  let evicting: OtlpSpan[] = [];
  const evicts = (): OtlpSpan | undefined => evicting.find(({ name }) => name === 'shard.evict');
  await until(async () => {
    evicting = await spansOf(...large);
    return evicts() !== undefined;
  }, 'one of them evicts');
  await set('maxmemory', 0, 'maxmemory-policy', 'noeviction', 'tracing-shard-spans', 'no');
  const evict = evicts()!;
  const executed = evicting.filter(({ name }) => name === 'shard.execute');
  assert.ok(executed.some(({ spanId }) => spanId === evict.parentId));
  assert.ok(Number(evict.attributes['svc.evicted_keys']) > 0);
});

tracing('persistence-spans: what a write puts into the log', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'logged');
  const isLog = ({ name }: { name: string }): boolean => name === 'persistence.wal_write';
  assert.not.ok((await spansOf(['SET', key, '1'])).some(isLog));
  await set('tracing-persistence-spans', 'yes');
  const spans = await spansOf(['SET', key, '2']);
  const write = named(spans, 'persistence.wal_write');
  assert.is(write.parentId, named(spans, 'shard.execute').spanId);
  assert.ok(Number(write.attributes['svc.wal_bytes']) >= 32 + key.length);
  assert.not.ok((await spansOf(['GET', key])).some(isLog), 'nothing is logged of what only reads');
  await set('tracing-persistence-spans', 'no');
});

tracing('persistence-spans: a snapshot is a trace of its own', async () => {
  const snapshots = (): OtlpSpan[] =>
    collector.spans.filter(({ name }) => name === 'persistence.snapshot');
  await client.call('SAVE');
  await set('tracing-persistence-spans', 'yes');
  await client.call('SAVE');
  await until(() => snapshots().length > 0, 'the collector has it');
  await set('tracing-persistence-spans', 'no');
  const [snapshot, ...others] = snapshots();
  assert.is(others.length, 0);
  assert.is(snapshot!.attributes['svc.key_count'], await client.call('DBSIZE'));
  assert.ok(snapshot!.endNs > snapshot!.startNs);
});

tracing(
  'persistence-spans: what a reply waits for the disk in sync mode, and the slow log too',
  async () => {
    await set('persistence-durability-mode', 'sync', 'tracing-persistence-spans', 'yes');
    await set('tracing-scatter-gather-spans', 'yes', 'slowlog-log-slower-than', 0);
    const keys = keyPerShard(SHARDS, 'synced');
    const one = await spansOf(['SET', keys[0]!, '2']);
    const sync = named(one, 'persistence.wal_sync');
    const execute = named(one, 'shard.execute');
    const whole = named(one, 'SET');
    assert.is(sync.parentId, whole.spanId);
    assert.ok(sync.startNs >= execute.endNs && sync.endNs <= whole.endNs, 'behind the execution');
    assert.ok(sync.endNs > sync.startNs);
    const several = await spansOf(['MSET', ...keys.flatMap((key) => [key, '1'])]);
    const syncs = several.filter(({ name }) => name === 'persistence.wal_sync');
    assert.is(syncs.length, SHARDS);
    for (const write of several.filter(({ name }) => name === 'persistence.wal_write')) {
      const parent = several.find(({ spanId }) => spanId === write.parentId)!;
      assert.ok(write.startNs >= parent.startNs && write.endNs <= parent.endNs, 'within its shard');
    }
    const reading = await spansOf(['GET', keys[0]!]);
    assert.not.ok(
      reading.some(({ name }) => name === 'persistence.wal_sync'),
      'it waits for none',
    );
    const answer = await request(server.httpPort, '/debug/api/slowlog?count=-1');
    const { entries } = answer.json() as { entries: { command: string; durable_us: number }[] };
    for (const { command, durable_us: durableUs } of entries) {
      if (command === 'SET' || command === 'MSET') assert.ok(durableUs > 0, command);
      if (command === 'GET') assert.is(durableUs, 0);
    }
    assert.ok(entries.some(({ command }) => command === 'MSET'));
    await set('persistence-durability-mode', 'periodic', 'tracing-persistence-spans', 'no');
    await set('tracing-scatter-gather-spans', 'no', 'slowlog-log-slower-than', -1);
  },
);

tracing('a transaction has a store span for each of its commands', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'tx');
  const spans = await spansOf(['MULTI'], ['SET', key, '1'], ['INCR', key], ['EXEC']);
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
  const spans = await spansOf(['MULTI'], ['SET', key, '1'], ['DBSIZE'], ['EXEC']);
  const exec = named(spans, 'EXEC');
  const within = spans.filter(({ parentId }) => parentId === exec.spanId);
  assert.is(within.length, 1 + SHARDS);
  assert.ok(within.every(({ endNs }) => endNs <= exec.endNs));
  assert.ok(spans.some(({ name }) => name === 'store.DBSIZE'));
});

tracing('a command over two shards, and one that waits, are traced to their replies', async () => {
  const [one = '', other = ''] = keyPerShard(SHARDS, 'list');
  const lent = await spansOf(['RPUSH', one, 'a'], ['LMOVE', one, other, 'LEFT', 'RIGHT']);
  assert.is(named(lent, 'LMOVE').attributes['svc.key_count'], 2);
  assert.ok(lent.some(({ name }) => name === 'store.LMOVE'));

  const waiting = await server.client();
  const id = 'f'.repeat(32);
  await waiting.call('CLIENT', 'TRACEPARENT', `00-${id}-${PARENT_ID}-01`);
  const popped = waiting.call('BLPOP', 'awaited', 0);
  await until(
    async () => /blocked_clients:1/.test(textOf(await client.call('INFO', 'clients'))),
    'blocked',
  );
  await client.call('RPUSH', 'awaited', 'x');
  assert.equal(await popped, ['awaited', 'x']);
  const found = (): OtlpSpan[] => collector.spans.filter(({ traceId }) => traceId === id);
  await until(() => found().some(({ name }) => name === 'BLPOP'), 'the span of the wait');
  const spans = found();
  assert.is(named(spans, 'shard.execute').parentId, named(spans, 'BLPOP').spanId);
  await waiting.end();
});

tracing(
  'TRACEPARENT: the sampled flag decides, NEXT is for one command, RESET forgets',
  async () => {
    await set('tracing-sampling-rate', 0);
    const own = await server.client();
    const parent = (flags: string, ...more: string[]): string[] => [
      ...['CLIENT', 'TRACEPARENT', `00-${TRACE_ID}-${PARENT_ID}-${flags}`, ...more],
    ];
    await own.pipeline([
      parent('01', 'NEXT'),
      ['ECHO', 'traced'],
      ['ECHO', 'not'],
      parent('00'),
      ['ECHO', 'not'],
      parent('01'),
      ['RESET'],
      ['ECHO', 'not'],
    ]);
    const mine = (): OtlpSpan[] => collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    await until(() => mine().some(({ name }) => name === 'RESET'), 'the last that was sampled');
    const statements = mine().map(({ attributes }) => attributes['db.statement']);
    assert.equal(statements, ['ECHO traced', 'RESET']);
    const echoes = collector.spans.filter(({ name }) => name === 'ECHO');
    assert.not.ok(echoes.some(({ attributes }) => attributes['db.statement'] === 'ECHO not'));
    await own.end();

    await set('tracing-sampling-rate', 1);
    const quiet = await server.client();
    await quiet.call(...(parent('00') as [string]));
    await quiet.call('ECHO', 'unsampled');
    await client.call('ECHO', 'sampled');
    const echoed = (text: string): boolean =>
      collector.spans.some(({ attributes }) => attributes['db.statement'] === `ECHO ${text}`);
    await until(() => echoed('sampled'), 'a root of our own');
    assert.not.ok(echoed('unsampled'), 'the application does not trace this');
    await quiet.end();
  },
);

tracing('sampling-rate: the share of the requests', async () => {
  const sampled = async (): Promise<number> => {
    const status = (await client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
    return Number(status[status.indexOf('sampled-total') + 1]);
  };
  await set('tracing-sampling-rate', '0.25');
  const before = await sampled();
  const COUNT = 4_000;
  await client.pipeline(Array.from({ length: COUNT }, () => ['PING']));
  await set('tracing-sampling-rate', 0);
  const share = ((await sampled()) - before) / COUNT;
  // Six standard deviations.
  assert.ok(Math.abs(share - 0.25) < 6 * Math.sqrt((0.25 * 0.75) / COUNT), String(share));
  const at0 = await sampled();
  await client.pipeline(Array.from({ length: 1_000 }, () => ['PING']));
  assert.is(await sampled(), at0, 'nothing at 0');
});

tracing('enabled: off, and on again, while the server runs', async () => {
  await set('tracing-sampling-rate', 1, 'tracing-enabled', 'no');
  const status = async (): Promise<(string | number)[]> =>
    (await client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  const off = await status();
  assert.equal(off.slice(0, 2), ['enabled', 0]);
  await client.call('CLIENT', 'TRACEPARENT', `00-${TRACE_ID}-${PARENT_ID}-01`);
  await client.pipeline(Array.from({ length: 100 }, () => ['GET', 'a']));
  await client.call('CLIENT', 'TRACEPARENT', 'OFF');
  assert.equal((await status()).slice(4, 6), off.slice(4, 6), 'nothing was sampled');
  await set('tracing-enabled', 'yes');
  assert.is((await spansOf(['GET', 'a'])).length, 3);
});

tracing(
  'the latest traces are the same in the debug API, by DEBUG TRACING and at the collector',
  async () => {
    const spans = await spansOf(['INCR', 'counted']);
    const { traceId } = spans[0]!;
    interface Report {
      traces: {
        trace_id: string;
        spans: {
          span_id: string;
          parent_id: string | null;
          name: string;
          start_time_ms: number;
          duration_us: number;
          attributes: Record<string, unknown>;
        }[];
      }[];
    }
    const { traces } = (await request(server.httpPort, '/debug/api/traces')).json() as Report;
    const shown = traces
      .filter((trace) => trace.trace_id === traceId)
      .flatMap((trace) => trace.spans);
    for (const span of spans) {
      const same = shown.find(({ span_id: id }) => id === span.spanId)!;
      assert.equal([same.name, same.parent_id], [span.name, span.parentId]);
      assert.equal(same.attributes, span.attributes);
      assert.ok(Math.abs(same.start_time_ms - Number(span.startNs) / 1e6) <= 0.002);
      assert.ok(Math.abs(same.duration_us * 1_000 - Number(span.endNs - span.startNs)) <= 1_000);
    }
    const [newest] = (await client.call('DEBUG', 'TRACING', 'RECENT', 3)) as unknown[][];
    assert.is(newest![0], 'trace-id');
    const recent = JSON.stringify(await client.call('DEBUG', 'TRACING', 'RECENT', 10));
    for (const span of spans) assert.ok(recent.includes(span.spanId), span.name);
  },
);

tracing('recent-traces-max: how many are kept', async () => {
  const kept = async (): Promise<number> =>
    ((await client.call('DEBUG', 'TRACING', 'RECENT', 1_000)) as unknown[]).length;
  await client.pipeline(Array.from({ length: 150 }, () => ['PING']));
  await until(async () => (await kept()) === 100, 'as many as the setting says at first');
  await set('tracing-recent-traces-max', 7);
  assert.is(await kept(), 7);
  await set('tracing-recent-traces-max', 0);
  assert.is(await kept(), 0);
  await set('tracing-recent-traces-max', 100);
});

tracing('what is counted is the same on all surfaces', async () => {
  await set('tracing-sampling-rate', 0);
  let status: (string | number)[] = [];
  const told = (name: string): number => Number(status[status.indexOf(name) + 1]);
  const read = async (): Promise<(string | number)[]> =>
    (await client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  let text = '';
  await until(async () => {
    status = await read();
    text = (await request(server.httpPort, '/metrics')).text;
    const isStill = JSON.stringify(await read()) === JSON.stringify(status);
    return isStill && told('queued') === 0 && told('spans-exported-total') > 0;
  }, 'all is sent');
  const metric = (name: string): number => sampleIn(text, name);
  assert.is(metric('svc_traces_sampled_total'), told('sampled-total'));
  assert.is(metric('svc_traces_dropped_total{reason="busy"}'), told('dropped-busy-total'));
  assert.is(metric('svc_traces_dropped_total{reason="queue"}'), told('dropped-queue-total'));
  assert.is(
    metric('svc_traces_dropped_total{reason="collector"}'),
    told('dropped-collector-total'),
  );
  assert.is(metric('svc_trace_spans_exported_total'), told('spans-exported-total'));
  assert.is(told('spans-exported-total'), collector.spans.length);
  assert.is(status[status.indexOf('collector') + 1], 'working');
  await set('tracing-sampling-rate', 1);
});

tracing('exemplars lead from a bucket to a trace, in OpenMetrics only', async () => {
  const spans = await spansOf(['SET', 'exemplary', 'v']);
  const root = named(spans, 'SET');
  const headers = { accept: 'application/openmetrics-text' };
  const open = (await request(server.httpPort, '/metrics', { headers })).text;
  const line = open
    .split('\n')
    .find((each) => each.includes('_bucket{command="set"') && each.includes(root.traceId));
  const form = /^\S+le="([^"]+)"\S* \d+ # \{trace_id="(\w+)",span_id="(\w+)"\} (\S+) (\S+)$/;
  const [, le = '', traceId, spanId, value, timestamp] = form.exec(line ?? '') ?? [];
  assert.equal([traceId, spanId], [root.traceId, root.spanId], line ?? open);
  assert.ok(Number(value) <= Number(le));
  assert.ok(Math.abs(Number(timestamp) - Number(root.endNs / 1_000_000n) / 1_000) < 1);
  assert.not.match((await request(server.httpPort, '/metrics')).text, / # \{/);
});

tracing('a value that is not allowed is refused in words', async () => {
  for (const [name, value, words] of [
    ['tracing-sampling-rate', '1.5', /a number from 0 to 1/],
    ['tracing-recent-traces-max', '-1', /between 0 and 10000/],
    ['tracing-enabled', 'maybe', /'yes' or 'no'/],
    ['tracing-otlp-endpoint', 'http://other:4317', /immutable/],
  ] as const) {
    const refused = await client.reply('CONFIG', 'SET', name, value);
    assert.ok(refused instanceof ReplyError, name);
    assert.match(refused.message, words);
  }
});

tracing.run();
