/** COMMANDLOG: large requests and replies are noticed wherever a command is run, and shown alike on all surfaces. */
import {
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

const logs = suite('COMMANDLOG');

const SHARDS = 2;
const LARGE = 5_000;
const value = 'v'.repeat(LARGE);

let server: ChildServer;
let client: RespClient;

logs.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client();
});
logs.after(async () => {
  await server.stop();
});
logs.before.each(async () => {
  await client.call('FLUSHALL');
  await set('commandlog-request-larger-than', LARGE, 'commandlog-reply-larger-than', LARGE);
  await set('commandlog-large-request-max-len', 128, 'commandlog-large-reply-max-len', 128);
  await set('commandlog-execution-slower-than', -1, 'slowlog-max-arg-len', 16);
  for (const kind of KINDS) await client.call('COMMANDLOG', 'RESET', kind);
});

const KINDS = ['slow', 'large-request', 'large-reply'] as const;
type Kind = (typeof KINDS)[number];

async function set(...words: (string | number)[]): Promise<void> {
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
}

type Entry = [
  id: number,
  seconds: number,
  bytes: number,
  args: string[],
  from: string,
  name: string,
];

async function entries(kind: Kind, from = client): Promise<Entry[]> {
  return plain(await from.call('COMMANDLOG', 'GET', -1, kind)) as Entry[];
}

function plain(reply: Reply): unknown {
  if (Array.isArray(reply)) return reply.map(plain);
  return Buffer.isBuffer(reply) ? reply.toString('latin1') : reply;
}

/** Names and sizes, oldest first. */
async function seen(kind: Kind): Promise<string[]> {
  const all = await entries(kind);
  return all.reverse().map(([, , bytes, [name, key]]) => `${name} ${key} ${bytes}`);
}

/** Bytes of a request as RESP. */
function requestBytes(...words: string[]): number {
  const bulks = words.map((word) => `$${word.length}\r\n${word}\r\n`.length);
  return `*${words.length}\r\n`.length + bulks.reduce((sum, length) => sum + length, 0);
}

/** Bytes of a bulk string as a reply. */
const BULK = `$${LARGE}\r\n\r\n`.length + LARGE;

logs('a command of one shard has the sizes of its own request and reply', async () => {
  await client.call('SET', 'k', value);
  await client.call('GET', 'k');
  await client.call('GET', 'none');
  assert.equal(await seen('large-request'), [`SET k ${requestBytes('SET', 'k', value)}`]);
  assert.equal(await seen('large-reply'), [`GET k ${BULK}`]);
  const [[id, seconds, , args, from, name]] = (await entries('large-request')) as [Entry];
  assert.is(id, (await entries('large-reply'))[0]![0], 'each kind counts its own ids');
  assert.equal(args, ['SET', 'k', `${'v'.repeat(16)}... (${LARGE - 16} more bytes)`]);
  assert.ok(Math.abs(seconds - Date.now() / 1_000) < 60);
  assert.match(from, /^127\.0\.0\.1:\d+$/);
  assert.is(name, '');
});

logs('the limits are exact, and take effect at once', async () => {
  const bytes = requestBytes('SET', 'k', value);
  await set('commandlog-request-larger-than', bytes + 1, 'commandlog-reply-larger-than', BULK + 1);
  await client.call('SET', 'k', value);
  await client.call('GET', 'k');
  assert.equal([await seen('large-request'), await seen('large-reply')], [[], []]);
  await set('commandlog-request-larger-than', bytes, 'commandlog-reply-larger-than', BULK);
  await client.call('SET', 'k', value);
  await client.call('GET', 'k');
  assert.equal(await seen('large-request'), [`SET k ${bytes}`]);
  assert.equal(await seen('large-reply'), [`GET k ${BULK}`]);
  await set('commandlog-request-larger-than', -1, 'commandlog-reply-larger-than', -1);
  await client.call('SET', 'k', value);
  await client.call('GET', 'k');
  assert.is(await client.call('COMMANDLOG', 'LEN', 'large-request'), 1);
  assert.is(await client.call('COMMANDLOG', 'LEN', 'large-reply'), 1);
});

