/** The flight recorder of a real server: each kind of event, and that a stuck thread hides nothing. */
import {
  byName,
  type ChildServer,
  keyPerShard,
  type Reply,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const flight = suite('flight recorder of a server');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;

flight.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client();
});
flight.after(async () => {
  await server.stop();
});

type Entry = Record<string, string | number | null>;

/** Returns the entries that the command answers, as objects. */
async function entries(...words: (string | number)[]): Promise<Entry[]> {
  const reply = (await client.call('DEBUG', 'FLIGHT-RECORDER', ...words)) as Reply[];
  return reply.map((flat) => {
    // Fractions are texts in RESP2.
    const values = [...byName(flat)].map(([name, value]) => {
      const text = Buffer.isBuffer(value) ? value.toString() : value;
      return [name, typeof text === 'string' && /^\d+\.\d+$/.test(text) ? Number(text) : text];
    });
    return Object.fromEntries(values) as Entry;
  });
}

async function of(event: string, ...words: (string | number)[]): Promise<Entry[]> {
  return (await entries(...words)).filter((entry) => entry['event'] === event);
}

flight('a slow batch is recorded with the command that was slow', async () => {
  const before = Date.now();
  await client.call('DEBUG', 'SLEEP', '0.05');
  for (const shard of [0, 1]) {
    const [batch] = await of('slow-batch', shard);
    assert.is(batch!['thread'], `shard-${shard}`);
    assert.is(batch!['command'], 'debug|sleep');
    assert.ok((batch!['duration_us'] as number) >= 50_000);
    assert.ok((batch!['frames'] as number) >= 1);
    const ms = (batch!['time_us'] as number) / 1_000;
    assert.ok(ms > before && ms <= Date.now() + 1, 'when it ended, in Unix time');
  }
});

flight('events are readable while every shard is stuck', async () => {
  const stuck = await server.client();
  const sleeping = stuck.call('DEBUG', 'SLEEP', '2');
  await client.call('CONFIG', 'SET', 'slowlog-max-len', '77');
  const [last] = (await of('config-change')) as [Entry];
  assert.equal(
    [last['event'], last['setting'], last['value']],
    ['config-change', 'slowlog.max-len', 77],
  );
  assert.ok((await of('slow-batch', 1)).length > 0);
  const answer = await request(server.httpPort, '/debug/api/flight-recorder');
  const document = answer.json() as { threads: Entry[]; entries: Entry[] };
  // Threads continue recording: a later reading contains an earlier one.
  const timed = ({ time_us: timeUs, ...rest }: Entry): string =>
    JSON.stringify({ time_ms: (timeUs as number) / 1_000, ...rest });
  const later = new Set((await entries('COUNT', -1)).map(timed));
  assert.ok(document.entries.length > 0);
  for (const entry of document.entries) assert.ok(later.has(JSON.stringify(entry)), 'is the same');
  assert.equal(
    document.threads.map(({ thread }) => thread),
    ['main', 'shard-0', 'shard-1', 'ops'],
  );
  const kept = document.threads.reduce((sum, thread) => sum + (thread['kept'] as number), 0);
  assert.is(kept, document.entries.length);
  assert.ok(document.threads.every(({ recorded, kept: left }) => recorded === left));
  await sleeping;
  await stuck.end();
});

flight('events of all threads are in the order of time', async () => {
  await client.call('DEBUG', 'SLEEP', '0.01');
  await client.call('CONFIG', 'SET', 'slowlog-max-len', '78');
  await client.call('DEBUG', 'SLEEP', '0.01');
  const all = await entries('COUNT', '-1');
  assert.is(new Set(all.map(({ thread }) => thread)).size >= 3, true);
  const times = all.map((entry) => entry['time_us'] as number);
  assert.equal(
    times,
    [...times].sort((a, b) => a - b),
  );
  assert.equal(
    await entries(1, 'COUNT', 1),
    all.filter(({ thread }) => thread === 'shard-1').slice(-1),
  );
  assert.equal(await entries('COUNT', 0), []);
  const main = await entries('main');
  assert.ok(main.length > 0 && main.every(({ thread }) => thread === 'main'));
});

flight('a setting that is a text is named without its value', async () => {
  await client.call('CONFIG', 'SET', 'latency-tracking', 'no');
  await client.call('CONFIG', 'SET', 'latency-tracking', 'yes');
  await client.call('CONFIG', 'SET', 'notify-keyspace-events', 'KEA');
  await client.call('CONFIG', 'SET', 'notify-keyspace-events', '');
  const changes = (await of('config-change', 'main')).slice(-4);
  assert.equal(
    changes.map(({ value }) => value),
    [0, 1, null, null],
  );
});

flight('eviction is recorded with its time and keys', async () => {
  const used = Number(/used_memory:(\d+)/.exec(textOf(await client.call('INFO', 'memory')))?.[1]);
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-random');
  await client.call('CONFIG', 'SET', 'maxmemory', String(used + 200_000));
  for (const key of keyPerShard(SHARDS, 'evict')) {
    const fill = Array.from({ length: 300 }, (_, nth) => [
      'SET',
      `${key}:${nth}`,
      'v'.repeat(2_000),
    ]);
    await client.pipeline(fill);
  }
  const evicted = async (): Promise<number> =>
    Number(/evicted_keys:(\d+)/.exec(textOf(await client.call('INFO', 'stats')))?.[1]);
  await until(async () => (await of('eviction-cycle')).length > 0, 'eviction is recorded');
  const cycles = await of('eviction-cycle');
  const keys = cycles.reduce((sum, cycle) => sum + (cycle['keys'] as number), 0);
  assert.ok(keys > 0 && keys <= (await evicted()));
  assert.ok(cycles.every((cycle) => (cycle['duration_us'] as number) > 0));
  await client.call('CONFIG', 'SET', 'maxmemory', '0');
});

flight('refused connections are recorded with the limit', async () => {
  await client.call('CONFIG', 'SET', 'maxclients', '1');
  const refused = await server.client().catch(() => undefined);
  await until(async () => (await of('connections-refused')).length > 0, 'it is recorded');
  await client.call('CONFIG', 'SET', 'maxclients', '1000');
  const [first] = (await of('connections-refused')) as [Entry];
  assert.ok((first['refused'] as number) >= 1);
  assert.is(first['max_clients'], 1);
  assert.ok((first['connected'] as number) >= 1);
  await refused?.end().catch(() => undefined);
});

flight('a full ring is recorded on the side that waits', async () => {
  const key = keyPerShard(SHARDS, 'big')[0]!;
  await client.call('SET', key, 'v'.repeat(60_000));
  await until(async () => {
    await client.pipeline(Array.from({ length: 200 }, () => ['GET', key]));
    return (await of('full-ring')).length > 0;
  }, 'the reply ring was full');
  const [first] = (await of('full-ring')) as [Entry];
  assert.ok((first['waits'] as number) >= 1);
});

flight.run();
