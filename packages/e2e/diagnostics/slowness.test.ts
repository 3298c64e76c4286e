/** SLOWLOG, LATENCY and the bands over several shards: one log, one history, and sums that agree. */
import {
  byName,
  type ChildServer,
  keyPerShard,
  letTimePass,
  type Reply,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  untilShardsSleep,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const slowness = suite('slowness');

const SHARDS = 3;
let server: ChildServer;
let client: RespClient;

slowness.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
slowness.after(async () => {
  await server.stop();
});
slowness.before.each(async () => {
  await set('slowlog-log-slower-than', -1, 'slowlog-max-len', 128, 'slowlog-max-arg-len', 128);
  await set('latency-bands-enabled', 'no', 'latency-monitor-threshold', 10);
  await client.call('SLOWLOG', 'RESET');
  await client.call('LATENCY', 'RESET');
});

async function set(...words: (string | number)[]): Promise<void> {
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
}

type Entry = [id: number, seconds: number, us: number, args: string[], from: string, name: string];

/** Newest first, as texts. */
async function entries(count = -1): Promise<Entry[]> {
  return plain(await client.call('SLOWLOG', 'GET', count)) as Entry[];
}

async function commands(count = -1): Promise<string[]> {
  return (await entries(count)).map(([, , , args]) => args.join(' '));
}

function plain(reply: Reply): unknown {
  if (Array.isArray(reply)) return reply.map(plain);
  return Buffer.isBuffer(reply) ? reply.toString('latin1') : reply;
}

slowness('the commands of all shards and of main are one log, newest first', async () => {
  const keys = keyPerShard(SHARDS, 'log');
  await set('slowlog-log-slower-than', 0);
  for (const key of keys) await client.call('SET', key, 'v');
  await client.call('MGET', ...keys);
  await client.call('PING');
  await set('slowlog-log-slower-than', -1);
  assert.equal(await commands(), [
    'PING',
    `MGET ${keys.join(' ')}`,
    ...keys.map((key) => `SET ${key} v`).reverse(),
    'CONFIG SET slowlog-log-slower-than 0',
  ]);
  const all = await entries();
  const ids = all.map(([id]) => id);
  assert.equal(
    ids,
    ids.map((_, nth) => ids[0]! - nth),
    'ids leave nothing out',
  );
  for (const [, seconds, us, , from] of all) {
    assert.ok(Math.abs(seconds - Date.now() / 1_000) < 60);
    assert.ok(Number.isInteger(us) && us >= 0);
    assert.match(from, /^127\.0\.0\.1:\d+$/);
  }
  assert.is(await client.call('SLOWLOG', 'LEN'), SHARDS + 3);
  assert.is((await entries(2)).length, 2);
});

slowness('who sent a command is known as of then, also when it has gone', async () => {
  const keys = keyPerShard(SHARDS, 'who');
  const other = await server.client();
  await set('slowlog-log-slower-than', 0);
  for (const name of ['first', 'second']) {
    await other.call('CLIENT', 'SETNAME', name);
    for (const key of keys) await other.call('GET', key);
  }
  await other.end();
  // Its slot is another client's now.
  const next = await server.client();
  for (const key of keys) await next.call('GET', key);
  await set('slowlog-log-slower-than', -1);
  const gets = (await entries()).filter(([, , , args]) => args[0] === 'GET').reverse();
  const names = gets.map(([, , , , , name]) => name);
  const expected = ['first', 'second', ''].flatMap((name) => keys.map(() => name));
  assert.equal(names, expected);
  const addresses = gets.map(([, , , , address]) => address);
  assert.is(new Set(addresses.slice(0, 2 * SHARDS)).size, 1);
  assert.is.not(addresses.at(-1), addresses[0]);
});

slowness('the commands of a transaction are logged, EXEC is not', async () => {
  const [one = '', other = ''] = keyPerShard(SHARDS, 'exec');
  await set('slowlog-log-slower-than', 0);
  for (const inside of [['DBSIZE'], ['SET', other, '2']]) {
    await client.call('SLOWLOG', 'RESET');
    await client.pipeline([['MULTI'], ['SET', one, '1'], inside, ['EXEC']]);
    const logged = (await commands()).filter((line) => !line.startsWith('SLOWLOG'));
    assert.equal(logged, [inside.join(' '), `SET ${one} 1`, 'MULTI']);
  }
});

slowness('what a script calls is logged by itself, from no address, wherever it runs', async () => {
  const [one = '', other = ''] = keyPerShard(SHARDS, 'script');
  const script =
    "redis.call('SET', KEYS[1], 1) redis.call('TIME') return redis.call('GET', ARGV[1])";
  await set('slowlog-log-slower-than', 0);
  await client.call('EVAL', script, '1', one, other);
  const logged = (await entries()).filter(
    ([, , , [name]]) => name !== 'SLOWLOG' && name !== 'CONFIG',
  );
  const lines = logged.map(
    ([, , , args, from]) => `${args.slice(0, 2).join(' ')} ${from === '' ? 'called' : 'sent'}`,
  );
  assert.equal(lines.toSorted(), [
    `EVAL ${script} sent`,
    `GET ${other} called`,
    `SET ${one} called`,
    'TIME called',
  ]);
});

slowness('secrets never enter', async () => {
  const marker = 'VerySecretMarker';
  await set('slowlog-log-slower-than', 0);
  for (const line of [
    ['AUTH', marker],
    ['AUTH', 'default', marker],
    ['HELLO', '3', 'AUTH', 'default', marker, 'SETNAME', 'me'],
    ['CONFIG', 'SET', 'requirepass', marker],
    ['CONFIG', 'SET', 'requirepass', ''],
  ]) {
    await client.reply(...line);
  }
  const connection = await server.client();
  const log = plain(await connection.call('SLOWLOG', 'GET', -1));
  assert.match(JSON.stringify(log), /"AUTH","\(redacted\)","\(redacted\)"/);
  assert.match(JSON.stringify(log), /"CONFIG","SET","requirepass","\(redacted\)"/);
  assert.not.match(JSON.stringify(log), marker);
  assert.not.match(textOf(await connection.call('LATENCY', 'DOCTOR')), marker);
  await client.call('HELLO', '2');
  await client.call('CLIENT', 'SETNAME', '');
});

slowness('max-len is one limit for all threads, and what fell out stays out', async () => {
  const keys = keyPerShard(SHARDS, 'len');
  await set('slowlog-log-slower-than', 0, 'slowlog-max-len', 4);
  for (let nth = 0; nth < 5; nth += 1) for (const key of keys) await client.call('GET', key);
  await set('slowlog-log-slower-than', -1);
  assert.is(await client.call('SLOWLOG', 'LEN'), 4);
  const before = await entries();
  assert.is(before.length, 4);
  await set('slowlog-max-len', 128);
  assert.is(await client.call('SLOWLOG', 'LEN'), 4);
  assert.equal(await entries(), before);
  await set('slowlog-max-len', 2);
  assert.equal(await entries(), before.slice(0, 2));
  await set('slowlog-max-len', 0, 'slowlog-log-slower-than', 0);
  await client.call('GET', keys[0]!);
  assert.is(await client.call('SLOWLOG', 'LEN'), 0);
  assert.equal(await entries(), []);
});

slowness('the limit of an argument is live on all threads', async () => {
  const keys = keyPerShard(SHARDS, 'arg');
  await set('slowlog-log-slower-than', 0, 'slowlog-max-arg-len', 3);
  for (const key of keys) await client.call('SET', key, 'abcdef');
  await client.call('ECHO', 'abcdef');
  await set('slowlog-log-slower-than', -1);
  const kept = (await entries()).slice(0, SHARDS + 1).map(([, , , args]) => args.at(-1));
  assert.equal(kept, new Array(SHARDS + 1).fill('abc... (3 more bytes)'));
});

slowness('the threshold is live on all threads', async () => {
  await set('slowlog-log-slower-than', 50_000);
  await client.call('PING');
  await client.call('DEBUG', 'SLEEP', '0.06');
  assert.equal(await commands(), ['DEBUG SLEEP 0.06'], 'one entry for all shards');
  const [[, , us] = []] = await entries();
  assert.ok(us !== undefined && us >= 60_000 && us < 1_000_000);
  const statistics = textOf(await client.call('INFO', 'stats'));
  assert.match(statistics, /slowlog_commands_count:[1-9]/);
  assert.match(statistics, /slowlog_commands_time_ms_max:\d{2,}/);
});

slowness('what is pipelined before SLOWLOG GET is in it, and before RESET is not', async () => {
  const keys = keyPerShard(SHARDS, 'pipe');
  await set('slowlog-log-slower-than', 0);
  const gets = keys.map((key) => ['GET', key]);
  const replies = await client.pipeline([...gets, ['SLOWLOG', 'GET', '-1']]);
  assert.match(JSON.stringify(plain(replies.at(-1)!)), new RegExp(keys.join('|')));
  await client.pipeline([...gets, ['SLOWLOG', 'RESET']]);
  assert.equal(await commands(), ['SLOWLOG RESET']);
});

slowness('a waiting command is logged when it is answered, without its wait', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'block');
  const waiting = await server.client();
  await set('slowlog-log-slower-than', 0);
  const popped = waiting.call('BLPOP', key, '0');
  while (!textOf(await client.call('INFO', 'clients')).includes('blocked_clients:1'));
  assert.not.match((await commands()).join(), 'BLPOP');
  await letTimePass(client, 60);
  await client.call('RPUSH', key, 'x');
  await popped;
  const [found] = (await entries()).filter(([, , , args]) => args[0] === 'BLPOP');
  assert.ok(found !== undefined && found[2] < 50_000, 'the wait is not in its time');
});

