import type { MonitorDocument, MonitorOptions, MonitorSelection } from '#api-types';
import type { LogFields } from '#base';
import { Arguments, commandTable } from '#commands';
import type { Client, WatchedOrigin } from '#router';
import { pointedAt } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PageMonitors } from './page-monitors.ts';

const monitors = suite('monitors of debug pages');

const ALL: MonitorSelection = {
  commands: [],
  key: null,
  client: null,
  user: null,
  db: null,
  sources: [],
};

function clientOf(id: number, remoteAddress: string, user = 'default', database = 0): Client {
  const socket = { isUnix: remoteAddress.startsWith('/'), remoteAddress };
  return { id, socket, session: { user, database } } as unknown as Client;
}

const ONE = clientOf(7, '10.0.0.1:4000');
const CALL: WatchedOrigin = { database: 3, sequence: 1 };

/** Monitors with a clock of the test, and their log lines. */
function fixture() {
  let nowMs = 1_000_000;
  let changes = 0;
  const logged: (readonly [event: string, fields: LogFields | undefined])[] = [];
  const all = new PageMonitors({
    nowMs: () => nowMs,
    log: { info: (event, _message, fields) => void logged.push([event, fields]) },
    changed: () => {
      changes += 1;
    },
  });
  const start = (filter: Partial<MonitorSelection> = {}, options: Partial<MonitorOptions> = {}) =>
    all.start({
      id: 'one',
      addr: '10.9.9.9',
      options: {
        filter: { ...ALL, ...filter },
        lines_per_sec: 100,
        duration_ms: 300_000,
        ...options,
      },
    });
  const send = (line: string, client = ONE, origin?: WatchedOrigin): void => {
    const args = pointedAt(new Arguments(), line);
    const [name, sub] = [args.latin1(0), args.count > 1 ? args.latin1(1) : ''];
    const entry = commandTable.byName(`${name}|${sub}`) ?? commandTable.byName(name)!;
    all.routed({ client, entry, args, origin });
  };
  const lines = (after = 0): MonitorDocument => all.lines({ id: 'one', after })!;
  const pass = (ms: number): void => {
    nowMs += ms;
    all.tick();
  };
  return { all, start, send, lines, pass, logged, changes: () => changes };
}

const wordsOf = (document: MonitorDocument): string[] =>
  document.lines.map(({ args }) => args.join(' '));

const filters: readonly (readonly [
  filter: Partial<MonitorSelection>,
  expected: readonly string[],
])[] = [
  [{ commands: ['get'] }, ['GET user:1']],
  [{ commands: ['client', 'del'] }, ['CLIENT ID', 'DEL a user:2']],
  [{ commands: ['client|id'] }, ['CLIENT ID']],
  [{ key: 'user:*' }, ['GET user:1', 'DEL a user:2']],
  [{ key: 'v*' }, []],
  [{ key: '*' }, ['GET user:1', 'SET other v', 'DEL a user:2', 'INCR n', 'LPUSH list x']],
  [{ client: '7' }, ['GET user:1', 'CLIENT ID', 'INCR n', 'LPUSH list x']],
  [{ client: '10.0.0.2' }, ['SET other v']],
  [{ client: '10.0.0.2:4001' }, ['SET other v']],
  [{ client: '10.0.0' }, []],
  [{ client: '::1' }, ['DEL a user:2']],
  [{ client: '[::1]:4002' }, ['DEL a user:2']],
  [{ user: 'ada' }, ['SET other v']],
  [{ user: 'ad' }, []],
  [{ db: 3 }, ['INCR n']],
  [{ db: 9 }, ['DEL a user:2']],
  [{ sources: ['script'] }, ['INCR n']],
  [{ sources: ['transaction'] }, ['LPUSH list x']],
  [{ sources: ['client'] }, ['GET user:1', 'SET other v', 'CLIENT ID', 'DEL a user:2']],
  [
    { sources: ['client'], client: '7', commands: ['get'], key: '*1', user: 'default' },
    ['GET user:1'],
  ],
];

