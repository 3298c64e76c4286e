/**
 * The ops thread as main starts it: records in, lines out, and nothing lost when it is stopped.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { LogRecord } from '#base';
import { Settings } from '#config';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { opsWorkerUrl } from './urls.ts';

const ops = suite('ops thread');

const record = (level: LogRecord['level'], message: string): LogRecord => ({
  time: 0,
  level,
  thread: 'main',
  event: 'test',
  message,
});

ops('writes what it is sent, follows the level, and flushes before it ends', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ops-'));
  const file = path.join(folder, 'svc.log');
  const settings = new Settings().snapshot();
  const logging = {
    ...settings,
    'logging.output': 'none',
    'logging.file-path': file,
    'logging.format': 'json',
    'logging.rotation.frequency': 'never',
  };
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(opsWorkerUrl, {
    workerData: { settings: logging, port: port2 },
    transferList: [port2],
  });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  const stopped = new Promise((resolve) => port1.once('message', resolve));
  port1.postMessage({ kind: 'log', records: [record('info', 'one'), record('debug', 'two')] });
  port1.postMessage({ kind: 'settings', settings: { ...logging, 'logging.level': 'debug' } });
  port1.postMessage({ kind: 'log', records: [record('debug', 'three')] });
  port1.postMessage({ kind: 'stop' });
  assert.equal(await stopped, { kind: 'stopped' });
  assert.is(await ended, 0);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  rmSync(folder, { recursive: true });
  assert.equal(
    lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
    ['one', 'three'],
  );
});

ops.run();
