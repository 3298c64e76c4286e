/** MONITOR: what is shown, what never is, and to whom. */
import { type ChildServer, type Reply, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const monitoring = suite('monitor');

/** Keys of several shards. */
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

let server: ChildServer;
let client: RespClient;

monitoring.before(async () => {
  server = await startServer({ shards: 2 });
  client = await server.client();
});
monitoring.after(async () => {
  await server.stop();
});

async function monitor(...words: readonly string[]): Promise<RespClient> {
  const made = await server.client();
  assert.is(await made.call('MONITOR', ...words), 'OK');
  return made;
}

async function next(from: RespClient): Promise<string> {
  return textOf(from.pushes.length > 0 ? from.pushes.shift() : await from.receive());
}

const send = (words: string): Promise<Reply> => client.reply(...words.split(' '));

/** The lines shown for commands, without their time and place. */
async function shownFor(watcher: RespClient, ...commands: readonly string[]): Promise<string[]> {
  for (const command of commands) await send(command);
  await send('ECHO end');
  const lines: string[] = [];
  for (;;) {
    const line = await next(watcher);
    if (line.endsWith('"end"')) return lines;
    lines.push(line.replace(/^[\d.]+ \[\d+ [^\]]*\] /, ''));
  }
}

monitoring('a line is time, database, address, and the words in quotes', async () => {
  const watcher = await monitor();
  await client.call('sEt', 'key', Buffer.from('a"\\\r\n\t\x07\b\x00\xff z', 'latin1'));
  const line = await next(watcher);
  assert.match(line, /^\d{10}\.\d{6} \[0 127\.0\.0\.1:\d+\] "sEt" "key" /);
  assert.ok(line.endsWith('"a\\"\\\\\\r\\n\\t\\a\\b\\x00\\xff z"'), line);
  await watcher.end();
});

monitoring('time goes on by microseconds, here and in TIME', async () => {
  const watcher = await monitor();
  let lastUs = 0;
  let parts = 0;
  for (let nth = 0; nth < 50; nth += 1) {
    const leastMs = Date.now();
    const [seconds, rest] = (await client.call('TIME')) as Reply[];
    const shownUs = Number((await next(watcher)).slice(0, 17)) * 1_000_000;
    const us = Number(seconds) * 1_000_000 + Number(rest);
    assert.ok(us > lastUs && shownUs > lastUs, 'it goes on');
    lastUs = Math.max(us, shownUs);
    assert.ok(us >= leastMs * 1_000 && us < (Date.now() + 1) * 1_000, 'it is that of the machine');
    if (us % 1_000 > 0) parts += 1;
  }
  assert.ok(parts > 0);
  await watcher.end();
});

monitoring('all commands but those of administrators, and none that was refused', async () => {
  const watcher = await monitor();
  const shown = await shownFor(
    watcher,
    ...['GET a', 'CONFIG GET hz', 'CLIENT LIST', 'NOSUCH a', 'GET', 'LPUSH key x', 'MGET a b c'],
    ...['SELECT 3', 'CLIENT ID', 'SELECT 0'],
  );
  assert.equal(shown, [
    ...['"GET" "a"', '"LPUSH" "key" "x"', '"MGET" "a" "b" "c"'],
    ...['"SELECT" "3"', '"CLIENT" "ID"', '"SELECT" "0"'],
  ]);
  await watcher.end();
});

