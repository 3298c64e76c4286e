/** INFO commandstats counts every command once, on any path, as Redis counts. */
import { type ChildServer, keyPerShard, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const statistics = suite('command statistics');

const SHARDS = 3;
const keys = keyPerShard(SHARDS, 'stat');
const [key = ''] = keys;
let server: ChildServer;
let client: RespClient;

statistics.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
statistics.after(async () => {
  await server.stop();
});
statistics.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('CONFIG', 'RESETSTAT');
});

/** Calls, rejected and failed calls of a command; none when it is not listed. */
async function counts(name: string): Promise<string | undefined> {
  const info = textOf(await client.call('INFO', 'commandstats'));
  const line = new RegExp(
    `cmdstat_${name.replace('|', '\\|')}:calls=(\\d+),usec=\\d+,usec_per_call=[\\d.]+,rejected_calls=(\\d+),failed_calls=(\\d+)`,
  ).exec(info);
  return line?.slice(1).join(' ');
}

/** Commands of a client that are done, by CLIENT LIST. */
async function processed(of: RespClient): Promise<number> {
  ids.set(of, ids.get(of) ?? Number(await of.call('CLIENT', 'ID')));
  const line = textOf(await client.call('CLIENT', 'LIST', 'ID', ids.get(of)!));
  return Number(/tot-cmds=(\d+)/.exec(line)?.[1]);
}
const ids = new WeakMap<RespClient, number>();

const cases: readonly (readonly [
  what: string,
  lines: readonly (readonly string[])[],
  expected: Readonly<Record<string, string>>,
])[] = [
  [
    'of one shard',
    [
      ['SET', key, '1'],
      ['GET', key],
    ],
    { set: '1 0 0', get: '1 0 0' },
  ],
  [
    'of several shards',
    [
      ['MGET', ...keys],
      ['DEL', ...keys],
    ],
    { mget: '1 0 0', del: '1 0 0' },
  ],
  ['with lent keys', [['SUNIONSTORE', ...keys]], { sunionstore: '1 0 0' }],
  ['of main', [['PING'], ['CLIENT', 'ID']], { ping: '1 0 0', 'client|id': '1 0 0' }],
  [
    'that fail',
    [
      ['SET', key, 'x'],
      ['INCR', key],
      ['CLIENT', 'KILL', 'no'],
    ],
    { incr: '1 0 1', 'client|kill': '1 0 1' },
  ],
  [
    'that are rejected',
    [
      ['SET', key],
      ['CLIENT', 'ID', 'x'],
    ],
    { set: '0 1 0', 'client|id': '0 1 0' },
  ],
  [
    'of a transaction in one shard',
    [['MULTI'], ['SET', key, 'x'], ['INCR', key], ['EXEC']],
    { multi: '1 0 0', set: '1 0 0', incr: '1 0 1', exec: '1 0 0' },
  ],
  [
    'of a transaction that main conducts',
    [['MULTI'], ['SET', key, 'x'], ['DBSIZE'], ['PING'], ['EXEC']],
    { multi: '1 0 0', set: '1 0 0', dbsize: '1 0 0', ping: '1 0 0', exec: '1 0 0' },
  ],
  [
    'of a transaction that is off',
    [['MULTI'], ['SET', key], ['WATCH', key], ['GET', key], ['EXEC']],
    { set: '0 1 0', watch: '1 0 1', exec: '1 0 1' },
  ],
  [
    'of one whose parts are our matter',
    [
      ['DEBUG', 'SLEEP', '0'],
      ['DEBUG', 'HELP'],
    ],
    { debug: '2 0 0' },
  ],
  ['that one name stands for in two ways', [['STATUS'], ['STATUS', 'HELP']], { status: '1 0 0' }],
  ['of EXEC alone', [['EXEC'], ['DISCARD']], { exec: '1 0 1', discard: '1 0 1' }],
];

for (const [what, lines, expected] of cases) {
  statistics(`counts commands ${what}`, async () => {
    for (const line of lines) await client.reply(...line);
    for (const [name, count] of Object.entries(expected))
      assert.is(await counts(name), count, name);
  });
}

statistics('counts a waiting command once, when it is answered', async () => {
  const waiting = await server.client();
  const before = await processed(waiting);
  const popped = waiting.call('BLPOP', key, '0');
  while (!textOf(await client.call('INFO', 'clients')).includes('blocked_clients:1'));
  assert.is(await counts('blpop'), undefined);
  assert.is(await processed(waiting), before);
  await client.call('RPUSH', key, 'x');
  await popped;
  assert.is(await counts('blpop'), '1 0 0');
  assert.is(await processed(waiting), before + 1);
  await waiting.reply('BLPOP', key, '0.01');
  assert.is(await counts('blpop'), '2 0 0');
});

const FAILING: readonly (readonly [
  what: string,
  script: string,
  errors: string,
  failed: string,
])[] = [
  ['a call', "return redis.call('LPUSH', KEYS[1], 'x')", 'WRONGTYPE:count=1', '1 0 1'],
  ['a call that is kept', "redis.pcall('LPUSH', KEYS[1], 'x')", 'WRONGTYPE:count=1', '1 0 0'],
  [
    'a call whose error is returned',
    "return redis.pcall('LPUSH', KEYS[1], 'x')",
    'WRONGTYPE:count=1',
    '1 0 1',
  ],
  [
    'a call whose error is among others',
    "return {redis.pcall('LPUSH', KEYS[1], 'x'), redis.error_reply('ERR mine'), {err = 'ERR other'}}",
    'ERR:count=2 WRONGTYPE:count=1',
    '1 0 2',
  ],
  ['the script itself', 'return nothing.here', 'ERR:count=1', '1 0 1'],
  ['what it answers', "return redis.error_reply('ERR mine')", 'ERR:count=1', '1 0 1'],
  ['a code of its own', "return redis.error_reply('MYERR mine')", 'MYERR:count=1', '1 0 1'],
  ['a code that is raised', "error({err = 'MYERR mine'})", 'MYERR:count=1', '1 0 1'],
];

for (const [what, script, errors, failed] of FAILING) {
  statistics(`an error of a script is counted once: ${what}`, async () => {
    await client.call('SET', key, 'text');
    await client.call('CONFIG', 'RESETSTAT');
    await client.reply('EVAL', script, '1', key);
    const info = textOf(await client.call('INFO', 'errorstats'));
    const reported = [...info.matchAll(/errorstat_(\S+)/g)].map(([, each]) => each);
    assert.is(reported.sort().join(' '), errors);
    assert.is(await counts('eval'), failed);
  });
}

statistics('commands that a script calls are counted, whoever answers them', async () => {
  const script = `redis.call('TIME') redis.call('PING') redis.call('ECHO', 'x') redis.call('GET', KEYS[1])
    redis.call('PUBLISH', 'c', 'm') redis.pcall('SELECT', 99)`;
  await client.call('EVAL', script, '1', key);
  for (const name of ['time', 'ping', 'echo', 'get', 'publish', 'eval']) {
    assert.is(await counts(name), '1 0 0', name);
  }
  assert.is(await counts('select'), '1 0 1');
});

statistics('RESETSTAT is itself counted, and nothing before it', async () => {
  const [, statisticsNow = null] = await client.pipeline([
    ['CONFIG', 'RESETSTAT'],
    ['INFO', 'commandstats'],
  ]);
  const lines = textOf(statisticsNow).trim().split('\r\n');
  assert.is(lines.length, 2);
  assert.match(lines[1]!, /^cmdstat_config\|resetstat:calls=1,/);
});

statistics.run();
