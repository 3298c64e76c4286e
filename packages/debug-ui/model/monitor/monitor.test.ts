import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Monitor } from '../api.ts';
import { monitorRequest } from './monitor-request.ts';
import { MonitorTail } from './monitor-tail.ts';
import { endOf } from './monitor-words.ts';

const monitors = suite('monitor of a page');

/** Answer with the lines of these numbers. */
function answer(numbers: readonly number[], changes: Partial<Monitor> = {}): Monitor {
  const lines = numbers.map((number) => ({
    number,
    time_ms: number,
    db: 0,
    client_id: 1,
    addr: '',
    user: '',
    source: 'client' as const,
    args: [],
  }));
  return {
    id: 'one',
    filter: { commands: [], key: null, client: null, user: null, db: null, sources: [] },
    lines_per_sec: 100,
    duration_ms: 1,
    start_time_ms: 0,
    end_time_ms: 1,
    ended_by: null,
    seen: 0,
    matched: 0,
    left_out: 0,
    last: numbers.at(-1) ?? 0,
    missed: 0,
    lines,
    ...changes,
  };
}

/** A tail of these answers, and the numbers that it asked for. */
function tailOf(answers: (Monitor | null)[]): { tail: MonitorTail; asked: number[] } {
  const asked: number[] = [];
  const tail = new MonitorTail(answer([]), (after) => {
    asked.push(after);
    return Promise.resolve(answers.shift()!);
  });
  return { tail, asked };
}

monitors('each request asks for newer lines, and adds them', async () => {
  const { tail, asked } = tailOf([answer([1, 2]), answer([5], { missed: 2, last: 5 })]);
  await tail.next();
  const content = await tail.next();
  assert.equal(
    content.lines.map(({ number }) => number),
    [1, 2, 5],
  );
  assert.equal([content.missed, content.older, asked], [2, 0, [0, 2]]);
});

monitors('keeps the newest thousand lines', async () => {
  const numbers = Array.from({ length: 700 }, (_, nth) => nth + 1);
  const later = numbers.map((number) => number + 700);
  const { tail } = tailOf([answer(numbers), answer(later)]);
  await tail.next();
  const { lines, older } = await tail.next();
  assert.equal([lines.length, lines[0]?.number, older], [1_000, 401, 400]);
});

monitors('keeps its lines when it has ended, or the server has forgotten it', async () => {
  const ended = tailOf([answer([1]), answer([2], { ended_by: 'time-limit' })]).tail;
  await ended.next();
  assert.ok(ended.isRunning);
  const content = await ended.next();
  assert.not.ok(ended.isRunning);
  assert.equal(
    [content.lines.length, endOf(content)],
    [2, 'Stopped by the server after the longest time.'],
  );
  const gone = tailOf([answer([1]), null]).tail;
  assert.is(endOf(await gone.next()), null);
  const last = await gone.next();
  assert.equal([last.lines.length, endOf(last)], [1, 'The server no longer has this monitor.']);
});

monitors('empty fields do not narrow the filter', () => {
  const fields = new Map([
    ['lines', '100'],
    ['commands', ' '],
  ]);
  assert.equal(
    monitorRequest((name) => fields.get(name) ?? ''),
    {
      filter: { commands: [], key: null, client: null, user: null, db: null, sources: [] },
      lines_per_sec: 100,
    },
  );
});

monitors('fields are sent as they are typed, names as a list', () => {
  const fields = new Map([
    ['lines', '5'],
    ['commands', 'get, SET  client|list'],
    ['key', ' user:*'],
    ['client', ' 7 '],
    ['user', 'ada'],
    ['db', '3'],
    ['source', 'script'],
  ]);
  assert.equal(
    monitorRequest((name) => fields.get(name) ?? ''),
    {
      filter: {
        commands: ['get', 'SET', 'client|list'],
        key: ' user:*',
        client: '7',
        user: 'ada',
        db: 3,
        sources: ['script'],
      },
      lines_per_sec: 5,
    },
  );
});

monitors.run();
