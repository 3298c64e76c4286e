import type { LogLevel } from '#base';
import type { RecentLine } from '#telemetry';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { logsDocument, type LogsQuestion } from './logs.ts';

const logs = suite('latest lines of the log');

const ALL: LogsQuestion = {
  after: 0,
  count: Infinity,
  level: 'trace',
  thread: undefined,
  event: undefined,
  text: undefined,
};

function lineOf(number: number, level: LogLevel, event: string, message: string): RecentLine {
  const record = { time: number * 1_000, level, thread: 'main', event, message };
  return { number, line: `${level} main ${event} ${message}`, record };
}

/** Lines 11 to 14; earlier ones are no longer in memory. */
const LINES = [
  lineOf(11, 'info', 'started', 'svc is ready'),
  lineOf(12, 'error', 'shard-stuck', 'shard 0 has been running eval'),
  lineOf(13, 'warn', 'shard-resumed', 'shard 0 resumed'),
  lineOf(14, 'debug', 'client-connected', 'Client connected'),
];
const SOURCE = { recentLog: () => LINES, logLinesDropped: () => 3 };

const numbers = (question: Partial<LogsQuestion>): number[] =>
  logsDocument(SOURCE, { ...ALL, ...question }).lines.map(({ number }) => number);

logs('are all there without a selection, with their facts', () => {
  const { lines, ...facts } = logsDocument(SOURCE, ALL);
  assert.equal(lines[0], {
    number: 11,
    time_ms: 11_000,
    level: 'info',
    thread: 'main',
    event: 'started',
    message: 'svc is ready',
    fields: {},
  });
  assert.is(lines.length, 4);
  assert.equal(facts, {
    last: 14,
    missed: 10,
    dropped: 3,
    threads: ['main'],
    events: ['client-connected', 'shard-resumed', 'shard-stuck', 'started'],
  });
});

logs('are selected by level, event, thread, text and number, the newest of them', () => {
  assert.equal(numbers({ level: 'warn' }), [12, 13]);
  assert.equal(numbers({ event: 'started' }), [11]);
  assert.equal(numbers({ thread: 'ops' }), []);
  assert.equal(numbers({ text: 'SHARD resumed' }), [13]);
  assert.equal(numbers({ after: 12 }), [13, 14]);
  assert.equal(numbers({ count: 1, level: 'warn' }), [13]);
  assert.equal(numbers({ count: 0 }), []);
});

logs('a number of an earlier process misses nothing', () => {
  const { lines, last, missed } = logsDocument(SOURCE, { ...ALL, after: 500 });
  assert.equal([lines, last, missed], [[], 14, 0]);
});

logs.run();
