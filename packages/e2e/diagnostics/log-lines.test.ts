/** Lines of the log about what happens to a server: each is written once, with its object, and never in a flood. */

import net from 'node:net';
import { once } from 'node:events';
import { type ChildServer, type RespClient, request, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const log = suite('lines of the log');

const JSON_LOG = ['--set', 'logging.format=json'];

type Line = Readonly<Record<string, unknown>>;

let servers: ChildServer[] = [];
log.after.each(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  servers = [];
});

async function start(args: readonly string[] = [], http = false): Promise<ChildServer> {
  const server = await startServer({ http, args: [...JSON_LOG, ...args] });
  servers.push(server);
  return server;
}

function linesOf({ stdout }: ChildServer, event: string): Line[] {
  return stdout
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .flatMap((text) => {
      try {
        return [JSON.parse(text) as Line];
      } catch {
        // The line is not complete yet.
        return [];
      }
    })
    .filter((line) => line['event'] === event);
}

async function line(server: ChildServer, event: string): Promise<Line> {
  await until(() => linesOf(server, event).length > 0, `a line ${event}`);
  return linesOf(server, event)[0]!;
}

/** A client with a name, and its fields in lines of the log. */
async function namedClient(
  server: ChildServer,
  name: string,
): Promise<{ readonly client: RespClient; readonly fields: Line }> {
  const client = await server.client();
  await client.call('CLIENT', 'SETNAME', name);
  const id = await client.call('CLIENT', 'ID');
  const addr = `127.0.0.1:${String(client.socket.localPort)}`;
  return { client, fields: { conn_id: id, addr, client_name: name, user: 'default' } };
}

function has(found: Line, expected: Line): void {
  const same = Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]]));
  assert.equal(same, expected);
}

log('a stuck shard is logged with its command and client, and when it resumes', async () => {
  const server = await start();
  const { client, fields } = await namedClient(server, 'sleeper');
  const { client: killer, fields: by } = await namedClient(server, 'killer');
  const source = 'while redis.call("EXISTS", KEYS[1]) == 0 do end';
  client.call('EVAL', source, '1', 'k').catch(() => undefined);
  const stuck = await line(server, 'shard-stuck');
  has(stuck, { level: 'error', thread: 'ops', command: 'eval', key: 'k', ...fields });
  assert.match(String(stuck['script']), /^[0-9a-f]{40}$/);
  assert.is(textOf(await killer.call('SCRIPT', 'KILL')), 'OK');
  const killed = await line(server, 'script-killed');
  has(killed, { level: 'warn', shard: stuck['shard'], script: stuck['script'], ...by });
  const resumed = await line(server, 'shard-resumed');
  has(resumed, { level: 'warn', shard: stuck['shard'], command: 'eval' });
  assert.ok(Number(resumed['ms']) >= 1_000, JSON.stringify(resumed));
  assert.is(linesOf(server, 'shard-stuck').length, 1);
});

log('a function that runs longer than lua-time-limit is slow, and its kill is logged', async () => {
  const server = await start();
  const { client, fields } = await namedClient(server, 'caller');
  await client.call('CONFIG', 'SET', 'lua-time-limit', '50');
  const code = "#!lua name=lib\nredis.register_function('f', function() while true do end end)";
  await client.call('FUNCTION', 'LOAD', code);
  const { client: killer, fields: by } = await namedClient(server, 'killer');
  client.call('FCALL', 'f', '0').catch(() => undefined);
  const slow = await line(server, 'slow-script');
  has(slow, { level: 'warn', command: 'fcall', script: 'f', limit_ms: 50, ...fields });
  assert.is(textOf(await killer.call('FUNCTION', 'KILL')), 'OK');
  has(await line(server, 'function-killed'), { function: 'f', shard: slow['shard'], ...by });
  assert.is(linesOf(server, 'slow-script').length, 1);
});

log('a flood of refused connections costs a line, with counts by reason', async () => {
  const server = await start(['--set', 'server.max-clients=3']);
  const client = await server.client();
  const others = [await server.client(), await server.client()];
  for (let nth = 0; nth < 300; nth += 1) {
    const socket = net.connect(server.port, '127.0.0.1');
    socket.resume();
    await once(socket, 'close');
  }
  has(await line(server, 'connections-refused'), {
    level: 'warn',
    count: 1,
    max_clients: 1,
    protected_mode: 0,
    connected: 3,
  });
  const counted = (): number =>
    linesOf(server, 'connections-refused').reduce((sum, { count }) => sum + Number(count), 0);
  await until(() => counted() === 300, 'all are counted');
  const statistics = textOf(await client.call('INFO', 'stats'));
  assert.match(statistics, 'rejected_connections:300');
  assert.ok(linesOf(server, 'connections-refused').length < 20, server.stdout);
  await Promise.all(others.map((other) => other.end()));
});

