/** Sampling of requests, and the kept traces: according to settings and clients, on all surfaces. */

import { type OtlpSpan, ReplyError, request, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sampleIn } from './metrics-text.ts';
import { named, PARENT_ID, TracedServer } from './traced-server.ts';

const sampling = suite('sampling of traces');

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

let traced: TracedServer;

sampling.before(async () => {
  traced = await TracedServer.start();
});
sampling.after(() => traced.stop());

sampling(
  'TRACEPARENT: the sampled flag decides, NEXT is for one command, RESET forgets',
  async () => {
    await traced.set('tracing-sampling-rate', 0);
    const own = await traced.server.client();
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
    const mine = (): OtlpSpan[] =>
      traced.collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    await until(() => mine().some(({ name }) => name === 'RESET'), 'the last that was sampled');
    const statements = mine().map(({ attributes }) => attributes['db.statement']);
    assert.equal(statements, ['ECHO traced', 'RESET']);
    const echoes = traced.collector.spans.filter(({ name }) => name === 'ECHO');
    assert.not.ok(echoes.some(({ attributes }) => attributes['db.statement'] === 'ECHO not'));
    await own.end();

    await traced.set('tracing-sampling-rate', 1);
    const quiet = await traced.server.client();
    await quiet.call(...(parent('00') as [string]));
    await quiet.call('ECHO', 'unsampled');
    await traced.client.call('ECHO', 'sampled');
    const echoed = (text: string): boolean =>
      traced.collector.spans.some(
        ({ attributes }) => attributes['db.statement'] === `ECHO ${text}`,
      );
    await until(() => echoed('sampled'), 'a root of our own');
    assert.not.ok(echoed('unsampled'), 'the application does not trace this');
    await quiet.end();
  },
);

