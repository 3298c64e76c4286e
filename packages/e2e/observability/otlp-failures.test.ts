/** Collectors that are dead, slow or refuse data: their data is dropped and counted, without other effects. */
// test-tier: long

import { freePort, request, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  allAccountedFor,
  client,
  exportTo,
  exportToEndpoint,
  load,
  server,
  status,
  stopExporting,
} from './collector-load.ts';
import { sampleIn } from './metrics-text.ts';

const failures = suite('collectors that fail');

stopExporting(failures);

async function metric(name: string): Promise<number> {
  return sampleIn((await request(server.httpPort, '/metrics')).text, name);
}

const lines = (event: string): number =>
  server.stdout.split('\n').filter((line) => line.includes(` ${event} `)).length;

failures('one that nobody listens as', async () => {
  await exportToEndpoint(`http://127.0.0.1:${String(await freePort())}`);
  await load();
  await until(
    async () => (await status())['collector'] === 'failing',
    'the failure is noticed',
    90_000,
  );
  assert.ok(
    Number((await status())['dropped-queue-total']) +
      Number((await status())['dropped-busy-total']) >
      0,
  );
  await allAccountedFor();
  await until(
    async () => (await metric('svc_metrics_pushes_total{result="failed"}')) >= 2,
    'two pushes',
    90_000,
  );
  assert.is(lines('traces-export-failed'), 1, 'told once');
  assert.is(lines('metrics-export-failed'), 1, 'told once');
});

failures('one that refuses, and then takes', async () => {
  const collector = await exportTo('refuse');
  await client.pipeline(Array.from({ length: 1_000 }, () => ['PING']));
  await until(async () => Number((await status())['dropped-collector-total']) > 0, 'refused');
  await until(
    async () => (await metric('svc_metrics_pushes_total{result="failed"}')) >= 2,
    'pushes',
  );
  collector.mode = 'take';
  await until(async () => {
    await client.call('PING');
    return collector.spans.length > 0 && collector.pushes.length > 0;
  }, 'it takes again');
  await until(() => lines('traces-export-works') === 1, 'told of');
  await until(() => lines('metrics-export-works') === 1, 'told of');
  assert.is(lines('traces-export-failed'), 1);
  assert.is(lines('metrics-export-failed'), 1);
  assert.match(server.stdout, /refused by the test/);
  const lost = Number((await status())['dropped-collector-total']);
  assert.ok(lost < 1_000, `${lost} were lost: the others wait until it takes them`);
});

failures.run();