log('changed settings are logged with the client, the old and the new value', async () => {
  const server = await start([], true);
  const { client, fields } = await namedClient(server, 'admin');
  await client.call('CONFIG', 'SET', 'timeout', '100', 'maxmemory', '1gb');
  await until(() => linesOf(server, 'setting-changed').length === 2, 'two lines');
  const [timeout, memory] = linesOf(server, 'setting-changed');
  has(timeout!, { level: 'info', name: 'server.timeout-secs', from: '0', to: '100', ...fields });
  has(memory!, { name: 'memory.maxmemory', from: '0', to: '1073741824' });
  await request(server.httpPort, '/debug/api/config/set', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'server.timeout-secs', value: '7' }),
  });
  await until(() => linesOf(server, 'setting-changed').length === 3, 'a line');
  has(linesOf(server, 'setting-changed')[2]!, { from: '100', to: '7', over: 'http' });
  await client.call('CONFIG', 'SET', 'requirepass', 'hunter2');
  await until(() => linesOf(server, 'setting-changed').length === 4, 'a line');
  has(linesOf(server, 'setting-changed')[3]!, { name: 'security.requirepass', from: '' });
  assert.not.match(server.stdout, 'hunter2');
});

log('a flood of changed settings costs twenty lines', async () => {
  const server = await start();
  const client = await server.client();
  for (let nth = 1; nth <= 500; nth += 1) {
    await client.call('CONFIG', 'SET', 'timeout', String(nth));
  }
  const omitted = await line(server, 'settings-changed');
  const lines = linesOf(server, 'setting-changed').length;
  // On a slow machine the changes take more than one window.
  assert.ok(lines < 500 && Number(omitted['count']) > 0, `${String(lines)} lines`);
});

log('a client that leaves too much unread is logged with its limit', async () => {
  const server = await start();
  const admin = await server.client();
  await admin.call('SET', 'value', 'v'.repeat(1_000_000));
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 2mb 0 0');
  const { client: lazy, fields } = await namedClient(server, 'lazy');
  lazy.socket.pause();
  lazy.raw('GET value\r\n'.repeat(60));
  const reached = await line(server, 'output-limit-reached');
  has(reached, { level: 'warn', class: 'normal', limit: 2_097_152, seconds: 0, ...fields });
  assert.ok(Number(reached['bytes']) > 2_097_152);
  lazy.socket.destroy();
});

log('evictions are logged when they begin and when they have ended', async () => {
  const server = await start(['--set', 'memory.maxmemory-policy=allkeys-lru']);
  const client = await server.client();
  await client.call('CONFIG', 'SET', 'maxmemory', '8mb');
  for (let nth = 0; nth < 300; nth += 1) {
    await client.call('SET', `key:${String(nth)}`, 'v'.repeat(50_000));
  }
  has(await line(server, 'evictions-began'), {
    level: 'info',
    policy: 'allkeys-lru',
    limit_bytes: 8_388_608,
  });
  const ended = await line(server, 'evictions-ended');
  const statistics = textOf(await client.call('INFO', 'stats'));
  assert.match(statistics, `evicted_keys:${String(ended['keys'])}`);
  assert.is(linesOf(server, 'evictions-began').length, 1);
});

log('refusals for want of replicas are logged when they begin and end', async () => {
  const server = await start();
  const client = await server.client();
  await client.call('CONFIG', 'SET', 'min-replicas-to-write', '1');
  has(await line(server, 'no-good-replicas'), {
    level: 'warn',
    good_replicas: 0,
    min_replicas: 1,
  });
  for (let nth = 0; nth < 5; nth += 1) {
    assert.match(textOf(await client.reply('SET', 'k', 'v')), 'NOREPLICAS');
  }
  await client.call('CONFIG', 'SET', 'min-replicas-to-write', '0');
  has(await line(server, 'good-replicas'), { level: 'info', refused: 5 });
  assert.is(linesOf(server, 'no-good-replicas').length, 1);
});

log.run();
