/** Tables of two readings: rates, orders, and figures that are not known. */

import type { StatusDocument } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reading } from './ask-figures.ts';
import { rowsOf, sortable, sorted, tableOf } from './tables.ts';

const tables = suite('tables of top');

function reading(atMs: number, parts: Partial<Reading> = {}): Reading {
  const shard = {
    id: 0,
    state: 'running',
    keys: 5,
    memory_bytes: 100,
    ops_per_sec: 7,
    busy_percent: 1.5,
    queue_depth: 0,
    queue_bytes: 0,
    executing: null,
  };
  const shards = [{ ...shard, id: 1, ops_per_sec: 9 }, shard];
  const status = { shards, commands: { top: [] } } as unknown as StatusDocument;
  const none = { bands: null, commands: null, clients: null, keys: null };
  return { atMs, status, ...none, missing: [], ...parts };
}

const commands = (calls: number, us: number): Partial<Reading> => ({
  commands: new Map([['get', { calls, us }]]),
});

tables('rates of commands are of the time between the readings', () => {
  const [row] = rowsOf(
    'commands',
    reading(1_000, commands(10, 100)),
    reading(3_000, commands(30, 40_100)),
  );
  assert.is(row!['calls_per_sec'], 10);
  assert.is(row!['cpu_percent'], 2, '40 ms in 2 s');
  assert.is(row!['mean_us'], 2_000);
});

tables('after CONFIG RESETSTAT all calls are new', () => {
  const [row] = rowsOf(
    'commands',
    reading(0, commands(1_000, 9_000)),
    reading(1_000, commands(5, 50)),
  );
  assert.is(row!['calls_per_sec'], 5);
  assert.is(row!['mean_us'], 10);
});

tables('with one reading there are no rates', () => {
  const now = reading(0, commands(10, 100));
  for (const before of [now, reading(-1_000)]) {
    const [row] = rowsOf('commands', before, now);
    assert.equal([row!['calls_per_sec'], row!['cpu_percent'], row!['mean_us']], [null, null, null]);
    assert.is(row!['calls'], 10);
  }
});

tables('p99 of a shard is the band in which 99 % of its latest requests are', () => {
  const bands = (low: number, high: number, total: number) => {
    const one = new Map([
      ['<=1ms', low],
      ['<=5ms', high],
      ['>5ms', total - high],
      ['total', total],
    ]);
    return { bands: [one, one] };
  };
  const p99 = (...counts: [number, number, number]): unknown =>
    rowsOf('shards', reading(0, bands(100, 100, 100)), reading(1, bands(...counts)))[0]![
      'p99_us_max'
    ];
  assert.is(p99(199, 200, 200), 1_000);
  assert.is(p99(198, 200, 200), 5_000);
  assert.is(p99(100, 198, 200), Infinity);
  assert.is(p99(100, 100, 100), null, 'there were no requests');
  assert.is(rowsOf('shards', reading(0), reading(1))[0]!['p99_us_max'], null);
  assert.match(tableOf('shards', reading(0), reading(1)).note, 'latency-bands-enabled');
});

tables('shards are in their order, and the largest first by other columns', () => {
  const table = tableOf('shards', reading(0), reading(1));
  const ids = (column: number): string[] => sorted(table, column).map(([id]) => id!.text);
  assert.equal(ids(table.sort), ['0', '1']);
  assert.equal(ids(table.head.indexOf('ops/s')), ['1', '0']);
  assert.ok(sortable('shards').every((column) => table.head[column] !== 'state'));
});

tables('text of a server is shown without control characters', () => {
  const key = { key: 'a\u001b[31m\n', db: 0, ops_per_sec: 1, reads_per_sec: 1, writes_per_sec: 0 };
  const { rows } = tableOf('keys', reading(0), reading(1, { keys: [key] }));
  assert.is(rows[0]![0]!.text, 'a?[31m?');
});

tables.run();
