/** Documents while main is stuck: those from shared memory are complete, and the others are refused with the reason. */
// test-tier: long
import type { SlowlogDocument } from '#api-types';
import {
  type ChildServer,
  type HttpAnswer,
  request,
  type RespClient,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const stuck = suite('HTTP while main is stuck');

let server: ChildServer;
let sleeper: RespClient;
let id: number;
let isAsleep = false;
let slept: Promise<unknown>;

/** Seconds that main sleeps: all documents are requested meanwhile, one after the other. */
const SLEEP_SECONDS = 20;

/** Paths of documents that only main can make. */
const OF_MAIN = [
  ...['clients', 'scripts', 'users', 'replication', 'cluster/overview', 'latency/history'],
  ...['hotkeys', 'hotkeys/window', 'memory/keys'],
].map((path) => `/debug/api/${path}`);

const OF_MEMORY = [
  ...['/status/json', '/metrics', '/admin/health', '/admin/role'],
  ...[
    ...['history?series=ops', 'history/series', 'events', 'logs', 'slowlog', 'threads', 'commands'],
    ...['memory', 'metrics', 'live', 'server', 'config', 'prefixes', 'traces', 'flight-recorder'],
    ...['persistence', 'latency', 'shard-stats', 'key-fates', 'session', 'bundle/list'],
  ].map((path) => `/debug/api/${path}`),
];

function get(path: string): Promise<HttpAnswer> {
  return request(server.httpPort, path);
}

/** Returns an answer that was sent while main was stuck. */
async function whileStuck(path: string, asking = {}): Promise<HttpAnswer> {
  const answer = await request(server.httpPort, path, asking);
  assert.ok(isAsleep, `${path} was answered before main resumed`);
  return answer;
}

stuck.before(async () => {
  server = await startServer({
    http: true,
    shards: 2,
    args: ['--set', 'slowlog.log-slower-than=0', '--set', 'server.hz=1'],
  });
  const client = await server.client();
  await client.call('SET', 'key', 'value');
  sleeper = await server.client();
  id = (await sleeper.call('CLIENT', 'ID')) as number;
  isAsleep = true;
  slept = sleeper.call('DEBUG', 'MAIN-SLEEP', SLEEP_SECONDS).finally(() => {
    isAsleep = false;
  });
  await until(async () => (await get('/readyz')).status === 503, 'main is stuck');
});
stuck.after(async () => {
  await slept;
  await server.stop();
});

for (const path of OF_MEMORY) {
  stuck(`${path} is answered`, async () => {
    const { status, text } = await whileStuck(path);
    assert.is(status, 200, text);
  });
}

stuck(
  'the slow log has the entries that shards have published, and says what is missing',
  async () => {
    const isComplete = async (): Promise<boolean> => {
      const document = (await whileStuck('/debug/api/slowlog')).json() as SlowlogDocument;
      assert.equal([document.main_missing, document.missing_shards], [true, [0, 1]]);
      return document.entries.some(
        ({ command, args, shard }) => command === 'SET' && args[0] === 'key' && shard !== null,
      );
    };
    // A shard publishes about once a second.
    await until(isComplete, 'the entry is published');
  },
);

stuck('events and logs have the standstill', async () => {
  for (const path of ['/debug/api/events?kind=stuck', '/debug/api/logs?event=main-stuck']) {
    await until(async () => (await get(path)).text.includes('debug|main-sleep'), path);
    assert.ok(isAsleep);
  }
});

for (const path of OF_MAIN) {
  stuck(`${path} is refused, with the command and its begin`, async () => {
    const { status, headers, text } = await whileStuck(path);
    assert.equal([status, headers['retry-after']], [503, '1'], text);
    const { error, message } = JSON.parse(text) as { error: string; message: string };
    assert.is(error, 'the main thread is stuck');
    const reason = `^main has been running debug\\|main-sleep of client ${id} for [\\d.]+ s, since 20[-\\dT:.]+Z$`;
    assert.match(message, new RegExp(reason));
  });
}

stuck('an action is refused, and main does not carry it out later', async () => {
  const answer = await whileStuck('/debug/api/clients/kill', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
  });
  assert.is(answer.status, 503);
  assert.is(await slept, 'OK');
  assert.is(await sleeper.call('CLIENT', 'ID'), id, 'the client is still connected');
  await until(async () => {
    const { status, text } = await get('/debug/api/clients');
    return status === 200 && text.includes(`"id":${id}`);
  }, 'documents of main are back');
});

stuck.run();
