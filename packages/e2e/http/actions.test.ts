/** Actions of the debug pages over HTTP, and requests that are refused. */
import { type ChildServer, type HttpAnswer, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const actions = suite('HTTP actions');

const TOKEN = 'a-token-of-the-test';
const JSON_HEADERS = { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` };

let closed: ChildServer;
let open: ChildServer;

actions.before(async () => {
  closed = await startServer({ http: true, shards: 1, args: ['--set', `http.token=${TOKEN}`] });
  open = await startServer({ http: true, shards: 1 });
});
actions.after(async () => {
  await Promise.all([closed.stop(), open.stop()]);
});

const POSTS = [
  ...['hotkeys/start', 'hotkeys/stop', 'hotkeys/reset', 'clients/kill', 'config/set'],
  'snapshot',
  'config/check',
  'scripts/kill',
  ...['monitor/start', 'monitor/lines', 'monitor/stop'],
  ...['slowlog/reset', 'key-fates/reset', 'latency/reset'],
];

function post(path: string, body: unknown, headers = JSON_HEADERS): Promise<HttpAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return request(closed.httpPort, `/debug/api/${path}`, { method: 'POST', headers, body: text });
}

for (const path of POSTS) {
  actions(`${path} is for those with the token, and for our own pages`, async () => {
    assert.is((await post(path, {}, { ...JSON_HEADERS, authorization: '' })).status, 401);
    const foreign = { ...JSON_HEADERS, 'sec-fetch-site': 'cross-site' };
    const answer = await request(open.httpPort, `/debug/api/${path}`, {
      method: 'POST',
      headers: foreign,
      body: '{}',
    });
    assert.is(answer.status, 403);
    const get = await request(closed.httpPort, `/debug/api/${path}`, { headers: JSON_HEADERS });
    assert.equal([get.status, get.headers.allow], [405, 'POST']);
  });
}

const refused: readonly (readonly [path: string, body: unknown, status: number])[] = [
  ['clients/kill', 'no JSON', 400],
  ['clients/kill', [], 400],
  ['clients/kill', { id: '1' }, 400],
  ['clients/kill', { id: 1.5 }, 400],
  ['clients/kill', { id: 123_456 }, 409],
  ['clients/kill', { ids: [] }, 400],
  ['clients/kill', { ids: ['1'] }, 400],
  ['clients/kill', { ids: [-1] }, 400],
  ['clients/kill', { ids: Array.from({ length: 1_001 }, (_, id) => id) }, 400],
  ['scripts/kill', { shard: 1, run: 1 }, 400],
  ['scripts/kill', { shard: 0 }, 400],
  ['scripts/kill', { shard: 0, run: 1 }, 409],
  ['slowlog/reset', { kind: 'big' }, 400],
  ['slowlog/reset', { kind: 1 }, 400],
  ['config/check', { name: 'slowlog.max-len' }, 400],
  ['config/check', { name: 'none', value: '1' }, 409],
  ['config/check', { name: 'slowlog.max-len', value: 'many' }, 409],
  ['config/set', { name: 'slowlog.max-len' }, 400],
  ['config/set', { name: 'none', value: '1' }, 409],
  ['config/set', { name: 'server.databases', value: '1' }, 409],
  ['config/set', { name: 'server.bind', value: '192.0.2.1' }, 409],
  ['config/set', { name: 'slowlog.max-len', value: 'many' }, 409],
  ['config/set', { name: 'server.client-output-buffer-limit-pubsub', value: '1mb' }, 409],
  [
    'config/set',
    { name: 'server.client-output-buffer-limit-normal', value: '0 0 0 slave 0 0 0' },
    409,
  ],
  ['hotkeys/start', { metrics: [] }, 400],
  ['hotkeys/start', { metrics: ['cpu', 'cpu'] }, 400],
  ['hotkeys/start', { metrics: ['disk'] }, 400],
  ['hotkeys/start', { count: 101 }, 400],
  ['hotkeys/start', { sample: 0 }, 400],
  ['hotkeys/stop', {}, 409],
];
for (const [path, body, status] of refused) {
  actions(`${path} refuses ${JSON.stringify(body)}`, async () => {
    const answer = await post(path, body);
    assert.is(answer.status, status);
    assert.type((answer.json() as { error: unknown }).error, 'string');
  });
}

actions('a body must say that it is JSON', async () => {
  const headers = { ...JSON_HEADERS, 'content-type': 'text/plain' };
  assert.is((await post('slowlog/reset', {}, headers)).status, 415);
});

actions('the limits that CONFIG has under one name are set one by one', async () => {
  const client = await closed.client();
  const limits = async (): Promise<unknown> =>
    ((await client.call('CONFIG', 'GET', 'client-output-buffer-limit')) as unknown[])[1];
  assert.is(await limits(), 'normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60');
  for (const [each, value] of [
    ['normal', '4mb 1mb 30'],
    ['replica', '0 0 0'],
    ['pubsub', '16777216 4194304 20'],
  ] as const) {
    const name = `server.client-output-buffer-limit-${each}`;
    assert.is((await post('config/set', { name, value })).status, 200);
  }
  assert.is(await limits(), 'normal 4194304 1048576 30 slave 0 0 0 pubsub 16777216 4194304 20');
});

actions('a session of hot keys goes from state to state', async () => {
  const state = async (): Promise<unknown> => {
    const answer = await request(closed.httpPort, '/debug/api/hotkeys', { headers: JSON_HEADERS });
    return (answer.json() as { state: unknown }).state;
  };
  assert.is(await state(), 'idle');
  assert.is((await post('hotkeys/start', {})).status, 200);
  assert.is((await post('hotkeys/start', {})).status, 409);
  assert.is((await post('hotkeys/reset', {})).status, 409);
  assert.is(await state(), 'active');
  assert.is((await post('hotkeys/stop', {})).status, 200);
  assert.is(await state(), 'stopped');
  assert.is((await post('hotkeys/reset', {})).status, 200);
  assert.is(await state(), 'idle');
});

actions('samples are numbered, and only what is new is told', async () => {
  interface Live {
    readonly boot: string;
    readonly samples: { readonly first_seq: number | null; readonly after_ms: readonly number[] };
  }
  const live = async (since: string): Promise<Live> => {
    const answer = await request(open.httpPort, `/debug/api/live?since=${since}`);
    return answer.json() as Live;
  };
  const first = await live('0');
  const isThird = async (): Promise<boolean> => (await live('2')).samples.after_ms.length > 0;
  await until(isThird, 'a third sample is there');
  const second = await live('0');
  const count = second.samples.after_ms.length;
  assert.ok(count >= 2);
  assert.is(second.samples.first_seq, 1);
  assert.is(second.boot, first.boot);
  assert.is((await live('1')).samples.first_seq, 2);
  const none = (await live(String(count + 10))).samples;
  assert.equal([none.first_seq, none.after_ms], [null, []]);
  assert.is((await request(open.httpPort, '/debug/api/live?since=-1')).status, 400);
});

actions.run();
