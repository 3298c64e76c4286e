/** Metrics pushed by OTLP are those of /metrics: names, meanings, units, values. */

import {
  type ChildServer,
  Collector,
  type OtlpMetric,
  request,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const push = suite('metrics pushed by OTLP');

let collector: Collector;
let server: ChildServer;

push.before(async () => {
  collector = await Collector.start();
  server = await startServer({
    shards: 2,
    http: true,
    toml: `
      [metrics]
      otlp-enabled = true
      otlp-endpoint = "${collector.endpoint}"
      otlp-interval-secs = 1
      [tracing]
      service-name = "orders"
    `,
  });
});
push.after(async () => {
  await server.stop();
  collector.stop();
});

/** A reading that was taken after now. */
async function nextPush(): Promise<OtlpMetric[]> {
  const count = collector.pushes.length;
  // The one under way may have been read before.
  await until(() => collector.pushes.length >= count + 2, 'a push');
  return collector.pushes.at(-1)!;
}

function named(metrics: readonly OtlpMetric[], name: string): OtlpMetric {
  const found = metrics.find((metric) => metric.name === name);
  assert.ok(found, name);
  return found;
}

interface Json {
  metrics: {
    name: string;
    kind: string;
    unit: string;
    help: string;
    samples: { labels: Record<string, string>; value?: number; count?: number; sum?: number }[];
  }[];
}

push(
  'has every metric of the table that has a value, with its unit, kind and meaning',
  async () => {
    const client = await server.client();
    await client.call('SET', 'k', 'v');
    const pushed = await nextPush();
    const { metrics } = (await request(server.httpPort, '/debug/api/metrics')).json() as Json;
    const units: Record<string, string> = { seconds: 's', bytes: 'By', ratio: '1', '': '' };
    const kinds: Record<string, string> = {
      counter: 'sum',
      gauge: 'gauge',
      histogram: 'histogram',
    };
    const shown = metrics.filter(({ samples }) => samples.length > 0);
    assert.ok(shown.length > 50);
    for (const { name, kind, unit, help, samples } of shown) {
      const metric = named(pushed, name);
      assert.equal(
        [metric.kind, metric.unit, metric.description],
        [kinds[kind], units[unit], help],
        name,
      );
      if (metric.kind !== 'gauge') assert.is(metric.temporality, 2, `${name} is cumulative`);
      if (metric.kind === 'sum') assert.is(metric.isMonotonic, true, name);
      assert.ok(metric.points.length <= samples.length, name);
      for (const { attributes } of metric.points) {
        assert.ok(
          samples.some(({ labels }) => JSON.stringify(labels) === JSON.stringify(attributes)),
          name,
        );
      }
    }
    const known = new Set(metrics.map(({ name }) => name));
    assert.equal(
      pushed.filter(({ name }) => !known.has(name)),
      [],
      'and nothing else',
    );
  },
);

push('has the numbers of the command, and who sends them', async () => {
  const client = await server.client();
  await client.pipeline(Array.from({ length: 50 }, () => ['INCR', 'n']));
  const pushed = await nextPush();
  const calls = named(pushed, 'svc_commands_total').points.find(
    (p) => p.attributes['command'] === 'incr',
  )!;
  assert.is(calls.value, 50);
  assert.ok(calls.startNs < calls.timeNs);
  const durations = named(pushed, 'svc_commands_duration_seconds').points;
  const {
    bucketCounts = [],
    bounds = [],
    count,
    sum,
  } = durations.find((point) => point.attributes['command'] === 'incr')!;
  assert.equal([count, bucketCounts.length], [50, bounds.length + 1]);
  assert.is(
    bucketCounts.reduce((total, each) => total + each, 0),
    50,
  );
  assert.equal([bounds[0], bounds.at(-1)], [0.00001, 10]);
  assert.ok(sum! > 0 && sum! < 50);
  const { resource } = named(pushed, 'svc_commands_total');
  assert.is(resource['service.name'], 'orders');
  assert.match(String(resource['service.instance.id']), /^[0-9a-f]{40}$/);
  assert.is(resource['process.pid'], server.pid);
});

push('begins a sum anew when it was set back', async () => {
  const client = await server.client();
  const before = named(await nextPush(), 'svc_commands_total');
  await client.call('CONFIG', 'RESETSTAT');
  await client.call('INCR', 'n');
  const incr = (metric: OtlpMetric) =>
    metric.points.find((p) => p.attributes['command'] === 'incr')!;
  const after = named(await nextPush(), 'svc_commands_total');
  assert.is(incr(after).value, 1);
  assert.ok(incr(after).startNs > incr(before).startNs);
});

push('otlp-interval-secs: how often', async () => {
  const client = await server.client();
  const before = collector.pushes.length;
  await until(() => collector.pushes.length >= before + 2, 'twice in a while');
  await client.call('CONFIG', 'SET', 'metrics-otlp-interval-secs', 3_600);
  const { text } = await request(server.httpPort, '/metrics');
  const taken = Number(/svc_metrics_pushes_total\{result="taken"\} (\d+)/.exec(text)?.[1]);
  assert.ok(Math.abs(taken - collector.pushes.length) <= 1);
  await client.call('CONFIG', 'SET', 'metrics-otlp-interval-secs', 1);
  const then = collector.pushes.length;
  await until(() => collector.pushes.length >= then + 2, 'often again');
});

push.run();
