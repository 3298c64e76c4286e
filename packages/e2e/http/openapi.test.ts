/** The description of the HTTP API: every path is in it, and every document is as it is described. */
// test-tier: long
import type { OpenApiDocument } from '#api-types';
import {
  ApiDescription,
  type ChildServer,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const openapi = suite('OpenAPI description');

const TOKEN = 'a-token-of-the-test';
const HEADERS = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

let primary: ChildServer;
let replica: ChildServer;
let client: RespClient;
let api: ApiDescription;

const SETTINGS = [
  `http.token=${TOKEN}`,
  'http.viewer-token=another-token-of-the-test',
  'tracing.enabled=true',
  'latency-bands.enabled=true',
  'hotkeys.window-enabled=true',
  'hotkeys.window-seconds=1',
  'slowlog.log-slower-than=0',
  'keyfate.max-len=100',
];

function get(server: ChildServer, path: string): ReturnType<typeof request> {
  return request(server.httpPort, path, { headers: HEADERS });
}

openapi.before(async () => {
  const args = SETTINGS.flatMap((each) => ['--set', each]);
  primary = await startServer({ http: true, shards: 2, args });
  replica = await startServer({ http: true, shards: 2, args });
  client = await primary.client();
  await load();
  const follower = await replica.client();
  await follower.call('REPLICAOF', '127.0.0.1', primary.port);
  const isOnline = async (): Promise<boolean> =>
    (await get(primary, '/admin/role')).text.includes('"state":"online"');
  await until(isOnline, 'the replica is online');
  api = new ApiDescription((await get(primary, '/debug/openapi.json')).json() as OpenApiDocument);
});
openapi.after(async () => {
  await Promise.all([primary.stop(), replica.stop()]);
});

/** Commands of all kinds, so that documents have entries. */
async function load(): Promise<void> {
  await client.call('CONFIG', 'SET', 'key-prefixes', 'key:');
  await client.call('HOTKEYS', 'START', 'METRICS', 2, 'cpu', 'net');
  const commands = Array.from({ length: 50 }, (_, nth) => [
    ['SET', `key:${nth}`, 'v'.repeat(nth)],
    ['GET', `key:${nth}`],
    ['DEL', `key:${nth + 25}`],
  ]);
  await client.pipeline(commands.flat());
  await client.call('EVAL', 'return redis.call("GET", KEYS[1])', 1, 'key:1');
  await client.call('SET', Buffer.from([0x80, 0xff]), 'binary');
  await client.call('CONFIG', 'SET', 'latency-monitor-threshold', '1');
  await client.call('DEBUG', 'SLEEP', '0.02');
  await client.call('ACL', 'SETUSER', 'anna', 'on', '>secret', '~key:*', '+get');
  const anna = await primary.client();
  await anna.call('AUTH', 'anna', 'secret');
  await anna.call('GET', 'other').catch(() => undefined);
  await anna.call('SET', 'key:1', 'v').catch(() => undefined);
  const blocked = await primary.client();
  void blocked.call('BLPOP', 'key:list', 0).catch(() => undefined);
  await client.call('BGSAVE');
  const isSaved = async (): Promise<boolean> =>
    textOf(await client.call('INFO', 'persistence')).includes('rdb_bgsave_in_progress:0');
  await until(isSaved, 'the snapshot is finished');
  await get(primary, '/debug/api/bundle/generate');
}

async function faultsOf(server: ChildServer): Promise<string[]> {
  const paths = api.documentPaths('get').filter((path) => !path.includes('{'));
  const faults: string[] = [];
  for (const path of paths) {
    const answer = await get(server, path);
    assert.is(answer.status, 200, `${path} ${answer.text}`);
    faults.push(...api.faults('get', path, 200, answer.json()));
  }
  return faults;
}

openapi('has every path of the index, with its methods', async () => {
  const index = (await get(primary, '/debug/paths')).text;
  const rows = [...index.matchAll(/<td>([A-Z, ]+)<\/td><td>(?:<a [^>]*>)?([^<]+)/g)];
  const listed = rows.map(([, methods, path]) => [
    path!.replaceAll(/:(\w+)/g, '{$1}').replace('*', '{file}'),
    methods!.toLowerCase().split(', ').sort(),
  ]);
  const { paths } = api.document;
  assert.ok(listed.length > 50, String(listed.length));
  for (const [path, methods] of listed) {
    assert.equal(Object.keys(paths[path as string] ?? {}).sort(), methods, String(path));
  }
  assert.is(Object.keys(paths).length, listed.length, 'and no others');
});

openapi('describes the documents of a primary and of its replica', async () => {
  const isSampled = async (): Promise<boolean> => {
    const live = (await get(primary, '/debug/api/live')).json() as {
      samples: { after_ms: unknown[] };
    };
    return live.samples.after_ms.length >= 2;
  };
  await until(isSampled, 'two seconds were sampled');
  const windowed = async (): Promise<boolean> => {
    await client.call('SET', 'key:1', 'v');
    return (await get(primary, '/debug/api/hotkeys/window')).text.includes('key:1');
  };
  await until(windowed, 'a whole window has a key');
  assert.equal(await faultsOf(primary), []);
  assert.equal(await faultsOf(replica), []);
});

openapi('describes the documents of a primary whose replica is off', async () => {
  await client.call('CONFIG', 'SET', 'min-replicas-to-write', '1');
  await replica.stop();
  const isIssue = async (): Promise<boolean> =>
    (await get(primary, '/admin/health')).text.includes('NO_GOOD_REPLICAS');
  await until(isIssue, 'the missing replica is an issue');
  assert.equal(await faultsOf(primary), []);
  await client.call('CONFIG', 'SET', 'min-replicas-to-write', '0');
});

openapi('describes the responses of actions, and refusals', async () => {
  const bodies: Readonly<Record<string, object>> = {
    '/debug/login': { token: TOKEN },
    '/debug/api/clients/kill': { ids: [123_456] },
    '/debug/api/config/check': { name: 'slowlog.max-len', value: '12' },
    '/debug/api/config/set': { name: 'slowlog.max-len', value: '12' },
    '/debug/api/hotkeys/start': { metrics: ['cpu'], count: 3 },
    '/debug/api/scripts/kill': { shard: 0, run: 1 },
  };
  // A shutdown would end the test.
  const paths = api.documentPaths('post').filter((path) => path !== '/admin/shutdown');
  assert.ok(paths.length > 10, paths.join(' '));
  const statuses = new Set<number>();
  for (const path of paths) {
    const body = JSON.stringify(bodies[path] ?? {});
    const answer = await request(primary.httpPort, path, {
      method: 'POST',
      headers: HEADERS,
      body,
    });
    statuses.add(answer.status);
    assert.equal(api.faults('post', path, answer.status, answer.json()), []);
  }
  assert.ok(statuses.has(200) && statuses.has(409), 'accepted and refused actions');
  for (const path of ['/debug/api/bundle/{id}', '/debug/api/cluster/node/{id}']) {
    const answer = await get(primary, path.replace('{id}', 'none'));
    assert.is(answer.status, 404);
    assert.equal(api.faults('get', path, 404, answer.json()), []);
  }
});

openapi('has the scope that each path needs', async () => {
  const viewer = { authorization: 'Bearer another-token-of-the-test' };
  for (const path of api.documentPaths('get').filter((each) => !each.includes('{'))) {
    const { security } = api.document.paths[path]!['get']!;
    const needed = security.map(({ token }) => token?.[0]).find((scope) => scope !== undefined);
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await request(primary.httpPort, path, { headers })).status;
    assert.is((await status({})) === 401, needed !== undefined, `${path} without a token`);
    assert.is((await status(viewer)) === 403, needed === 'all', `${path} for viewers`);
  }
});

openapi('finds fields that are missing, of another type, or not described', async () => {
  const session = (await get(primary, '/debug/api/session')).json() as object;
  const faults = (document: object): number =>
    api.faults('get', '/debug/api/session', 200, document).length;
  assert.is(faults(session), 0);
  assert.is(faults({ ...session, scope: 'none' }), 1);
  assert.is(faults({ ...session, more: 1 }), 1);
  assert.is(faults({ scope: 'all' }), 1);
});

openapi.run();
