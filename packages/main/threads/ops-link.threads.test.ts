/** The ops thread as main starts it: records in, lines out, and nothing lost when it is stopped. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogRecord } from '#base';
import { load } from '#config';
import type { MainAnswers } from '#http';
import { moduleMetric } from '#link';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ServerMemory } from './shared-memory.ts';
import { OpsLink } from './ops-link.ts';

const ops = suite('ops thread');

/** Nothing is asked of main here. */
const NO_ANSWERS = {} as MainAnswers;

const folder = mkdtempSync(path.join(tmpdir(), 'ops-'));
ops.after(() => {
  rmSync(folder, { recursive: true });
});

function settings(file: string, ...more: string[]) {
  const sets = [
    ...['logging.output=none', `logging.file-path=${file}`, 'logging.format=json'],
    ...['logging.rotation.frequency=never', ...more],
  ];
  const args = sets.flatMap((set) => ['--set', set]);
  return load({ args, environment: {}, folder }).settings;
}

const record = (level: LogRecord['level'], message: string): LogRecord => ({
  time: 0,
  level,
  thread: 'main',
  event: 'test',
  message,
});

const linesOf = (file: string): unknown[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { msg: string }).msg);

ops('writes what it is sent, follows the level, and flushes before it ends', async () => {
  const file = path.join(folder, 'one.log');
  const running = settings(file, 'http.enabled=false');
  const link = new OpsLink(running, 'test');
  link.post(record('info', 'before the thread'));
  link.begin(new ServerMemory(1, running, 0).observerData, undefined);
  await link.start(NO_ANSWERS, []);
  link.post(record('info', 'one'));
  link.post(record('debug', 'two'));
  running.configSet([['loglevel', 'debug']]);
  link.post(record('debug', 'three'));
  await link.stop();
  assert.equal(linesOf(file), ['before the thread', 'one', 'three']);
});

ops('says that its port is taken, and still writes the log', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const file = path.join(folder, 'two.log');
  const running = settings(file, `http.port=${String(port)}`);
  const link = new OpsLink(running, 'test');
  let message = '';
  try {
    link.begin(new ServerMemory(1, running, 0).observerData, undefined);
    await link.start(NO_ANSWERS, []);
  } catch (error) {
    message = (error as Error).message;
  }
  assert.is(
    message,
    `http: 127.0.0.1:${String(port)} is in use; choose another with --http-port, or set http.enabled = false`,
  );
  link.post(record('error', 'the last line'));
  await link.stop();
  taken.close();
  assert.equal(linesOf(file), ['the last line']);
});

ops('shows the metrics of modules as they are at the scrape', async () => {
  const file = path.join(folder, 'three.log');
  const running = settings(file, 'http.port=0');
  const link = new OpsLink(running, 'test');
  const head = { kind: 'counter', name: 'toy_total', help: 'Toys.' } as const;
  const metric = moduleMetric(head);
  link.begin(new ServerMemory(1, running, 0).observerData, undefined);
  await link.start(NO_ANSWERS, [metric]);
  const served = (): string | undefined =>
    /http:\/\/[^"]+:\d+/.exec(existsSync(file) ? readFileSync(file, 'utf8') : '')?.[0];
  await until(() => served() !== undefined, 'a line tells the address of HTTP');
  metric.values[0] = 3;
  const response = await fetch(`${served()}/metrics`);
  assert.match(await response.text(), /^toy_total 3$/m);
  await link.stop();
});

ops.run();