for (const [filter, expected] of filters) {
  monitors(`filter ${JSON.stringify(filter)}`, () => {
    const { start, send, lines } = fixture();
    start(filter);
    send('GET user:1');
    send('SET other v', clientOf(8, '10.0.0.2:4001', 'ada'));
    send('CLIENT ID');
    send('DEL a user:2', clientOf(9, '[::1]:4002', 'default', 9));
    send('INCR n', ONE, CALL);
    send('LPUSH list x', ONE, 'transaction');
    const document = lines();
    assert.equal(wordsOf(document), expected);
    const bySource = { client: 4, script: 1, transaction: 1 };
    const sources = filter.sources ?? (['client', 'script', 'transaction'] as const);
    const seen = sources.reduce((sum, source) => sum + bySource[source], 0);
    assert.equal([document.seen, document.matched, document.left_out], [seen, expected.length, 0]);
  });
}

monitors('a line has time, database, client, user and origin', () => {
  const { start, send, lines } = fixture();
  start();
  send('GET k', clientOf(5, '/run/svc.sock:0', 'ada', 2));
  send('GET k', ONE, CALL);
  assert.equal(lines().lines, [
    {
      number: 1,
      time_ms: 1_000_000,
      db: 2,
      client_id: 5,
      addr: 'unix:/run/svc.sock',
      user: 'ada',
      source: 'client',
      args: ['GET', 'k'],
    },
    {
      number: 2,
      time_ms: 1_000_000,
      db: 3,
      client_id: 7,
      addr: '10.0.0.1:4000',
      user: 'default',
      source: 'script',
      args: ['GET', 'k'],
    },
  ]);
});

monitors('hides commands of administrators, and secrets', () => {
  const { start, send, lines } = fixture();
  start();
  send('ACL SETUSER u >hunter2');
  send('CONFIG SET requirepass hunter2');
  send('AUTH u hunter2');
  send('HELLO 3 AUTH u hunter2');
  send('MIGRATE h 1 k 0 1 AUTH hunter2');
  const document = lines();
  assert.equal(wordsOf(document), [
    'AUTH (redacted) (redacted)',
    'HELLO 3 AUTH (redacted) (redacted)',
    'MIGRATE h 1 k 0 1 AUTH (redacted)',
  ]);
  assert.is(document.seen, 3);
});

monitors('shows the beginning of long arguments, and of many', () => {
  const { start, send, lines } = fixture();
  start();
  send(`SET k ${'v'.repeat(200)}`);
  send(`MGET ${'k '.repeat(50).trim()}`);
  send('SET k "\\u00ff\\u00fe"');
  const [long, many, binary] = lines().lines;
  assert.is(long?.args[2], `${'v'.repeat(128)}... (72 more bytes)`);
  assert.equal([many?.args.length, many?.args.at(-1)], [32, '... (20 more arguments)']);
  assert.is(binary?.args[2], '\xff\xfe');
});

monitors('keeps the first lines of each second, and counts all', () => {
  const { start, send, lines, pass } = fixture();
  start({ commands: ['get'] }, { lines_per_sec: 3 });
  for (let nth = 0; nth < 10; nth += 1) send(`GET ${nth}`);
  send('PING');
  pass(1_000);
  for (let nth = 10; nth < 12; nth += 1) send(`GET ${nth}`);
  const document = lines();
  assert.equal(wordsOf(document), ['GET 0', 'GET 1', 'GET 2', 'GET 10', 'GET 11']);
  const { seen, matched, left_out, last } = document;
  assert.equal({ seen, matched, left_out, last }, { seen: 13, matched: 12, left_out: 7, last: 5 });
});

monitors('gives the lines after a number, and how many are no longer kept', () => {
  const { start, send, lines } = fixture();
  start({}, { lines_per_sec: 1_000_000 });
  for (let nth = 0; nth < 2_500; nth += 1) send(`GET ${nth}`);
  const first = lines();
  assert.equal([first.missed, first.lines.length, first.last], [500, 2_000, 2_500]);
  assert.is(first.lines[0]?.number, 501);
  send('GET next');
  const next = lines(first.last);
  assert.equal([next.missed, wordsOf(next)], [0, ['GET next']]);
  assert.equal([lines(next.last).missed, lines(next.last).lines], [0, []]);
});