slowness('shows what stuck shards have published before', async () => {
  await set('slowlog-log-slower-than', 0);
  for (const key of keyPerShard(SHARDS, 'stuck')) await client.call('GET', key);
  // Shards publish about once a second, if they have executed commands since.
  await letTimePass(client, 2_100);
  const sleeper = await server.client();
  const asleep = sleeper.call('DEBUG', 'SLEEP', '1.2');
  await untilShardsSleep(client);
  const log = await commands();
  assert.is(log.filter((line) => line.startsWith('GET')).length, SHARDS);
  const late = log.filter((line) => /^# entries of shard \d are those of \d+\.\d s ago/.test(line));
  assert.is(late.length, SHARDS);
  await asleep;
});

slowness('answers without the shards that are stuck', async () => {
  const keys = keyPerShard(SHARDS, 'stuck');
  await set('slowlog-log-slower-than', 0);
  for (const key of keys) await client.call('GET', key);
  await client.call('PING');
  const sleeper = await server.client();
  const asleep = sleeper.call('DEBUG', 'SLEEP', '1.2');
  const startMs = performance.now();
  await untilShardsSleep(client);
  const log = await commands();
  assert.ok(performance.now() - startMs < 1_000, 'nobody waits for them');
  assert.ok(log.includes('PING'), 'main answers for itself');
  const notices = log.filter((line) => line.startsWith('#')).join('\n');
  for (let shard = 0; shard < SHARDS; shard += 1) {
    assert.match(
      notices,
      new RegExp(`^# entries of shards? .*\\b${shard}\\b.*no reply in time$`, 'm'),
    );
  }
  assert.ok(Number(await client.call('SLOWLOG', 'LEN')) > SHARDS, 'but counted');
  const stats = textOf(await client.call('INFO', 'stats'));
  assert.match(stats, /missing_shard_replies:[1-9]/);
  assert.match(stats, /report_gaps:[1-9]/, 'the former name');
  assert.match(textOf(await client.call('LATENCY', 'DOCTOR')), 'No reply from shard 0');
  await asleep;
  assert.is((await commands()).filter((line) => line.startsWith('GET')).length, SHARDS);
});

slowness('an event on any thread is in one history', async () => {
  await client.call('DEBUG', 'SLEEP', '0.05');
  const [latest = ['', 0, 0, 0] as const] = plain(await client.call('LATENCY', 'LATEST')) as [
    string,
    number,
    number,
    number,
  ][];
  assert.is(latest[0], 'command');
  assert.ok(latest[2] >= 50 && latest[3] >= latest[2]);
  const history = plain(await client.call('LATENCY', 'HISTORY', 'COMMAND')) as number[][];
  assert.equal(history.at(-1), [latest[1], latest[2]]);
  const doctor = textOf(await client.call('LATENCY', 'DOCTOR'));
  for (const what of ['worst event is command', 'shard 0', 'shard 2', 'What to do']) {
    assert.match(doctor, what);
  }
  await set('latency-monitor-threshold', 0);
  assert.is(await client.call('LATENCY', 'RESET', 'nope', 'Command'), 1);
  await client.call('DEBUG', 'SLEEP', '0.02');
  assert.equal(await client.call('LATENCY', 'LATEST'), []);
  assert.match(textOf(await client.call('LATENCY', 'DOCTOR')), 'Latency monitoring is off');
});

slowness('making room is an event', async () => {
  await set('latency-monitor-threshold', 1, 'maxmemory-eviction-tenacity', 100);
  await client.call('DEBUG', 'POPULATE', '30000', 'evict', '100');
  await client.call('LATENCY', 'RESET');
  await set('maxmemory-policy', 'allkeys-random', 'maxmemory', '1mb');
  const [key = ''] = keyPerShard(SHARDS, 'room');
  await client.call('SET', key, 'x');
  await set('maxmemory', 0, 'maxmemory-policy', 'noeviction', 'maxmemory-eviction-tenacity', 10);
  assert.match(JSON.stringify(plain(await client.call('LATENCY', 'LATEST'))), 'eviction-cycle');
  await client.call('FLUSHALL');
});

const toMap = (reply: unknown): Map<string, number> => byName(reply) as Map<string, number>;

slowness('bands count every command once, and those of the shards add up', async () => {
  const keys = keyPerShard(SHARDS, 'band');
  await set('latency-bands', '1 40', 'latency-bands-enabled', 'yes');
  assert.equal(
    [...toMap(plain(await client.call('LATENCY', 'BANDS'))).keys()],
    [...['<=1ms', '<=40ms', '>40ms', 'total']],
  );
  await client.call('LATENCY', 'BANDS', 'RESET');
  for (let nth = 0; nth < 10; nth += 1) {
    await client.pipeline([
      ...keys.map((key) => ['SET', key, 'v']),
      ['MGET', ...keys],
      ['PING'],
      ['MULTI'],
      ['GET', keys[0]!],
      ['EXEC'],
    ]);
  }
  await client.call('DEBUG', 'SLEEP', '0.05');
  const merged = toMap(plain(await client.call('LATENCY', 'BANDS')));
  const shards = (plain(await client.call('LATENCY', 'BANDS', 'PER-SHARD')) as unknown[]).map(
    toMap,
  );
  assert.is(shards.length, SHARDS);
  // What a transaction runs is counted, and so is EXEC itself.
  assert.is(merged.get('total'), 10 * (SHARDS + 5) + 1);
  // The machine may have held up others, too.
  assert.ok(merged.get('>40ms')! >= 1);
  assert.is(merged.get('<=40ms')! + merged.get('>40ms')!, merged.get('total'));
  for (const [label, count] of merged) {
    assert.is(
      shards.reduce((sum, each) => sum + each.get(label)!, 0),
      count,
      label,
    );
  }
});

slowness('bands are switched on, changed and set back at once', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'live');
  const total = async () => toMap(plain(await client.call('LATENCY', 'BANDS'))).get('total');
  const refused = await client.reply('LATENCY', 'BANDS');
  assert.match(
    refused instanceof ReplyError ? refused.message : '',
    /^ERR latency bands are not enabled, set latency-bands.enabled = true/,
  );
  await set('latency-bands-enabled', 'yes');
  assert.ok((await total())! <= 1);
  for (let nth = 0; nth < 5; nth += 1) await client.call('GET', key);
  assert.ok((await total())! >= 5);
  await set('latency-bands', '7 9');
  assert.ok((await total())! <= 1, 'new thresholds start from zero');
  await client.call('GET', key);
  assert.is(await client.call('LATENCY', 'BANDS', 'RESET'), 'OK');
  assert.is(await total(), 0);
});

slowness('histograms are merged over threads', async () => {
  const keys = keyPerShard(SHARDS, 'histogram');
  await client.call('CONFIG', 'RESETSTAT');
  for (const key of keys) await client.call('GETDEL', key);
  const [name, [, calls, , steps]] = plain(
    await client.call('LATENCY', 'HISTOGRAM', 'getdel', 'nope'),
  ) as [string, [string, number, string, number[]]];
  assert.is(name, 'getdel');
  assert.is(calls, SHARDS);
  assert.is(steps.at(-1), SHARDS);
});

slowness.run();
