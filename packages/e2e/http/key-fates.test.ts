/** Removed keys and the flight recorder over HTTP: as in the commands, also while threads are stuck. */
import {
  type ChildServer,
  type Reply,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
  untilShardsSleep,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const fates = suite('HTTP key fates');

const SHARDS = 2;
const HOSTILE = '<img/src=x/onerror=alert(1)>';
let server: ChildServer;
let client: RespClient;

fates.before(async () => {
  server = await startServer({ http: true, shards: SHARDS });
  client = await server.client();
  await client.call('CLIENT', 'SETNAME', 'killer');
});
fates.after(async () => {
  await server.stop();
});
fates.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 128, 'keyfate-overwritten', 'no');
  await client.call('KEYFATE', 'RESET');
  await client.call('CONFIG', 'RESETSTAT');
});

interface RemovedKey {
  readonly id: number;
  readonly key: string | null;
  readonly [name: string]: unknown;
}

interface Document {
  readonly recording: Record<string, unknown>;
  readonly counts: Record<string, number>;
  readonly kept: number | null;
  readonly removed_keys: readonly RemovedKey[];
  readonly missing_shards: readonly number[];
  readonly missing?: readonly string[];
}

async function reported(query = ''): Promise<Document> {
  const answer = await request(server.httpPort, `/debug/api/key-fates${query}`);
  assert.is(answer.status, 200, answer.text);
  return answer.json() as Document;
}

const keys = ({ removed_keys: removed }: Document): (string | null)[] =>
  removed.map(({ key }) => key);

async function kill(...all: (string | Buffer)[]): Promise<void> {
  for (const key of all) {
    await client.pipeline([
      ['SET', key, 'v'],
      ['DEL', key],
    ]);
  }
}

fates('a removed key is told as by the command', async () => {
  await kill('a');
  const [entry] = (await client.call('KEYFATE', 'GET')) as Reply[][];
  const at = (name: string): unknown => {
    const value = entry![entry!.findIndex((each) => textOf(each) === name) + 1];
    return typeof value === 'number' ? value : textOf(value);
  };
  const { removed_keys: removed } = await reported();
  assert.equal(removed, [
    {
      id: at('id'),
      time_ms: at('unix-time-ms'),
      db: 0,
      shard: at('shard'),
      reason: 'deleted',
      key: 'a',
      binary: false,
      cut: false,
      key_bytes: 1,
      keys: 1,
      command: 'del',
      client_id: at('client-id'),
      client_addr: at('client-addr'),
      client_name: 'killer',
      user: 'default',
    },
  ]);
});

fates('keys are told whatever bytes they have', async () => {
  const long = 'é'.repeat(100);
  await kill(HOSTILE, Buffer.from([0xff, 0, 10]), '', `x${long}`);
  const { removed_keys: removed } = await reported();
  assert.equal(
    removed.map(({ key, binary, cut, key_bytes: bytes }) => [key, binary, cut, bytes]),
    [
      [`x${long.slice(0, 63)}`, false, true, 201],
      ['', false, false, 0],
      ['\xff\0\n', true, false, 3],
      [HOSTILE, false, false, HOSTILE.length],
    ],
  );
  assert.equal(keys(await reported('?key=%ff%00%0a')), ['\xff\0\n']);
  assert.equal(keys(await reported('?key=')), ['']);
  assert.equal(keys(await reported(`?key=${encodeURIComponent(`x${long}`)}`)).length, 1);
  assert.equal(keys(await reported(`?key=${encodeURIComponent(`y${long}`)}`)), []);
});

fates('count, key and db choose as the command does', async () => {
  await kill('a', 'b', 'a', 'c');
  assert.equal(keys(await reported()), ['c', 'a', 'b', 'a']);
  assert.equal(keys(await reported('?count=2')), ['c', 'a']);
  assert.equal(keys(await reported('?count=-1')).length, 4);
  assert.equal(keys(await reported('?count=0')), []);
  assert.equal(keys(await reported('?key=a')), ['a', 'a']);
  assert.equal(keys(await reported('?key=a&count=1&db=0')), ['a']);
  assert.equal(keys(await reported('?key=a&db=1')), []);
  await client.pipeline([['SELECT', 3], ['SET', 'z', 1], ['FLUSHDB'], ['SELECT', 0]]);
  const [flush] = (await reported('?key=anything&db=3')).removed_keys;
  assert.equal(
    [flush!['reason'], flush!.key, flush!['key_bytes'], flush!['keys'], flush!['db']],
    ['flushed', null, null, 1, 3],
  );
});

fates('what a shard did by itself has no command and no client', async () => {
  await client.call('SET', 'short', 'v', 'PX', 1);
  await until(async () => (await client.call('KEYFATE', 'LEN')) === 1, 'the key has expired');
  const [removed] = (await reported()).removed_keys;
  assert.is(removed!['reason'], 'expired-active');
  for (const name of ['command', 'client_id', 'client_addr', 'client_name', 'user']) {
    assert.is(removed![name], null, name);
  }
});

