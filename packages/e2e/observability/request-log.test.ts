/** The log of a running server: lines of requests, the traces they belong to, and a file that is moved away. */

import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import {
  type ChildServer,
  keyPerShard,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const log = suite('log');

const SHARDS = 2;
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT = `00-${TRACE_ID}-b7ad6b7169203331-01`;

let server: ChildServer;
let client: RespClient;

log.before(async () => {
  server = await startServer({
    shards: SHARDS,
    password: 'hunter2',
    toml: `
      [logging]
      format = "json"
      file-path = "logs/svc.log"
      [logging.rotation]
      frequency = "never"
      max-size-mb = 0
    `,
  });
  client = await server.client();
  await client.call('AUTH', 'hunter2');
});
log.after(async () => {
  await server.stop();
});

type Line = Record<string, string | number | boolean | null>;

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
const lines = (event: string): Line[] =>
  linesOf(server.stdout).filter((line) => line['event'] === event);

const set = async (...words: (string | number)[]): Promise<void> => {
  assert.is(await client.call('CONFIG', 'SET', ...words), 'OK');
};

log('per-request-spans: a line for every request while it is on, and none else', async () => {
  const [key = ''] = keyPerShard(SHARDS, 'told');
  await client.call('GET', key);
  assert.is(lines('request').length, 0);
  await set('logging-per-request-spans', 'yes');
  await client.call('SET', key, 'v');
  await client.reply('LPUSH', key, 'x');
  await client.call('PING');
  const reported = (command: string): Line =>
    lines('request').find((line) => line['command'] === command) ?? {};
  await until(() => reported('PING')['command'] === 'PING', 'the last line');
  const id = await client.call('CLIENT', 'ID');
  const known = ['conn_id', 'shard', 'error', 'level'].map((name) => reported('SET')[name]);
  assert.equal(known, [id, 0, undefined, 'info']);
  assert.is(reported('LPUSH')['error'], 'WRONGTYPE');
  assert.is(reported('PING')['shard'], null);
  for (const name of ['duration_us', 'queue_us', 'execute_us']) {
    assert.is(typeof reported('SET')[name], 'number', name);
  }
  assert.ok(Number(reported('SET')['duration_us']) >= Number(reported('SET')['execute_us']));
  assert.is(reported('SET')['trace_id'], undefined, 'it is not traced');
  await set('logging-per-request-spans', 'no');
  await client.call('ECHO', 'silent');
  await client.call('DEBUG', 'LOG', 'marker');
  await until(
    () => lines('debug-log').some(({ msg }) => String(msg).includes('marker')),
    'a later line',
  );
  assert.equal(reported('ECHO'), {});
});

log('a line of a sampled request says in which trace, and no other', async () => {
  await set(
    'tracing-enabled',
    'yes',
    'tracing-sampling-rate',
    0,
    'logging-per-request-spans',
    'yes',
  );
  await client.call('CLIENT', 'TRACEPARENT', PARENT, 'NEXT');
  await client.call('DEBUG', 'LOG', 'traced');
  await client.call('DEBUG', 'LOG', 'untraced');
  const said = (text: string): Line | undefined =>
    lines('debug-log').find(({ msg }) => String(msg).includes(` ${text}`) || msg === text);
  await until(() => said('untraced') !== undefined, 'both lines');
  const traced = lines('debug-log').find(({ trace_id: id }) => id === TRACE_ID)!;
  assert.match(String(traced['msg']), /\btraced/);
  assert.is(said('untraced')!['trace_id'], undefined);
  const [newest] = (await client.call('DEBUG', 'TRACING', 'RECENT', 1)) as unknown[];
  assert.ok(JSON.stringify(newest).includes(String(traced['span_id'])), 'the span of the request');
  await until(() => lines('request').some(({ trace_id: id }) => id === TRACE_ID), 'its own line');
  await set('tracing-enabled', 'no', 'logging-per-request-spans', 'no');
});

log('no line has a secret', async () => {
  await set('logging-per-request-spans', 'yes', 'loglevel', 'trace', 'tracing-enabled', 'yes');
  await client.reply('AUTH', 'hunter3');
  await client.call('AUTH', 'hunter2');
  await set('requirepass', 'hunter2');
  await client.call('DEBUG', 'LOG', 'end of secrets');
  await until(() => server.stdout.includes('end of secrets'), 'the last line');
  assert.not.match(server.stdout, /hunter/);
  await set('logging-per-request-spans', 'no', 'loglevel', 'info', 'tracing-enabled', 'no');
});

log(
  'debug tells of connections, refusals, settings and snapshots, trace of waits and requests',
  async () => {
    const has = (event: string, fields: Line): boolean =>
      lines(event).some((line) =>
        Object.entries(fields).every(([name, value]) => line[name] === value),
      );
    await set('loglevel', 'debug');
    const other = await server.client();
    await other.reply('PING', 'one', 'two');
    await other.call('AUTH', 'hunter2');
    const id = Number(await other.call('CLIENT', 'ID'));
    await other.reply('hunter3', 'hunter3');
    await set('timeout', 1_000);
    await client.call('SAVE');
    await other.end();
    await until(() => has('client-left', { conn_id: id }), 'the client has left');
    assert.ok(has('client-connected', { conn_id: id, level: 'debug' }));
    assert.ok(
      has('command-refused', {
        conn_id: id,
        command: 'ping',
        error: 'NOAUTH Authentication required.',
      }),
    );
    assert.ok(has('command-refused', { conn_id: id, command: null, error: 'ERR unknown command' }));
    assert.ok(has('setting-changed', { name: 'server.timeout-secs', to: '1000' }));
    assert.is(lines('snapshot-begun').length, 1);
    await client.call('BLPOP', 'none', 0.01);
    await set('loglevel', 'trace');
    await client.call('BLPOP', 'none', 0.01);
    await set('loglevel', 'info', 'timeout', 0);
    await client.call('BLPOP', 'none', 0.01);
    await client.call('DEBUG', 'LOG', 'end of waits');
    await until(() => server.stdout.includes('end of waits'), 'the last line');
    assert.equal([lines('client-blocked').length, lines('client-unblocked').length], [1, 1]);
    assert.is(lines('client-blocked')[0]!['command'], 'blpop');
    assert.not.match(server.stdout, /hunter/);
  },
);

log('SIGHUP opens the file anew, and the console goes on beside it', async () => {
  const file = path.join(server.folder, 'logs', 'svc.log');
  await client.call('DEBUG', 'LOG', 'first');
  await until(() => readFileSync(file, 'utf8').includes('first'), 'the file has it');
  renameSync(file, `${file}.old`);
  server.signal('SIGHUP');
  await until(() => existsSync(file), 'a new file');
  await client.call('DEBUG', 'LOG', 'second');
  await until(() => readFileSync(file, 'utf8').includes('second'), 'it has what comes later');
  assert.not.match(readFileSync(file, 'utf8'), /first/);
  assert.not.match(readFileSync(`${file}.old`, 'utf8'), /second/);
  await until(() => server.stdout.includes('second'), 'the console has both');
  assert.is(textOf(await client.call('PING')), 'PONG');
  for (const line of linesOf(readFileSync(file, 'utf8'))) {
    assert.equal(Object.keys(line).slice(0, 5), ['ts', 'level', 'msg', 'thread', 'event']);
  }
});

for (const frequency of ['daily', 'hourly'] as const) {
  log(`a file that is rotated ${frequency} has the configured name`, async () => {
    const rotated = await startServer({
      args: [
        '--set',
        'logging.file-path=svc.log',
        '--set',
        `logging.rotation.frequency=${frequency}`,
      ],
    });
    const file = path.join(rotated.folder, 'svc.log');
    try {
      await until(() => rotated.stdout.includes(' started '), 'the first lines');
      assert.not.match(rotated.stdout, 'log-file-failed');
      const hasLines = (): boolean =>
        existsSync(file) && readFileSync(file, 'utf8').includes(' started ');
      await until(hasLines, 'the file has them');
    } finally {
      await rotated.stop();
    }
  });
}

log.run();
