import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_KINDS, eventKind, KEPT_EVENTS, type LogRecord } from '#base';
import { HistoryFolder } from '../files/history-folder.ts';
import { EventLog, type EventQuery } from './event-log.ts';

const events = suite('events of the history');

const ALL: EventQuery = {
  fromMs: 0,
  toMs: Infinity,
  kinds: new Set(EVENT_KINDS),
  level: 'trace',
  count: Infinity,
};

let place: string;
let lines: string[];
events.before.each(() => {
  place = fs.mkdtempSync(path.join(tmpdir(), 'events-'));
  lines = [];
});
events.after.each(() => {
  fs.rmSync(place, { recursive: true });
});

interface Opened {
  readonly log: EventLog;
  readonly isUnclean: boolean;
}

async function opened(bytesMax = 1_000_000): Promise<Opened> {
  const folder = new HistoryFolder(
    place,
    () => 0,
    (_, event) => lines.push(event),
  );
  const log = new EventLog({ folder: () => folder, bytesMax: () => bytesMax });
  return { log, isUnclean: await log.load(folder) };
}

function record(event: string, time: number, level: LogRecord['level'] = 'info'): LogRecord {
  return { time, level, thread: 'main', event, message: `${event} at ${time}`, fields: { time } };
}

function names(log: EventLog, query: Partial<EventQuery> = {}): string[] {
  return log
    .select({ ...ALL, ...query })
    .events.map(({ event, time_ms: time }) => `${event} ${time}`);
}

const file = (): string => path.join(place, 'events.jsonl');

events('outlive the process, newest first, without records of no kind', async () => {
  const { log, isUnclean } = await opened();
  assert.is(isUnclean, false);
  for (const one of [record('started', 5), record('http-request', 6), record('snapshot', 4)])
    log.add(one);
  await log.settle();
  const again = await opened();
  again.log.add(record('stopped', 7));
  await again.log.settle();
  assert.equal(names(again.log), ['stopped 7', 'snapshot 4', 'started 5']);
  assert.equal(
    again.log.select(ALL).events.map(({ seq }) => seq),
    [3, 2, 1],
  );
  assert.equal(again.log.select(ALL).events[1]!.fields, { time: 4 });
});

events('tell a process that was killed from one that has stopped', async () => {
  const first = await opened();
  first.log.add(record('started', 1));
  await first.log.settle();
  const second = await opened();
  assert.is(second.isUnclean, true);
  second.log.add(record('started', 2));
  second.log.add(record('stopped', 3));
  await second.log.settle();
  assert.is((await opened()).isUnclean, false);
});

events('are selected by time, kind, level and count', async () => {
  const { log } = await opened();
  log.add(record('started', 10));
  log.add(record('snapshot-failed', 20, 'error'));
  log.add(record('snapshot', 30));
  log.add(record('main-stuck', 40, 'error'));
  assert.equal(names(log, { fromMs: 20, toMs: 30 }), ['snapshot 30', 'snapshot-failed 20']);
  assert.equal(names(log, { kinds: new Set(['snapshot'] as const) }), [
    'snapshot 30',
    'snapshot-failed 20',
  ]);
  assert.equal(names(log, { level: 'warn' }), ['main-stuck 40', 'snapshot-failed 20']);
  assert.equal(log.select({ ...ALL, count: 1 }).events.length, 1);
  assert.is(log.select({ ...ALL, count: 0 }).events.length, 0);
  assert.is(log.select({ ...ALL, count: 1 }).total, 4);
  await log.settle();
});

events('damaged lines are skipped, and the file is repaired', async () => {
  const { log } = await opened();
  for (let time = 1; time <= 4; time += 1) log.add(record('snapshot', time));
  await log.settle();
  const text = fs.readFileSync(file(), 'utf8').replace('snapshot at 2', 'snapshot at 9');
  fs.writeFileSync(file(), text.slice(0, -10));
  const again = await opened();
  assert.equal(names(again.log), ['snapshot 3', 'snapshot 1']);
  assert.equal(lines, ['history-skipped']);
  again.log.add(record('started', 5));
  await again.log.settle();
  lines = [];
  assert.equal(names((await opened()).log), ['started 5', 'snapshot 3', 'snapshot 1']);
  assert.equal(lines, []);
});

events('a frequent kind does not displace others, and all are bounded', async () => {
  const { log } = await opened(400_000);
  log.add(record('started', 1));
  for (let time = 2; time < 3_000; time += 1) log.add(record('login-failed', time));
  await log.settle();
  assert.is(names(log).at(-1), 'started 1');
  assert.is(names(log, { kinds: new Set(['denial'] as const) }).length, 1_000);
  const small = await opened(10_000);
  assert.ok(small.log.bytes <= 10_000);
  small.log.add(record('snapshot', 3_000));
  await small.log.settle();
  assert.ok(fs.statSync(file()).size < 100_000, String(fs.statSync(file()).size));
});

events('that could not be written are written later', async () => {
  const folders: HistoryFolder[] = [];
  const log = new EventLog({ folder: () => folders[0], bytesMax: () => 1_000_000 });
  log.add(record('started', 1));
  await log.settle();
  folders.push(
    new HistoryFolder(
      place,
      () => 0,
      () => undefined,
    ),
  );
  log.flush();
  await log.settle();
  assert.equal(names((await opened()).log), ['started 1']);
});

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../..');

/** Text of all sources but tests and the table itself. */
function sourceText(): string {
  const folder = path.join(root, 'packages');
  return fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test|event-kinds|^(e2e|testkit)/.test(name))
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
}

events('every name in the table is one that is logged', () => {
  const text = sourceText();
  // The event of a standstill is composed of the thread and the ending.
  const isLogged = (event: string): boolean =>
    text.includes(`'${event}'`) || /^(main|front)-(stuck|resumed)$|^function-killed$/.test(event);
  assert.ok(text.includes('`${event}-stuck`') && text.includes('`${event}-resumed`'));
  assert.equal(
    KEPT_EVENTS.filter((event) => !isLogged(event)),
    [],
  );
});

events('each name has one kind', () => {
  assert.equal([...new Set(KEPT_EVENTS)], KEPT_EVENTS);
  assert.is(eventKind('main-stuck'), 'stuck');
  assert.is(eventKind('http-request'), undefined);
});

events.run();
