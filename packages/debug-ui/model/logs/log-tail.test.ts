import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Logs } from '../api.ts';
import { LogTail, logsPath } from './log-tail.ts';

const tails = suite('end of the log');

const FACTS = { dropped: 0, threads: ['main'], events: ['started'] };

/** Lines of these numbers. */
function answer(numbers: readonly number[], last: number, missed = 0): Logs {
  const lines = numbers.map((number) => ({
    number,
    time_ms: number,
    level: 'info' as const,
    thread: 'main',
    event: 'started',
    message: '',
    fields: {},
  }));
  return { lines, last, missed, ...FACTS };
}

/** A tail of these answers, and the numbers that it asked for. */
function tailOf(answers: Logs[]): { readonly tail: LogTail; readonly asked: number[] } {
  const asked: number[] = [];
  const tail = new LogTail((after) => {
    asked.push(after);
    return Promise.resolve(answers.shift()!);
  });
  return { tail, asked };
}

const numbersOf = ({ lines }: Pick<Logs, 'lines'>): number[] => lines.map(({ number }) => number);

tails('each request asks for what is newer, also where a filter selects nothing', async () => {
  const { tail, asked } = tailOf([answer([2, 3], 5, 1), answer([], 9), answer([10], 12, 2)]);
  assert.equal(numbersOf(await tail.next()), [2, 3]);
  assert.equal(numbersOf(await tail.next()), [2, 3]);
  const content = await tail.next();
  assert.equal(numbersOf(content), [2, 3, 10]);
  // Lines from before the page was opened are none that it has missed.
  assert.is(content.missed, 2);
  assert.equal(asked, [0, 5, 9]);
});

tails('a restarted server is asked for all', async () => {
  const { tail, asked } = tailOf([answer([7], 7), answer([], 2), answer([1, 2], 2)]);
  await tail.next();
  assert.equal(numbersOf(await tail.next()), [1, 2]);
  assert.equal(asked, [0, 7, 0]);
});

tails('a page keeps a thousand lines', async () => {
  const many = Array.from({ length: 900 }, (_, nth) => nth + 1);
  const { tail } = tailOf([
    answer(many, 900),
    answer(
      many.map((nth) => nth + 900),
      1_800,
    ),
  ]);
  await tail.next();
  const { lines } = await tail.next();
  assert.equal([lines.length, lines[0]!.number], [1_000, 801]);
});

tails('the path has what is selected', () => {
  const none = { level: '', thread: '', event: '', text: '' };
  assert.is(logsPath(none, 3), '/debug/api/logs?count=1000&after=3');
  assert.is(
    logsPath({ ...none, level: 'warn', text: 'a&b' }, 0),
    '/debug/api/logs?count=1000&after=0&level=warn&text=a%26b',
  );
});

tails.run();