sampling('sampling-rate: the share of the requests', async () => {
  const sampled = async (): Promise<number> => {
    const status = (await traced.client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
    return Number(status[status.indexOf('sampled-total') + 1]);
  };
  await traced.set('tracing-sampling-rate', '0.25');
  const before = await sampled();
  const COUNT = 4_000;
  await traced.client.pipeline(Array.from({ length: COUNT }, () => ['PING']));
  await traced.set('tracing-sampling-rate', 0);
  const share = ((await sampled()) - before) / COUNT;
  // Six standard deviations.
  assert.ok(Math.abs(share - 0.25) < 6 * Math.sqrt((0.25 * 0.75) / COUNT), String(share));
  const at0 = await sampled();
  await traced.client.pipeline(Array.from({ length: 1_000 }, () => ['PING']));
  assert.is(await sampled(), at0, 'nothing at 0');
});

sampling('enabled: off, and on again, while the server runs', async () => {
  await traced.set('tracing-sampling-rate', 1, 'tracing-enabled', 'no');
  const status = async (): Promise<(string | number)[]> =>
    (await traced.client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  const off = await status();
  assert.equal(off.slice(0, 2), ['enabled', 0]);
  await traced.client.call('CLIENT', 'TRACEPARENT', `00-${TRACE_ID}-${PARENT_ID}-01`);
  await traced.client.pipeline(Array.from({ length: 100 }, () => ['GET', 'a']));
  await traced.client.call('CLIENT', 'TRACEPARENT', 'OFF');
  assert.equal((await status()).slice(4, 6), off.slice(4, 6), 'nothing was sampled');
  await traced.set('tracing-enabled', 'yes');
  assert.is((await traced.spansOf(['GET', 'a'])).length, 3);
});

sampling('keep-failed and keep-slow-ms: at a rate of 0 just those are kept', async () => {
  const { client, server } = traced;
  const kept = async (): Promise<readonly string[]> => {
    const { traces } = (await request(server.httpPort, '/debug/api/traces')).json() as {
      traces: { spans: { attributes: Record<string, unknown> }[] }[];
    };
    return traces.map(({ spans }) => String(spans[0]!.attributes['db.statement']));
  };
  await client.call('SET', 'late', 'text');
  await traced.set('tracing-sampling-rate', 0);
  await traced.set('tracing-keep-failed', 'yes', 'tracing-keep-slow-ms', 1_000);
  await client.reply('INCR', 'late');
  await client.call('GET', 'late');
  await client.call('DEBUG', 'SLEEP', '1.2');
  await client.call('BLPOP', 'late:none', '1.5');
  await client.call('MGET', 'late', 'late:none');
  const isKept = async (statement: string): Promise<boolean> => (await kept()).includes(statement);
  await until(() => isKept('INCR late'), 'the failed one is kept');
  await until(() => isKept('DEBUG SLEEP 1.2'), 'the slow one is kept');
  for (const statement of ['GET late', 'BLPOP late:none 1.5', 'MGET late late:none']) {
    assert.not.ok(await isKept(statement), statement);
  }
  const isExported = (statement: string): boolean =>
    traced.collector.spans.some(({ attributes }) => attributes['db.statement'] === statement);
  await until(() => isExported('INCR late') && isExported('DEBUG SLEEP 1.2'), 'both are sent');

  await traced.set('tracing-sampling-rate', 1);
  for (let nth = 0; nth < 200; nth += 1) await client.call('GET', `late:${nth}`);
  await until(() => isKept('GET late:199'), 'the last of the others is kept');
  assert.not.ok(await isKept('GET late:0'), 'others make room for others');
  assert.ok((await isKept('INCR late')) && (await isKept('DEBUG SLEEP 1.2')), 'these stay');
  await traced.set('tracing-keep-failed', 'no', 'tracing-keep-slow-ms', 0);
});

sampling(
  'the latest traces are the same in the debug API, by DEBUG TRACING and at the collector',
  async () => {
    const spans = await traced.spansOf(['INCR', 'counted']);
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
    const { traces } = (
      await request(traced.server.httpPort, '/debug/api/traces')
    ).json() as Report;
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
    const [newest] = (await traced.client.call('DEBUG', 'TRACING', 'RECENT', 3)) as unknown[][];
    assert.is(newest![0], 'trace-id');
    const recent = JSON.stringify(await traced.client.call('DEBUG', 'TRACING', 'RECENT', 10));
    for (const span of spans) assert.ok(recent.includes(span.spanId), span.name);
  },
);

sampling('recent-traces-max: how many are kept', async () => {
  const kept = async (): Promise<number> =>
    ((await traced.client.call('DEBUG', 'TRACING', 'RECENT', 1_000)) as unknown[]).length;
  await traced.client.pipeline(Array.from({ length: 150 }, () => ['PING']));
  await until(async () => (await kept()) === 100, 'as many as the setting says at first');
  await traced.set('tracing-recent-traces-max', 7);
  assert.is(await kept(), 7);
  await traced.set('tracing-recent-traces-max', 0);
  assert.is(await kept(), 0);
  await traced.set('tracing-recent-traces-max', 100);
});

sampling('what is counted is the same on all surfaces', async () => {
  await traced.set('tracing-sampling-rate', 0);
  let status: (string | number)[] = [];
  const reported = (name: string): number => Number(status[status.indexOf(name) + 1]);
  const read = async (): Promise<(string | number)[]> =>
    (await traced.client.call('DEBUG', 'TRACING', 'STATUS')) as (string | number)[];
  let text = '';
  const metric = (name: string): number => sampleIn(text, name);
  await until(async () => {
    status = await read();
    text = (await request(traced.server.httpPort, '/metrics')).text;
    const isStill = JSON.stringify(await read()) === JSON.stringify(status);
    const isLevel =
      metric('svc_traces_sampled_total') === reported('sampled-total') &&
      metric('svc_trace_spans_exported_total') === reported('spans-exported-total');
    return isStill && isLevel && reported('queued') === 0 && reported('spans-exported-total') > 0;
  }, 'all is sent, and the metrics are of the same moment');
  assert.is(metric('svc_traces_sampled_total'), reported('sampled-total'));
  assert.is(metric('svc_traces_dropped_total{reason="busy"}'), reported('dropped-busy-total'));
  assert.is(metric('svc_traces_dropped_total{reason="queue"}'), reported('dropped-queue-total'));
  assert.is(
    metric('svc_traces_dropped_total{reason="collector"}'),
    reported('dropped-collector-total'),
  );
  assert.is(metric('svc_trace_spans_exported_total'), reported('spans-exported-total'));
  assert.is(reported('spans-exported-total'), traced.collector.spans.length);
  assert.is(status[status.indexOf('collector') + 1], 'working');
  await traced.set('tracing-sampling-rate', 1);
});

sampling('exemplars lead from a bucket to a trace, in OpenMetrics only', async () => {
  const spans = await traced.spansOf(['SET', 'exemplary', 'v']);
  const root = named(spans, 'SET');
  const headers = { accept: 'application/openmetrics-text' };
  const open = (await request(traced.server.httpPort, '/metrics', { headers })).text;
  const line = open
    .split('\n')
    .find((each) => each.includes('_bucket{command="set"') && each.includes(root.traceId));
  const form = /^\S+le="([^"]+)"\S* \d+ # \{trace_id="(\w+)",span_id="(\w+)"\} (\S+) (\S+)$/;
  const [, le = '', traceId, spanId, value, timestamp] = form.exec(line ?? '') ?? [];
  assert.equal([traceId, spanId], [root.traceId, root.spanId], line ?? open);
  assert.ok(Number(value) <= Number(le));
  assert.ok(Math.abs(Number(timestamp) - Number(root.endNs / 1_000_000n) / 1_000) < 1);
  assert.not.match((await request(traced.server.httpPort, '/metrics')).text, / # \{/);
});

sampling('a value that is not allowed is refused in words', async () => {
  for (const [name, value, words] of [
    ['tracing-sampling-rate', '1.5', /a number from 0 to 1/],
    ['tracing-recent-traces-max', '-1', /between 0 and 10000/],
    ['tracing-enabled', 'maybe', /'yes' or 'no'/],
    ['tracing-otlp-endpoint', 'http://other:4317', /immutable/],
  ] as const) {
    const refused = await traced.client.reply('CONFIG', 'SET', name, value);
    assert.ok(refused instanceof ReplyError, name);
    assert.match(refused.message, words);
  }
});

sampling.run();