logs('a limit of 0 logs all commands of both kinds', async () => {
  await set('commandlog-request-larger-than', 0, 'commandlog-reply-larger-than', 0);
  for (const kind of KINDS) await client.call('COMMANDLOG', 'RESET', kind);
  await client.call('GET', 'none');
  await client.call('PING');
  await set('commandlog-request-larger-than', -1, 'commandlog-reply-larger-than', -1);
  const requests = (await entries('large-request')).map(
    ([, , bytes, [name]]) => `${name} ${bytes}`,
  );
  const replies = (await entries('large-reply')).map(([, , bytes, [name]]) => `${name} ${bytes}`);
  assert.equal(requests.slice(0, 2), [
    `PING ${requestBytes('PING')}`,
    `GET ${requestBytes('GET', 'none')}`,
  ]);
  assert.equal(replies.slice(0, 2), ['PING 7', 'GET 5']);
});

logs('the lengths are limits of each kind, over all shards', async () => {
  await set('commandlog-large-request-max-len', 3, 'commandlog-large-reply-max-len', 2);
  const keys = [...keyPerShard(SHARDS, 'a'), ...keyPerShard(SHARDS, 'b')];
  for (const key of keys) await client.call('SET', key, value);
  for (const key of keys) await client.call('GET', key);
  const names = async (kind: Kind) => (await entries(kind)).map(([, , , [, key]]) => key);
  assert.equal(await names('large-request'), keys.slice(1).reverse());
  assert.equal(await names('large-reply'), keys.slice(2).reverse());
  assert.is(await client.call('COMMANDLOG', 'LEN', 'large-request'), 3);
  assert.equal(plain(await client.call('COMMANDLOG', 'GET', 1, 'large-reply')), [
    (await entries('large-reply'))[0],
  ]);
  await set('commandlog-large-request-max-len', 0);
  await client.call('SET', keys[0]!, value);
  assert.is(await client.call('COMMANDLOG', 'LEN', 'large-request'), 0);
});

logs('a command of several shards is one entry, of the whole sizes', async () => {
  const keys = keyPerShard(SHARDS, 'many');
  const pairs = keys.flatMap((key) => [key, 'w'.repeat(LARGE / 2)]);
  await client.call('MSET', ...pairs);
  await client.call('MGET', ...keys);
  const half = `$${LARGE / 2}\r\n\r\n`.length + LARGE / 2;
  assert.equal(await seen('large-request'), [`MSET ${keys[0]} ${requestBytes('MSET', ...pairs)}`]);
  assert.equal(await seen('large-reply'), [`MGET ${keys[0]} ${`*2\r\n`.length + 2 * half}`]);
});

logs('a read of streams on several shards is one entry, too', async () => {
  const keys = keyPerShard(SHARDS, 'stream');
  for (const key of keys) await client.call('XADD', key, '1-1', 'f', 'v'.repeat(LARGE - 100));
  await client.call('XREAD', 'STREAMS', ...keys, 0, 0);
  const [entry, ...others] = await seen('large-reply');
  assert.match(entry!, /^XREAD STREAMS \d+$/);
  assert.ok(Number(entry!.split(' ')[2]) > 2 * (LARGE - 100));
  assert.equal(others, []);
  await set('commandlog-request-larger-than', 0);
  await client.call('XREAD', 'STREAMS', ...keys, 0, 0);
  await set('commandlog-request-larger-than', -1);
  const requests = (await entries('large-request')).filter(([, , , [name]]) => name === 'XREAD');
  assert.equal(
    requests.map(([, , bytes]) => bytes),
    [requestBytes('XREAD', 'STREAMS', ...keys, '0', '0')],
  );
});

