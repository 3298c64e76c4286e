/**
 * Failures by command and by server: a command that demands too much gets an error; a defect of the server ends it, and
 * no data is lost.
 */
// test-tier: long
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, keyPerShard, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const crashes = suite('crashes');

const SHARDS = 2;
const folder = mkdtempSync(path.join(tmpdir(), 'svc-crashes-'));

crashes.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Fails in main, from outside of the product: when a signal comes, and when long parts are merged. */
const SABOTAGE = `
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  process.on('SIGUSR2', () => { throw new Error('arranged by a test'); });
  process.on('SIGPIPE', () => { void Promise.reject(new Error('arranged by a test')); });
  const allocate = Buffer.allocUnsafeSlow;
  Buffer.allocUnsafeSlow = (size) => {
    if (size >= 64 * 1024 && new Error().stack.includes('growMemory')) {
      throw new Error('arranged by a test');
    }
    return allocate(size);
  };
}
`;

const LONG = keyPerShard(SHARDS, 'long');

const failures: readonly (readonly [
  how: string,
  fail: (server: ChildServer, client: RespClient) => void,
])[] = [
  [
    'by an exception',
    (server) => {
      server.signal('SIGUSR2');
    },
  ],
  [
    'by a rejection',
    (server) => {
      server.signal('SIGPIPE');
    },
  ],
  [
    'over replies of shards',
    (_server, client) => {
      // One after the other, so that main meets more of them while it ends.
      for (let nth = 0; nth < 50; nth += 1) client.call('MGET', ...LONG).catch(() => undefined);
    },
  ],
];

/** Refuses memory where it is asked for by functions with one of these names. */
const famine = (names: readonly string[], least: number): string => `
import { isMainThread } from 'node:worker_threads';
if (isMainThread) {
  const names = ${JSON.stringify(names)};
  const allocate = Buffer.allocUnsafeSlow;
  Buffer.allocUnsafeSlow = (size) => {
    if (size >= ${String(least)}) {
      const { stack } = new Error();
      if (names.some((name) => stack.includes(name))) throw new RangeError('Array buffer allocation failed');
    }
    return allocate(size);
  };
}
`;

function preloaded(name: string, text: string): Record<string, string> {
  const file = path.join(folder, `${name}.mjs`);
  writeFileSync(file, text);
  return { NODE_OPTIONS: `--import ${file}` };
}

/** Writes until the connection is closed; returns the number of acknowledged writes and their keys. */
async function write(client: RespClient, prefix: string): Promise<number> {
  for (let nth = 0; ; nth += 1) {
    try {
      await client.call('SET', `${prefix}:${String(nth)}`, `value ${String(nth)}`);
    } catch {
      return nth;
    }
  }
}

for (const [how, fail] of failures) {
  crashes(`main that fails ${how} leaves a report, and nothing acknowledged is lost`, async () => {
    const data = path.join(folder, `data ${how}`);
    const options = { shards: SHARDS, args: ['--data-dir', data] };
    const server = await startServer({
      ...options,
      environment: preloaded('sabotage', SABOTAGE),
    });
    const clients = await Promise.all(Array.from({ length: 4 }, () => server.client()));
    const asker = await server.client();
    const acknowledged = Promise.all(
      clients.map((client, nth) => write(client, `key-${String(nth)}`)),
    );
    await until(async () => ((await asker.call('DBSIZE')) as number) > 2_000, 'there is some data');
    for (const key of LONG) await asker.call('SET', key, 'x'.repeat(60_000));
    fail(server, asker);
    const counts = await acknowledged;
    assert.equal(await server.ended, { exitCode: 1, signal: null });
    assert.match(server.stdout, /ERROR main main-died main died.*: arranged by a test/);
    const [file = '', ...others] = readdirSync(data).filter((each) => each.startsWith('crash-'));
    assert.is(others.length, 0);
    assert.ok(server.stdout.includes(file), 'the log says where the report is');
    assert.match(server.stdout, /svc has stopped/, 'the log is written to its end');
    const text = readFileSync(path.join(data, file), 'utf8');
    assert.not.match(text, /value \d/);
    assert.is(statSync(path.join(data, file)).mode & 0o777, 0o600);
    const report = JSON.parse(text) as Record<string, unknown>;
    assert.equal([report['thread'], report['shard']], ['main', null]);
    assert.is(report['reason'], 'arranged by a test');
    assert.match(String(report['stack']), /at /);
    await server.stop();
    const again = await startServer(options);
    const reader = await again.client();
    for (const [nth, count] of counts.entries()) {
      const keys = Array.from(
        { length: count },
        (_, index) => `key-${String(nth)}:${String(index)}`,
      );
      const values = await reader.pipeline(keys.map((key) => ['GET', key]));
      const lost = keys.filter((_, index) => values[index] !== `value ${String(index)}`);
      assert.equal(lost, [], `of ${String(count)} writes of client ${String(nth)}`);
    }
    await again.stop();
  });
}

const REFUSED = 'ERR insufficient memory for this command';

async function serve(environment: Record<string, string>): Promise<[ChildServer, RespClient]> {
  const server = await startServer({ shards: SHARDS, environment });
  return [server, await server.client()];
}

crashes('a reply of main that there is no memory for is an error of its command', async () => {
  const [server, client] = await serve(preloaded('replies', famine(['growMemory'], 64 * 1_024)));
  const keys = keyPerShard(SHARDS, 'long');
  for (const key of keys) await client.call('SET', key, 'x'.repeat(60_000));
  const [merged, own, inTransaction, alive] = await client.pipeline([
    ['MGET', ...keys],
    ['COMMAND', 'DOCS'],
    ['MULTI'],
    ['PING'],
  ]);
  assert.is((merged as Error).message, REFUSED);
  assert.is((own as Error).message, REFUSED);
  assert.equal([inTransaction, alive], ['OK', 'QUEUED']);
  assert.equal(await client.call('EXEC'), ['PONG']);
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', 0, 'slowlog-max-len', 2_000);
  await client.pipeline(Array.from({ length: 1_000 }, () => ['ECHO', 'x'.repeat(100)]));
  const later = await client.reply('SLOWLOG', 'GET', -1);
  assert.is((later as Error).message, REFUSED, 'one that is answered later');
  assert.is(await client.call('STRLEN', keys[0]!), 60_000, 'everything goes on in order');
  await server.stop();
});

crashes('a client whose input there is no memory for is let go, and no other', async () => {
  const [server, client] = await serve(preloaded('input', famine(['#save'], 1_000_000)));
  const greedy = await server.client();
  const failed = await greedy.call('SET', 'k', 'x'.repeat(2_000_000)).catch(() => 'gone');
  assert.is(failed, 'gone');
  assert.is(await client.call('PING'), 'PONG');
  await server.stop();
});

crashes('arguments longer than any text are errors of their commands', async () => {
  const server = await startServer({ shards: SHARDS });
  // Half a gigabyte takes its time where there is much else to do.
  const client = await server.client({ waitMs: 120_000 });
  const longest = Buffer.alloc(512 * 1_024 ** 2, 'a');
  const refusals = [
    ['CLIENT', longest],
    ['CLIENT', 'SETNAME', longest],
  ];
  for (const words of refusals) {
    const reply = await client.reply(...words);
    assert.is((reply as Error).message, REFUSED);
  }
  assert.is(await client.call('PING'), 'PONG');
  const watcher = await server.client();
  await watcher.call('MONITOR');
  await client.call('EXISTS', longest);
  await watcher.closed;
  assert.is(await client.call('PING'), 'PONG');
  await server.stop();
});

crashes.run();
