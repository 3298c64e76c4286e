/** Scans of logs that grow: what is complete counts, up to a time, and damage is no growth. */

import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WrittenLog } from './written-log.test-helper.ts';
import { scanFinished, scanGrowing } from './log-scan.ts';

const scans = suite('scan of a log');

const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-scan-'));
scans.after(() => {
  fs.rmSync(folder, { recursive: true });
});

let made = 0;

function newLog(times: readonly number[]): WrittenLog {
  made += 1;
  const log = new WrittenLog(path.join(folder, `${made}.log`));
  for (const time of times) log.block([time]);
  return log;
}

async function failureOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'it did not fail',
    (error: unknown) => (error as Error).message,
  );
}

scans('a scan continues where an earlier one has ended', async () => {
  const log = newLog([10, 20]);
  const first = await scanGrowing(log.file);
  assert.equal([first.offset, first.number, first.lastMs], [log.size, 2, 20]);
  log.block([30, 31]);
  const second = await scanGrowing(log.file, { from: first });
  assert.equal([second.offset, second.number, second.lastMs], [log.size, 3, 31]);
  assert.is((await scanFinished(log.file)).offset, log.size);
});

scans('a block that is being written does not count', async () => {
  const log = newLog([10]);
  const whole = log.size;
  log.block([20]);
  for (let bytes = whole; bytes < log.size; bytes += 1) {
    const file = path.join(folder, 'torn.log');
    fs.writeFileSync(file, fs.readFileSync(log.file).subarray(0, bytes));
    const { offset, number } = await scanGrowing(file);
    assert.equal([offset, number], [whole, 1]);
    const failure = await failureOf(scanFinished(file));
    if (bytes > whole) assert.match(failure, `is damaged at offset ${whole}`);
  }
});

scans('zeros that are written ahead of the log do not count', async () => {
  const log = newLog([10]);
  const { size } = log;
  fs.appendFileSync(log.file, Buffer.alloc(1_000));
  assert.is((await scanGrowing(log.file)).offset, size);
});

scans('damage before a block that declares it synced is reported', async () => {
  const log = newLog([10]);
  const at = log.size;
  log.block([20]);
  log.block([30]);
  const bytes = fs.readFileSync(log.file);
  bytes[at + 20]! ^= 1;
  fs.writeFileSync(log.file, bytes);
  assert.match(await failureOf(scanGrowing(log.file)), `is damaged at offset ${at}`);
});

scans('a scan up to a time ends before the first record after it', async () => {
  const log = newLog([10, 20]);
  const first = await scanGrowing(log.file);
  const at = log.size;
  log.block([25, 30, 26]);
  log.block([27]);
  const { cut, lastMs } = await scanGrowing(log.file, { from: first, untilMs: 28 });
  assert.is(cut?.blockAt, at);
  assert.ok(cut!.bytes > 0, 'the first record of the block is kept');
  assert.is(lastMs, 25);
  const whole = await scanGrowing(log.file, { from: first, untilMs: 30 });
  assert.equal([whole.cut, whole.offset], [undefined, log.size]);
  const all = await scanGrowing(log.file, { from: first, untilMs: 24 });
  assert.equal(all.cut, { blockAt: at, bytes: 0 });
});

scans.run();
