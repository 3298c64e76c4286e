/** MONITOR of the debug pages over HTTP: what is shown and hidden, its limits, and how it ends. */
import type { MonitorDocument } from '#api-types';
import {
  type ChildServer,
  type HttpAnswer,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const monitors = suite('monitor over HTTP');

const TOKEN = 'token-of-owners';
const VIEWER_TOKEN = 'token-of-viewers';
const OWNER = { authorization: `Bearer ${TOKEN}` };

let server: ChildServer;
let client: RespClient;

monitors.before(async () => {
  const args = [`http.token=${TOKEN}`, `http.viewer-token=${VIEWER_TOKEN}`];
  server = await startServer({
    http: true,
    shards: 2,
    args: args.flatMap((each) => ['--set', each]),
  });
  client = await server.client();
});
monitors.after(async () => {
  await server.stop();
});

function post(
  name: string,
  body: object,
  headers: Record<string, string> = OWNER,
): Promise<HttpAnswer> {
  return request(server.httpPort, `/debug/api/monitor/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function documentOf(name: string, body: object): Promise<MonitorDocument> {
  const answer = await post(name, body);
  assert.is(answer.status, 200, answer.text);
  return answer.json() as MonitorDocument;
}

/** Starts a monitor, runs `work`, and returns the monitor as it was stopped, with all lines. */
async function monitored(options: object, work: () => Promise<unknown>): Promise<MonitorDocument> {
  const { id } = await documentOf('start', options);
  await work();
  // A round trip after the last command, so that calls of scripts have arrived too.
  await client.call('PING');
  const { lines } = await documentOf('lines', { id });
  return { ...(await documentOf('stop', { id })), lines };
}

const wordsOf = ({ lines }: MonitorDocument): string[] => lines.map(({ args }) => args.join(' '));

/** Words of a line of MONITOR that has no escapes. */
function wordsOfLine(line: string): string {
  return [...line.matchAll(/"([^"]*)"/g)].map(([, word]) => word).join(' ');
}

monitors('has the order and the fields of MONITOR', async () => {
  const watcher = await server.client();
  await watcher.call('MONITOR');
  await client.call('SELECT', 2);
  const document = await monitored({ lines_per_sec: 1_000 }, async () => {
    await client.call('SET', 'a', '1');
    await client.call(
      'EVAL',
      "redis.call('INCR', KEYS[1]) return redis.call('get', KEYS[1])",
      1,
      'a',
    );
    await client.pipeline([['MULTI'], ['GET', 'a'], ['SET', 'b', '2'], ['EXEC']]);
    await client.pipeline([['MULTI'], ['INCR', 'a'], ['INCR', 'b'], ['INCR', 'c'], ['EXEC']]);
    await client.call('CONFIG', 'GET', 'hz');
    await client.reply('NOSUCH');
    await client.call('CLIENT', 'ID');
  });
  await client.call('SELECT', 0);
  const shown: string[] = [];
  while (!shown.at(-1)?.endsWith('"SELECT" "0"')) {
    shown.push(textOf(watcher.pushes.shift() ?? (await watcher.receive())));
  }
  const fields = document.lines.map(
    ({ db, addr, source, args }) =>
      `[${db} ${source === 'script' ? 'lua' : addr}] ${args.join(' ')}`,
  );
  const ofMonitor = shown
    .filter((line) => !line.includes('"SELECT"'))
    .map((line) => `${/\[[^\]]*\]/.exec(line)![0]} ${wordsOfLine(line)}`);
  // The words of the script have quotes, which MONITOR escapes.
  const withoutScript = (each: string): boolean => !each.includes('EVAL');
  assert.equal(fields.filter(withoutScript), ofMonitor.filter(withoutScript));
  assert.is(fields.length, ofMonitor.length);
  const sources = document.lines.map(({ source, args }) => `${source} ${args[0]}`);
  assert.equal(sources, [
    ...['client SET', 'client EVAL', 'script INCR', 'script get'],
    ...['client MULTI', 'transaction GET', 'transaction SET', 'client EXEC'],
    ...['client MULTI', 'transaction INCR', 'transaction INCR', 'transaction INCR'],
    ...['client EXEC', 'client CLIENT', 'client PING'],
  ]);
  const times = document.lines.map(({ time_ms: timeMs }) => timeMs);
  assert.equal(
    times,
    [...times].sort((one, other) => one - other),
  );
  await watcher.end();
});

monitors('filters by command, key, client, user, database and source', async () => {
  const other = await server.client();
  await client.call('ACL', 'SETUSER', 'ada', 'on', '>pw', '+@all', '~*', '&*');
  await other.call('AUTH', 'ada', 'pw');
  await other.call('SELECT', 5);
  const id = String(await other.call('CLIENT', 'ID').then(Number));
  const addr = textOf(await other.call('CLIENT', 'INFO')).match(/ addr=(\S+)/)![1]!;
  // EVAL, MULTI, EXEC and the PING at the end are of the client, too.
  const cases: readonly (readonly [filter: object, expected: readonly string[], seen: number])[] = [
    [{ commands: ['SET'] }, ['SET user:1 v', 'SET other v'], 8],
    [{ key: 'user:*' }, ['SET user:1 v', 'GET user:1'], 8],
    [{ client: id }, ['SET other v'], 8],
    [{ client: addr }, ['SET other v'], 8],
    [{ user: 'ada' }, ['SET other v'], 8],
    [{ db: 5 }, ['SET other v'], 8],
    [{ sources: ['script'] }, ['GET user:1'], 1],
    [{ sources: ['transaction'] }, ['DEL none'], 1],
  ];
  for (const [filter, expected, seen] of cases) {
    const document = await monitored({ filter }, async () => {
      await client.call('SET', 'user:1', 'v');
      await other.call('SET', 'other', 'v');
      await client.call('EVAL', "return redis.call('GET', KEYS[1])", 1, 'user:1');
      await client.pipeline([['MULTI'], ['DEL', 'none'], ['EXEC']]);
    });
    const words = wordsOf(document).filter((line) => !line.startsWith('EVAL'));
    assert.equal(words, expected, JSON.stringify(filter));
    assert.is(document.seen, seen);
  }
  await other.end();
});

monitors('shows no secret, also of a user with rules of its own', async () => {
  await client.call('ACL', 'SETUSER', 'guest', 'on', '>hunter2', '+@all', '-@admin', '~*');
  const document = await monitored({}, async () => {
    const guest = await server.client();
    await guest.call('AUTH', 'guest', 'hunter2');
    await guest.call('HELLO', 3, 'AUTH', 'guest', 'hunter2');
    await guest.reply('ACL', 'SETUSER', 'x', '>hunter2');
    await guest.reply('AUTH', 'guest', 'hunter2-wrong');
    await guest.reply('MIGRATE', '127.0.0.1', 1, 'none', 0, 1, 'AUTH2', 'guest', 'hunter2');
    await guest.end();
    await client.call('ACL', 'SETUSER', 'guest', '>hunter2-next');
    await client.call('CONFIG', 'SET', 'masterauth', 'hunter2');
    await client.pipeline([['MULTI'], ['AUTH', 'guest', 'hunter2'], ['EXEC']]);
    await client.call('AUTH', 'default', 'any');
  });
  assert.equal(wordsOf(document).slice(0, 2), [
    'AUTH (redacted) (redacted)',
    'HELLO 3 AUTH (redacted) (redacted)',
  ]);
  assert.not.match(JSON.stringify(document), /hunter2/);
  await client.call('CONFIG', 'SET', 'masterauth', '');
});

monitors('limits lines and the length of arguments, and counts the rest', async () => {
  const count = 500;
  const commands = Array.from({ length: count }, (_, nth) => ['SET', `k${nth}`, 'v'.repeat(1_000)]);
  const document = await monitored({ filter: { commands: ['set'] }, lines_per_sec: 5 }, () =>
    client.pipeline(commands),
  );
  assert.is(document.matched, count);
  assert.is(document.last + document.left_out, count);
  assert.is(document.lines.length, document.last);
  // The commands may be of several seconds, each with its lines.
  const perSecond = new Map<number, number>();
  for (const { time_ms: timeMs } of document.lines) {
    const second = Math.floor(timeMs / 1_000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  assert.ok([...perSecond.values()].every((lines) => lines <= 5));
  assert.is(document.lines[0]?.args[2], `${'v'.repeat(128)}... (872 more bytes)`);
});

monitors('ends after its time without a command, and costs nothing from then on', async () => {
  const { id } = await documentOf('start', { duration_ms: 1 });
  const ended = async (): Promise<boolean> =>
    (await documentOf('lines', { id })).ended_by === 'time-limit';
  await until(ended, 'its time is over');
  const { seen } = await documentOf('lines', { id });
  await client.call('PING');
  assert.is((await documentOf('lines', { id })).seen, seen);
  await until(() => /monitor-ended.*by="?time-limit/.test(server.stdout), 'the log has the end');
});

monitors('has a line in the log at its start and at its end', async () => {
  await monitored({ filter: { user: 'default', commands: ['get'] } }, () =>
    client.call('GET', 'logged'),
  );
  await until(
    () => /monitor-ended.*by="?stopped.*matched=1 lines=1 left_out=0/.test(server.stdout),
    'the log has the end',
  );
  assert.match(
    server.stdout,
    /monitor-started Monitor started over HTTP addr="?127\.0\.0\.1"? filter="commands=get user=default" lines_per_sec=100/,
  );
});

monitors('a log-out ends the monitors of its session, and those of no other', async () => {
  const login = async (): Promise<Record<string, string>> => {
    const answer = await request(server.httpPort, '/debug/login', {
      method: 'POST',
      body: `token=${TOKEN}`,
    });
    return { cookie: (answer.headers['set-cookie'] ?? [])[0]!.split(';')[0]! };
  };
  const cookie = await login();
  const ofSession = (await post('start', {}, cookie)).json() as MonitorDocument;
  const ofProgram = await documentOf('start', {});
  const out = await request(server.httpPort, '/debug/logout', { method: 'POST', headers: cookie });
  assert.is(out.status, 303);
  assert.is((await documentOf('lines', { id: ofSession.id })).ended_by, 'logged-out');
  assert.is((await documentOf('lines', { id: ofProgram.id })).ended_by, null);
  await documentOf('stop', { id: ofProgram.id });
});

monitors('is not for viewers, nor for pages of other sites', async () => {
  const viewer = { authorization: `Bearer ${VIEWER_TOKEN}` };
  const { id } = await documentOf('start', {});
  for (const [name, body] of [
    ['start', {}],
    ['lines', { id }],
    ['stop', { id }],
  ] as const) {
    assert.is((await post(name, body, viewer)).status, 403, name);
    assert.is((await post(name, body, {})).status, 401, name);
  }
  assert.is((await documentOf('lines', { id })).ended_by, null);
  await documentOf('stop', { id });
});

const refused: readonly (readonly [name: string, body: object, status: number])[] = [
  ['start', { filter: [] }, 400],
  ['start', { filter: { usr: 'ada' } }, 400],
  ['start', { filter: { commands: 'get' } }, 400],
  ['start', { filter: { commands: Array(33).fill('get') } }, 400],
  ['start', { filter: { commands: ['nosuch'] } }, 409],
  ['start', { filter: { db: -1 } }, 400],
  ['start', { filter: { sources: ['replica'] } }, 400],
  ['start', { filter: { key: 'k'.repeat(513) } }, 400],
  ['start', { lines_per_sec: 0 }, 400],
  ['start', { lines_per_sec: 1_001 }, 400],
  ['start', { duration_ms: 300_001 }, 400],
  ['lines', { id: 'none' }, 404],
  ['lines', {}, 400],
  ['lines', { id: 'none', after: -1 }, 400],
  ['stop', { id: 'none' }, 404],
  ['stop', { id: 'none', by: 'logged-out' }, 400],
];
for (const [name, body, status] of refused) {
  monitors(`refuses ${name} ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const answer = await post(name, body);
    assert.is(answer.status, status, answer.text);
  });
}

monitors.run();
