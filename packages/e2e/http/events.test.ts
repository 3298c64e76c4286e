/** Events on the time line over HTTP: kept over a restart and a kill, at any log level, and selected by parameters. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EventsDocument } from '#api-types';
import { type ChildServer, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const events = suite('events over HTTP');

const PATH = '/debug/api/events';

async function eventsOf(server: ChildServer, query = ''): Promise<EventsDocument> {
  const answer = await request(server.httpPort, `${PATH}?${query}`);
  assert.is(answer.status, 200, answer.text);
  return answer.json() as EventsDocument;
}

async function untilEvents(server: ChildServer, names: readonly string[]): Promise<void> {
  const has = async (): Promise<boolean> => {
    const found = new Set((await eventsOf(server)).events.map(({ event }) => event));
    return names.every((name) => found.has(name));
  };
  await until(has, `the events ${names.join(', ')}`);
}

events('outlive a kill and a stop, at any log level', async () => {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-events-'));
  const start = (): Promise<ChildServer> =>
    startServer({ http: true, shards: 1, folder, args: ['--set', 'logging.level=error'] });
  const first = await start();
  await (await first.client()).call('BGSAVE');
  await untilEvents(first, ['started', 'snapshot']);
  assert.not.ok(first.stdout.includes('snapshot'), 'the log has errors only');
  const file = path.join(folder, 'svc-data', 'history', 'events.jsonl');
  await until(
    () => fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes('"snapshot"'),
    'it is on disk',
  );
  first.signal('SIGKILL');
  await first.ended;

  const second = await start();
  await untilEvents(second, ['started', 'snapshot', 'unclean-end', 'recovered']);
  await second.shutDown();

  const third = await start();
  await untilEvents(third, ['unclean-end', 'stopping', 'stopped']);
  await until(
    async () => (await eventsOf(third, 'kind=start')).events.length === 3,
    'all three starts',
  );
  const order = (await eventsOf(third, 'count=-1')).events.map(({ seq }) => seq);
  assert.equal(
    [...order].sort((a, b) => b - a),
    order,
  );
  const unclean = (await eventsOf(third, 'kind=stop&level=warn')).events;
  assert.equal(
    unclean.map(({ event }) => event),
    ['unclean-end'],
  );
  await third.shutDown();
  fs.rmSync(folder, { recursive: true });
});

events('are selected by time, kind, level and count', async () => {
  const server = await startServer({ http: true, shards: 1 });
  const client = await server.client();
  await untilEvents(server, ['started']);
  await client.call('DEBUG', 'MAIN-SLEEP', 2);
  await untilEvents(server, ['main-stuck', 'main-resumed']);
  const stuck = await eventsOf(server, 'kind=stuck,start&level=warn');
  assert.equal(
    stuck.events.map(({ event }) => event),
    ['main-resumed', 'main-stuck'],
  );
  const one = await eventsOf(server, 'count=1');
  assert.is(one.events.length, 1);
  assert.ok(one.total >= 3);
  const before = await eventsOf(server, `to=${stuck.events.at(-1)!.time_ms - 1}&kind=stuck`);
  assert.equal(before.events, []);
  for (const [query, message] of [
    ['kind=nonsense', 'kind must list some of start, stop'],
    ['level=loud', 'level must be one of'],
    ['count=x', 'count must be'],
    ['from=x', 'from must be'],
    ['from=5&to=5', 'from must be before to'],
  ] as const) {
    const answer = await request(server.httpPort, `${PATH}?${query}`);
    assert.is(answer.status, 400, query);
    assert.ok(answer.text.includes(message), answer.text);
  }
  await server.stop();
});

events.run();