logs("main's own commands have theirs", async () => {
  await client.call('PUBLISH', 'channel', value);
  await client.call('PING', value);
  await client.call('INFO', 'everything');
  assert.equal(await seen('large-request'), [
    `PUBLISH channel ${requestBytes('PUBLISH', 'channel', value)}`,
    `PING ${'v'.repeat(16)}... (${LARGE - 16} more bytes) ${requestBytes('PING', value)}`,
  ]);
  const replies = await seen('large-reply');
  assert.is(replies[0], `PING ${'v'.repeat(16)}... (${LARGE - 16} more bytes) ${BULK}`);
  assert.match(replies[1]!, /^INFO everything \d{4,}$/);
});

logs('commands of a pipeline and of a transaction count by themselves', async () => {
  await client.call('SET', 'small', 'v'.repeat(LARGE / 2));
  const many = new Array(10).fill(['GET', 'small']) as string[][];
  await Promise.all(many.map((words) => client.call(...(words as [string]))));
  assert.equal(await seen('large-reply'), []);
  await client.call('MULTI');
  await client.call('SET', 'k', value);
  for (const words of many) await client.call(...(words as [string]));
  await client.call('GET', 'k');
  await client.call('EXEC');
  assert.equal(await seen('large-request'), [`SET k ${requestBytes('SET', 'k', value)}`]);
  assert.equal(await seen('large-reply'), [`GET k ${BULK}`]);
});

logs('so do those of a transaction over several shards', async () => {
  const keys = keyPerShard(SHARDS, 'tx');
  await client.call('MULTI');
  for (const key of keys) await client.call('SET', key, value);
  for (const key of keys) await client.call('GET', key);
  await client.call('PING', value);
  await client.call('EXEC');
  const requests = (await seen('large-request')).map((line) =>
    line.split(' ').slice(0, 2).join(' '),
  );
  assert.equal(
    requests.filter((line) => line.startsWith('SET')).sort(),
    keys.map((key) => `SET ${key}`).sort(),
  );
  const replies = (await seen('large-reply')).map((line) => line.split(' ').slice(0, 2).join(' '));
  assert.equal(
    replies.filter((line) => line.startsWith('GET')).sort(),
    keys.map((key) => `GET ${key}`).sort(),
  );
});

logs('a script has the sizes of its request and its reply, and none of what it calls', async () => {
  const source = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])";
  await client.call('EVAL', source, 1, 'k', value);
  const bytes = requestBytes('EVAL', source, '1', 'k', value);
  const shortened = `${source.slice(0, 16)}... (${source.length - 16} more bytes)`;
  assert.equal(await seen('large-request'), [`EVAL ${shortened} ${bytes}`]);
  assert.equal(await seen('large-reply'), [`EVAL ${shortened} ${BULK}`]);
});

logs('a blocked command is logged when it is answered', async () => {
  const waiting = await server.client();
  const popped = waiting.call('BLPOP', 'list', 0);
  await until(async () => {
    const info = textOf(await client.call('INFO', 'clients'));
    return info.includes('blocked_clients:1');
  }, 'BLPOP blocks');
  assert.equal(await seen('large-reply'), []);
  await client.call('RPUSH', 'list', value);
  await popped;
  await until(async () => (await entries('large-reply')).length === 1, 'the reply is logged');
  const [[, , bytes, [name]]] = (await entries('large-reply')) as [Entry];
  assert.equal([name, bytes], ['BLPOP', `*2\r\n$4\r\nlist\r\n`.length + BULK]);
  await waiting.end();
});

logs('replies that are not sent are not large, and values of any size are', async () => {
  await client.call('SET', 'k', value);
  const silent = await server.client();
  silent.socket.write('CLIENT REPLY OFF\r\nGET k\r\nCLIENT REPLY ON\r\n');
  assert.is(await silent.call('PING'), 'OK', 'the reply to CLIENT REPLY ON comes first');
  await silent.end();
  assert.equal(await seen('large-reply'), []);
  const huge = Buffer.alloc(3 * 1024 ** 2, 'h');
  await client.call('SET', 'huge', huge);
  await client.call('GET', 'huge');
  const sizes = (await entries('large-reply')).map(([, , bytes]) => bytes);
  assert.equal(sizes, [huge.length + `$${huge.length}\r\n\r\n`.length]);
});