monitoring('what a script calls is shown behind the script, with lua for its address', async () => {
  const watcher = await monitor();
  const undeclared = KEYS.map((key) => `redis.call('INCR', 'lua:${key}')`).join(' ');
  const scripts = [
    // Stays on one shard; needs all of them; refuses one call.
    ["redis.call('SET', KEYS[1], ARGV[1]) return redis.call('get', KEYS[1])", '1', 'lua:k', 'v'],
    [`redis.call('SELECT', 2) ${undeclared} redis.call('DBSIZE') redis.call('PING')`, '0'],
    ["redis.pcall('SUBSCRIBE', 'x') redis.pcall('GET')", '0'],
  ];
  for (const script of scripts) await client.call('EVAL', ...script);
  await send('ECHO end');
  const lines: string[] = [];
  while (!lines.at(-1)?.endsWith('"end"')) lines.push(await next(watcher));
  const called = lines
    .filter((line) => !line.includes('"EVAL"'))
    .map((line) => line.replace(/^[\d.]+ /, ''));
  assert.equal(called.slice(0, -1), [
    ...['[0 lua] "SET" "lua:k" "v"', '[0 lua] "get" "lua:k"', '[0 lua] "SELECT" "2"'],
    ...KEYS.map((key) => `[2 lua] "INCR" "lua:${key}"`),
    ...['[2 lua] "DBSIZE"', '[2 lua] "PING"'],
  ]);
  assert.match(lines[0]!, / \[0 127\.0\.0\.1:\d+\] "EVAL" "redis\.call/);
  await watcher.call('RESET');
  await watcher.end();
  await client.call('EVAL', "return redis.call('FLUSHALL')", '0');
});

monitoring('secrets are not shown', async () => {
  const watcher = await monitor();
  const shown = await shownFor(
    watcher,
    ...['AUTH hunter2', 'AUTH user hunter2', 'HELLO 2 AUTH user hunter2 SETNAME n'],
  );
  assert.equal(shown, [
    '"AUTH" "(redacted)"',
    '"AUTH" "(redacted)" "(redacted)"',
    '"HELLO" "2" "AUTH" "(redacted)" "(redacted)" "SETNAME" "n"',
  ]);
  await watcher.end();
});

monitoring('a monitor keeps off keys, is flagged, and RESET ends it', async () => {
  const watcher = await monitor();
  assert.match(textOf(await watcher.reply('GET', 'a')), /Replica can't interact with the keyspace/);
  const list = async (): Promise<string> => textOf(await client.call('CLIENT', 'LIST'));
  assert.match(await list(), / flags=O /);
  assert.is(await watcher.call('RESET'), 'RESET');
  assert.not.match(await list(), / flags=O /);
  await send('GET a');
  assert.is(await watcher.call('GET', 'nothing'), null);
  await watcher.end();
});

monitoring('filters show less', async () => {
  const id = String(await client.call('CLIENT', 'ID').then(Number));
  const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
    [
      ['MATCH', 'us*', 'MATCH', 'end'],
      ['"GET" "user:1"', '"SET" "user:2" "v"'],
    ],
    [
      ['CMD', 'Get', 'CMD', 'echo'],
      ['"GET" "user:1"', '"GET" "other"'],
    ],
    [['CMD', 'client', 'CMD', 'echo'], ['"CLIENT" "ID"']],
    [['ID', id, 'USER', 'default', 'CMD', 'SET', 'CMD', 'ECHO'], ['"SET" "user:2" "v"']],
  ];
  for (const [words, expected] of cases) {
    const watcher = await monitor(...words);
    const shown = shownFor(watcher, 'GET user:1', 'GET other', 'SET user:2 v', 'CLIENT ID');
    assert.equal(await shown, expected, words.join(' '));
    await watcher.end();
  }
  const nobody = await monitor('ID', '999999', 'USER', 'somebody');
  await send('GET a');
  assert.is(await nobody.call('PING'), 'PONG');
  await nobody.end();
});

monitoring('SAMPLE shows some; LIMIT and FOR end it', async () => {
  const sampled = await monitor('CMD', 'GET', 'CMD', 'ECHO', 'SAMPLE', '3');
  for (let nth = 0; nth < 7; nth += 1) await send(`GET ${String(nth)}`);
  assert.match(await next(sampled), /"GET" "0"$/);
  assert.match(await next(sampled), /"GET" "3"$/);
  assert.match(await next(sampled), /"GET" "6"$/);
  await sampled.end();
  const limited = await monitor('LIMIT', '2');
  for (let nth = 0; nth < 5; nth += 1) await send(`GET ${String(nth)}`);
  assert.match(await next(limited), /"0"$/);
  assert.match(await next(limited), /"1"$/);
  assert.is(await limited.call('GET', 'nothing'), null);
  await limited.end();
  const timed = await monitor('FOR', '50', 'CMD', 'nothing');
  while (textOf(await client.call('CLIENT', 'LIST')).includes('flags=O'));
  assert.is(await timed.call('GET', 'nothing'), null);
  await timed.end();
});

monitoring('words that are none are refused', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['MONITOR NOISE', /syntax error/],
    ['MONITOR MATCH', /syntax error/],
    ['MONITOR NOISE 1', /syntax error/],
    ['MONITOR SAMPLE 2 SAMPLE 3', /syntax error/],
    ['MONITOR SAMPLE 0', /must be followed by a positive integer/],
    ['MONITOR ID x', /must be followed by a positive integer/],
    [`MONITOR${' CMD get'.repeat(33)}`, /at most 32 filters/],
  ];
  for (const [words, text] of cases) assert.match(textOf(await send(words)), text, words);
});

monitoring('a monitor that reads too slowly is cut off', async () => {
  await client.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 1mb 0 0');
  const slow = await monitor();
  slow.socket.pause();
  const value = 'v'.repeat(100_000);
  while (textOf(await client.call('CLIENT', 'LIST')).includes('flags=O')) {
    await client.call('SET', 'big', value);
  }
  slow.socket.resume();
  await slow.closed;
  await client.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 0 0 0');
});

monitoring.run();
