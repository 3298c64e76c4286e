/** Values in the warm tier: the same replies, more data than memory, and what a failing disk costs. */
// test-tier: long
import fs from 'node:fs';
import path from 'node:path';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fill,
  KEYS,
  LIMIT_BYTES,
  nameOf,
  startTiered,
  tiered,
  valueOf,
  wrong,
} from './tiered.test-helper.ts';

const warm = suite('warm tier');

let server: ChildServer;
let client: RespClient;

warm.before(async () => {
  server = await startTiered({}, { http: true });
  client = await server.client();
  await fill(client);
});
warm.after(async () => {
  await server.stop();
});

warm('has more values than memory has room for, and reads each of them', async () => {
  assert.ok((await tiered(client, 'tiered_warm_keys')) > KEYS / 2);
  assert.is(await client.call('DBSIZE'), KEYS);
  assert.equal(await wrong(client), []);
  assert.match(textOf(await client.call('INFO', 'stats')), /evicted_keys:0/);
  await until(async () => {
    const used = /used_memory_dataset:(\d+)|used_memory:(\d+)/.exec(
      textOf(await client.call('INFO', 'memory')),
    );
    return Number(used?.[1] ?? used?.[2]) <= 2 * LIMIT_BYTES;
  }, 'memory is within its limit');
});

/** Numbers of keys that are warm, by MEMORY USAGE: a record without its value is small. */
async function warmNumbers(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let nth = 0; nth < KEYS && found.length < count; nth += 1) {
    if (Number(await client.call('MEMORY', 'USAGE', nameOf(nth))) < 100) found.push(nth);
  }
  return found;
}

warm('asks the disk for nothing that it does not need', async () => {
  const [first = 0, second = 0, third = 0] = await warmNumbers(3);
  const before = await tiered(client, 'tiered_fetches');
  const key = nameOf(first);
  assert.is(await client.call('TTL', key), -1);
  assert.is(await client.call('EXISTS', key), 1);
  assert.is(textOf(await client.call('TYPE', key)), 'string');
  assert.is(await client.call('STRLEN', key), valueOf(first).length);
  assert.is(await client.call('EXPIRE', key, 1_000), 1);
  assert.is(await client.call('PERSIST', key), 1);
  assert.is(await client.call('OBJECT', 'IDLETIME', key), 0);
  assert.is(textOf(await client.call('SET', nameOf(second), 'new')), 'OK');
  assert.is(await client.call('DEL', nameOf(third)), 1);
  assert.is(await tiered(client, 'tiered_fetches'), before);
  assert.match(textOf(await client.call('DEBUG', 'OBJECT', key)), /tier:warm|encoding:raw/);
  await fill(client, second, second + 1);
  await fill(client, third, third + 1);
});

warm('keeps values under new names, in other databases, and in transactions', async () => {
  const [first = 0, second = 0] = await warmNumbers(2);
  const before = await tiered(client, 'tiered_fetches');
  assert.is(textOf(await client.call('RENAME', nameOf(first), `{${nameOf(first)}}new`)), 'OK');
  assert.is(await tiered(client, 'tiered_fetches'), before);
  assert.is(textOf(await client.call('GET', `{${nameOf(first)}}new`)), valueOf(first));
  await client.call('RENAME', `{${nameOf(first)}}new`, nameOf(first));
  const replies = await client.pipeline([
    ['MULTI'],
    ['APPEND', nameOf(second), 'x'],
    ['GET', nameOf(second)],
    ['EXEC'],
  ]);
  const [length, value] = replies.at(-1) as [number, Buffer];
  assert.is(length, valueOf(second).length + 1);
  assert.is(textOf(value), `${valueOf(second)}x`);
  await fill(client, second, second + 1);
});

warm('holds replies of a connection in order, and lets many wait for one value', async () => {
  const numbers = await warmNumbers(50);
  const clients = await Promise.all(Array.from({ length: 4 }, () => server.client()));
  const all = await Promise.all(
    clients.map((one) =>
      one.pipeline(
        numbers.flatMap((nth) => [
          ['GET', nameOf(nth)],
          ['ECHO', String(nth)],
        ]),
      ),
    ),
  );
  for (const replies of all) {
    assert.equal(
      replies.map((reply) => textOf(reply)),
      numbers.flatMap((nth) => [valueOf(nth), String(nth)]),
    );
  }
  const many = (await client.call('MGET', ...numbers.map(nameOf))) as Buffer[];
  assert.equal(many.map(textOf), numbers.map(valueOf));
});