fates('it tells whether removed keys are kept, and forgets them when asked', async () => {
  await kill('a');
  const on = await reported();
  assert.equal(on.recording, {
    enabled: true,
    setting: 'keyfate.max-len',
    max_len: 128,
    overwritten: false,
    overwritten_setting: 'keyfate.overwritten',
  });
  assert.is(on.kept, 1);
  const answer = await request(server.httpPort, '/debug/api/key-fates/reset', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  assert.is(answer.status, 200);
  const forgotten = await reported();
  assert.equal([forgotten.kept, forgotten.removed_keys, forgotten.counts['deleted']], [0, [], 1]);
  await client.call('CONFIG', 'SET', 'keyfate-max-len', 0, 'keyfate-overwritten', 'yes');
  await kill('b');
  const off = await reported();
  assert.equal([off.recording['enabled'], off.recording['max_len']], [false, 0]);
  assert.is(off.recording['overwritten'], true);
  assert.equal([off.kept, off.removed_keys, off.counts['deleted']], [0, [], 2]);
});

const misasked: readonly (readonly [path: string, error: string])[] = [
  ['key-fates?count=many', 'count must be a whole number, or -1 for all'],
  ['key-fates?count=-2', 'count must be a whole number, or -1 for all'],
  ['key-fates?key=a&db=16', 'db must be a whole number from 0 to 15'],
  ['key-fates?key=a&db=x', 'db must be a whole number from 0 to 15'],
  ['key-fates?db=1', 'the parameter db requires the parameter key'],
  ['flight-recorder?count=1.5', 'count must be a whole number, or -1 for all'],
  ['flight-recorder?thread=disk', 'thread must be main, ops or the number of a shard, 0 to 1'],
  ['flight-recorder?thread=2', 'thread must be main, ops or the number of a shard, 0 to 1'],
  ['flight-recorder?thread=', 'thread must be main, ops or the number of a shard, 0 to 1'],
  ['flight-recorder?shard=2', 'shard must be a whole number from 0 to 1'],
  ['flight-recorder?shard=main', 'shard must be a whole number from 0 to 1'],
  ['flight-recorder?shard=0&thread=main', 'use thread or shard, not both'],
];
for (const [path, error] of misasked) {
  fates(`${path} is refused`, async () => {
    const answer = await request(server.httpPort, `/debug/api/${path}`);
    assert.equal([answer.status, answer.json()], [400, { error }]);
  });
}

interface Flight {
  readonly threads: readonly { readonly thread: string }[];
  readonly entries: readonly Record<string, unknown>[];
}

const flight = async (query = ''): Promise<Flight> =>
  (await request(server.httpPort, `/debug/api/flight-recorder${query}`)).json() as Flight;

fates('the flight recorder is told by thread, with the events of the command', async () => {
  await client.call('DEBUG', 'SLEEP', '0.02');
  await client.call('CONFIG', 'SET', 'slowlog-max-len', 99);
  const all = await flight();
  assert.equal(
    all.threads.map(({ thread }) => thread),
    ['main', 'shard-0', 'shard-1', 'ops'],
  );
  for (const [query, thread] of [
    ['?thread=main', 'main'],
    ['?thread=MAIN', 'main'],
    ['?thread=shard-1', 'shard-1'],
    ['?thread=1', 'shard-1'],
    ['?shard=1', 'shard-1'],
  ] as const) {
    const one = await flight(query);
    assert.equal(
      one.threads.map((each) => each.thread),
      [thread],
    );
    assert.ok(one.entries.length > 0 && one.entries.every((each) => each['thread'] === thread));
  }
  const [last] = (await flight('?shard=0&count=1')).entries;
  const [reply] = (await client.call('DEBUG', 'FLIGHT-RECORDER', '0', 'COUNT', 1)) as Reply[][];
  const words = reply!.map((each) => (typeof each === 'number' ? each : textOf(each)));
  const { time_ms: timeMs, ...rest } = last!;
  assert.is(words[words.indexOf('time_us') + 1], Math.round((timeMs as number) * 1_000));
  for (const [name, value] of Object.entries(rest)) {
    assert.is(String(words[words.indexOf(name) + 1]), String(value), name);
  }
  const kinds = (await request(server.httpPort, '/debug/api/flight-recorder/kinds')).json() as {
    kinds: { event: string }[];
  };
  const known = new Set(kinds.kinds.map(({ event }) => event));
  assert.ok(all.entries.every((each) => known.has(each['event'] as string)));
});

fates('both answer while every shard is stuck, and say what is missing', async () => {
  await kill('a');
  const stuck = await server.client();
  const sleeping = stuck.call('DEBUG', 'SLEEP', '1.5');
  await untilShardsSleep(client);
  const document = await reported();
  assert.equal(document.missing_shards, [0, 1]);
  assert.equal([document.counts['deleted'], document.kept, document.removed_keys], [1, 1, []]);
  const { threads } = await flight('?shard=0');
  assert.equal(
    threads.map(({ thread }) => thread),
    ['shard-0'],
  );
  await sleeping;
  await stuck.end();
  assert.equal(keys(await reported()), ['a']);
});

fates.run();
