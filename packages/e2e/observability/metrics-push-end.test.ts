/** Metrics push: the cases without one, and that the last reading is pushed. */
// test-tier: long

import { Collector, request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ends = suite('metrics pushed at the end');

ends('none goes out unless it is enabled, not at the end either', async () => {
  const other = await Collector.start();
  const quiet = await startServer({
    http: true,
    args: [
      '--set',
      `metrics.otlp-endpoint=${other.endpoint}`,
      '--set',
      'metrics.otlp-interval-secs=1',
    ],
  });
  const { text } = await request(quiet.httpPort, '/metrics');
  assert.match(text, /svc_metrics_pushes_total\{result="taken"\} 0/);
  await quiet.shutDown();
  assert.is(other.requests, 0);
  other.stop();
});

ends('the last reading is sent when the server stops', async () => {
  const own = await Collector.start();
  const short = await startServer({
    args: [
      ...['--set', 'metrics.otlp-enabled=true', '--set', `metrics.otlp-endpoint=${own.endpoint}`],
      ...['--set', 'metrics.otlp-interval-secs=3600'],
    ],
  });
  const client = await short.client();
  await client.call('SET', 'k', 'v');
  await short.shutDown();
  assert.is(own.pushes.length, 1);
  const set = own.pushes[0]!.find(({ name }) => name === 'svc_commands_total')!.points.find(
    (p) => p.attributes['command'] === 'set',
  );
  assert.is(set?.value, 1);
  own.stop();
});

ends.run();