monitors('keeps lines of a limited size together', () => {
  const { start, send, lines } = fixture();
  start({}, { lines_per_sec: 1_000_000 });
  const key = 'k'.repeat(100);
  for (let nth = 0; nth < 1_000; nth += 1) send(`MGET ${`${key} `.repeat(30).trim()}`);
  const { missed, lines: kept } = lines();
  assert.is(missed + kept.length, 1_000);
  const chars = kept.reduce((sum, { args }) => sum + args.join('').length, 0);
  assert.ok(chars > 400_000 && chars <= 512 * 1_024, String(chars));
});

monitors('ends a minute after the last request, and is forgotten a minute later', () => {
  const { all, start, send, lines, pass, logged, changes } = fixture();
  start();
  send('PING');
  pass(59_999);
  assert.is(lines().ended_by, null);
  pass(59_999);
  assert.ok(all.isOn);
  pass(1);
  assert.not.ok(all.isOn);
  const document = lines();
  assert.equal([document.ended_by, wordsOf(document)], ['not-renewed', ['PING']]);
  assert.is(document.end_time_ms - document.start_time_ms, 119_999);
  assert.is(changes(), 2);
  assert.equal(logged, [
    ['monitor-started', { addr: '10.9.9.9', filter: '', lines_per_sec: 100 }],
    [
      'monitor-ended',
      {
        addr: '10.9.9.9',
        by: 'not-renewed',
        ms: 119_999,
        seen: 1,
        matched: 1,
        lines: 1,
        left_out: 0,
      },
    ],
  ]);
  pass(60_000);
  assert.is(all.lines({ id: 'one', after: 0 }), null);
});

monitors('ends after its time in any case, also while commands come and no tick does', () => {
  const { all, start, send, lines, pass } = fixture();
  start({}, { duration_ms: 2_000 });
  send('GET 1');
  pass(1_999);
  assert.is(lines().ended_by, null);
  pass(1);
  send('GET 2');
  assert.not.ok(all.isOn);
  assert.equal([lines().ended_by, wordsOf(lines())], ['time-limit', ['GET 1']]);
});

monitors('is stopped once, with the first reason', () => {
  const { all, start, send, logged } = fixture();
  start({ user: 'ada', commands: ['get', 'set'] });
  assert.is(all.stop({ id: 'other', by: 'stopped' }), null);
  const stopped = all.stop({ id: 'one', by: 'page-hidden' });
  assert.equal([stopped?.ended_by, stopped?.lines], ['page-hidden', []]);
  assert.is(all.stop({ id: 'one', by: 'stopped' })?.ended_by, 'page-hidden');
  send('GET 1');
  assert.is(all.lines({ id: 'one', after: 0 })?.seen, 0);
  assert.equal(
    logged.map(([event]) => event),
    ['monitor-started', 'monitor-ended'],
  );
  assert.is(logged[0]![1]!['filter'], 'commands=get,set user=ada');
});

monitors('refuses unknown commands, and more than four at once', () => {
  const { all, start } = fixture();
  assert.is(start({ commands: ['nosuch'] }).problem, 'no such command: nosuch');
  const { options } = { options: { filter: ALL, lines_per_sec: 1, duration_ms: 1_000 } };
  for (const id of ['a', 'b', 'c', 'd']) {
    assert.is(all.start({ id, addr: '', options }).problem, '');
  }
  assert.is(all.start({ id: 'e', addr: '', options }).problem, '4 monitors are running already');
  all.stop({ id: 'b', by: 'stopped' });
  assert.is(all.start({ id: 'e', addr: '', options }).problem, '');
});

monitors('wants calls of scripts only where its filter may select them', () => {
  const { all, start } = fixture();
  assert.not.ok(all.hasCalls);
  start({ sources: ['client', 'transaction'] });
  assert.equal([all.isOn, all.hasCalls], [true, false]);
  all.stop({ id: 'one', by: 'stopped' });
  start();
  assert.ok(all.hasCalls);
});

monitors('an unread command costs no copy of its words', () => {
  const { start, all } = fixture();
  start({ user: 'ada', key: 'k*' });
  const args = pointedAt(new Arguments(), 'GET key');
  const refuse = (): never => {
    throw new Error('words were copied');
  };
  Object.assign(args, { latin1: refuse, bytes: refuse, view: refuse, text: refuse });
  all.routed({ client: ONE, entry: commandTable.byName('GET')!, args, origin: undefined });
  assert.is(all.lines({ id: 'one', after: 0 })?.seen, 1);
});

monitors.run();