warm('tells the same on all surfaces', async () => {
  const document = JSON.parse((await request(server.httpPort, '/status/json')).text) as {
    tiered: Record<string, unknown>;
  };
  assert.is(document.tiered['enabled'], true);
  assert.is(document.tiered['is_only_copy'], false);
  assert.is(document.tiered['fault'], 'none');
  const metrics = (await request(server.httpPort, '/metrics')).text;
  const figure = (name: string): number =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.*)$`, 'm').exec(metrics)?.[1]);
  assert.is(figure('svc_tiered_warm_keys'), await tiered(client, 'tiered_warm_keys'));
  assert.is(document.tiered['warm_keys'], await tiered(client, 'tiered_warm_keys'));
  assert.is(figure('svc_tiered_spills_total'), await tiered(client, 'tiered_spills'));
  const stats = JSON.parse((await request(server.httpPort, '/debug/api/shard-stats')).text) as {
    shards: { hot_keys: number; warm_keys: number; keys: number }[];
  };
  const sum = (name: 'hot_keys' | 'warm_keys'): number =>
    stats.shards.reduce((total, shard) => total + shard[name], 0);
  assert.is(sum('warm_keys'), await tiered(client, 'tiered_warm_keys'));
  assert.match(textOf(await client.call('INFO', 'stats')), /evicted_keys:0/);
  assert.is(sum('hot_keys') + sum('warm_keys'), KEYS);
});

warm('is snapshotted, recovered and replicated with ten times the memory', async () => {
  const folder = fs.mkdtempSync(path.join(server.folder, 'again-'));
  let own = await startTiered({}, { folder });
  try {
    let one = await own.client();
    await fill(one);
    await one.call('SAVE');
    await one.call('RPUSH', 'list', ...Array.from({ length: 200 }, (_, nth) => `element ${nth}`));
    await own.stop();
    own = await startTiered({}, { folder });
    one = await own.client();
    assert.is(await one.call('DBSIZE'), KEYS + 1);
    assert.ok((await tiered(one, 'tiered_warm_keys')) > KEYS / 2);
    assert.is(await one.call('LLEN', 'list'), 200);
    assert.equal(await wrong(one), []);
    const replica = await startServer({});
    try {
      const other = await replica.client();
      await other.call('REPLICAOF', '127.0.0.1', String(own.port));
      await until(
        async () => Number(await other.call('DBSIZE')) === KEYS + 1,
        'the replica has all keys',
      );
      assert.equal(await wrong(other, 7), []);
    } finally {
      await replica.stop();
    }
  } finally {
    await own.stop();
  }
});

warm('goes on when its folder vanishes, says so, and makes it again', async () => {
  const own = await startTiered({}, { http: true });
  try {
    const one = await own.client();
    await fill(one);
    fs.rmSync(path.join(own.folder, 'svc-data', 'tier', 'shard-0'), { recursive: true });
    await until(async () => (await tiered(one, 'tiered_fault')) === 3, 'the fault is told');
    const { text } = await request(own.httpPort, '/status/json');
    assert.match(text, /TIER_FAULT/);
    await until(() => / tier-fault .*shard=0 fault=vanished/.test(own.stdout), 'it is in the log');
    assert.equal(await wrong(one), []);
    const written = await tiered(one, 'tiered_spills');
    await until(async () => (await tiered(one, 'tiered_fault')) === 0, 'there is a new folder');
    assert.ok(fs.existsSync(path.join(own.folder, 'svc-data', 'tier', 'shard-0')));
    await fill(one);
    assert.equal(await wrong(one), []);
    assert.ok((await tiered(one, 'tiered_spills')) > written);
  } finally {
    await own.stop();
  }
});

warm('refuses writes when neither memory nor the tier has room, if told so', async () => {
  const own = await startTiered({ 'tiered.max-bytes': '4mb', 'tiered.when-full': 'refuse' });
  try {
    const one = await own.client();
    const refused = async (): Promise<boolean> => {
      const replies = await Promise.all(
        Array.from({ length: 500 }, (_, nth) => one.reply('SET', nameOf(nth + KEYS), valueOf(nth))),
      );
      return replies.some((reply) => reply instanceof Error && /^OOM/.test(reply.message));
    };
    await fill(one, 0, 6_000);
    await until(refused, 'a write is refused');
    assert.is(textOf(await one.call('GET', nameOf(0))), valueOf(0));
    await one.call('CONFIG', 'SET', 'tiered-when-full', 'evict');
    await fill(one, 0, 6_000);
    assert.match(textOf(await one.call('INFO', 'stats')), /evicted_keys:[1-9]/);
  } finally {
    await own.stop();
  }
});

warm('says where it has the only copy', async () => {
  const own = await startTiered({ 'persistence.enabled': 'no' }, { http: true });
  try {
    await until(() => own.stdout.includes('tier-only-copy'), 'the log says so');
    const { text } = await request(own.httpPort, '/status/json');
    const { tiered: figures } = JSON.parse(text) as { tiered: { is_only_copy: boolean } };
    assert.is(figures.is_only_copy, true);
  } finally {
    await own.stop();
  }
});

warm('needs a tier for its policies', async () => {
  const own = await startServer({});
  try {
    const one = await own.client();
    const reply = await one.reply('CONFIG', 'SET', 'maxmemory-policy', 'tiered-lru');
    assert.ok(reply instanceof Error);
    assert.match(reply.message, /tiered\.enabled/);
  } finally {
    await own.stop();
  }
});

warm.run();