logs('secrets are redacted, whatever their size', async () => {
  const secret = 's'.repeat(2 * LARGE);
  await client.call('AUTH', 'nobody', secret).catch(() => undefined);
  await client.call('ACL', 'SETUSER', 'someone', 'on', `>${secret}`);
  const all = await entries('large-request');
  assert.is(all.length, 2);
  for (const [, , , args] of all)
    assert.ok(!args.some((word) => word.includes('ssss')), args.join());
  await client.call('ACL', 'DELUSER', 'someone');
});

logs('a replica logs its clients, and not its primary', async () => {
  const replica = await startServer({
    shards: SHARDS,
    args: ['--set', 'commandlog.request-larger-than=1000'],
  });
  try {
    const there = await replica.client();
    await there.call('REPLICAOF', '127.0.0.1', server.port);
    await client.call('SET', 'k', value);
    await until(async () => (await there.call('STRLEN', 'k')) === LARGE, 'the replica has it');
    assert.equal(await entries('large-request', there), []);
    await there.call('PING', value);
    assert.is((await entries('large-request', there)).length, 1);
  } finally {
    await replica.stop();
  }
});

logs('the API, the metrics and INFO have what COMMANDLOG has', async () => {
  await client.call('CONFIG', 'RESETSTAT');
  await client.call('SET', 'k', value);
  await client.call('GET', 'k');
  await client.call('GET', 'k');
  for (const [kind, info, metric] of [
    ['large-request', 'commandlog_large_requests', 'svc_large_requests_total'],
    ['large-reply', 'commandlog_large_replies', 'svc_large_replies_total'],
  ] as const) {
    const listed = await entries(kind);
    const path = `/debug/api/slowlog?kind=${kind}`;
    const document = (await request(server.httpPort, path)).json() as {
      kind: string;
      entries: { id: number; size_bytes: number; command: string; args: string[] }[];
    };
    assert.is(document.kind, kind);
    assert.equal(
      document.entries.map(({ id, size_bytes: bytes, command, args }) => [
        id,
        bytes,
        [command, ...args],
      ]),
      listed.map(([id, , bytes, args]) => [id, bytes, args]),
    );
    assert.match(textOf(await client.call('INFO', 'stats')), `${info}:${listed.length}\r\n`);
    const metrics = (await request(server.httpPort, '/metrics')).text;
    const sum = [...metrics.matchAll(new RegExp(`^${metric}(?:\\{[^}]*\\})? (\\d+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((total, count) => total + count, 0);
    assert.is(sum, listed.length, metric);
  }
  const slow = (await request(server.httpPort, '/debug/api/slowlog')).json() as { kind: string };
  assert.is(slow.kind, 'slow');
  assert.is((await request(server.httpPort, '/debug/api/slowlog?kind=big')).status, 400);
});

logs('SLOWLOG is the first kind, by either name of its settings', async () => {
  await set('commandlog-execution-slower-than', 0, 'commandlog-slow-execution-max-len', 5);
  assert.equal(await client.call('CONFIG', 'GET', 'slowlog-log-slower-than'), [
    'slowlog-log-slower-than',
    '0',
  ]);
  assert.equal(await client.call('CONFIG', 'GET', 'slowlog-max-len'), ['slowlog-max-len', '5']);
  await client.call('SET', 'k', 'v');
  await set('slowlog-log-slower-than', -1);
  const listed = plain(await client.call('SLOWLOG', 'GET', -1)) as Entry[];
  assert.equal(await entries('slow'), listed);
  assert.ok(listed.some(([, , , args]) => args.join(' ') === 'SET k v'));
  assert.is(await client.call('COMMANDLOG', 'LEN', 'slow'), await client.call('SLOWLOG', 'LEN'));
  await client.call('COMMANDLOG', 'RESET', 'slow');
  assert.is(await client.call('SLOWLOG', 'LEN'), 0);
  await set('slowlog-max-len', 128);
});

logs.run();
