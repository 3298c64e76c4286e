/** `logging.hide-user-data`: no key, value, argument, or name of a client in log lines, crash reports and the log of bundles. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const hidden = suite('hidden user data');

const PLANTED = 'xPLANTEDx';
const KEY = `key-${PLANTED}`;
const HIDE = ['--set', 'logging.hide-user-data=true'];

const folder = mkdtempSync(path.join(tmpdir(), 'svc-hidden-'));
hidden.after(() => {
  rmSync(folder, { recursive: true, force: true });
});

const linesOf = ({ stdout }: ChildServer, event: string): string[] =>
  stdout.split('\n').filter((line) => line.includes(` ${event} `));

async function line(server: ChildServer, event: string): Promise<string> {
  await until(() => linesOf(server, event).length > 0, `a line ${event}`);
  return linesOf(server, event)[0]!;
}

/** The part of a text around the planted word, for messages of assertions. */
function aroundPlanted(text: string): string {
  const at = text.indexOf(PLANTED);
  return at < 0 ? '' : text.slice(Math.max(0, at - 300), at + 100);
}

function hasNone(text: string): void {
  assert.is(aroundPlanted(text), '');
}

/** A client and a user with names that are hidden. */
async function namedClient(server: ChildServer): Promise<RespClient> {
  const client = await server.client();
  await client.call('AUTH', `user-${PLANTED}`, 'password');
  await client.call('CLIENT', 'SETNAME', `client-${PLANTED}`);
  return client;
}

/** Has a script with a text for the log run until it is killed. */
async function runScript(server: ChildServer, admin: RespClient): Promise<void> {
  const client = await namedClient(server);
  const source =
    'redis.log(redis.LOG_WARNING, ARGV[1]) while redis.call("EXISTS", KEYS[1]) == 0 do end';
  client.call('EVAL', source, '1', `none-${KEY}`, `text-${PLANTED}`).catch(() => undefined);
  assert.match(await line(server, 'shard-stuck'), /key="\*redacted\*".*user="\*redacted\*"/);
  assert.match(await line(server, 'slow-script'), /client_name="\*redacted\*"/);
  assert.is(textOf(await admin.call('SCRIPT', 'KILL')), 'OK');
  await line(server, 'script-killed');
  assert.match(await line(server, 'script-log'), /script-log \*redacted\*/);
}

async function fillOutput(server: ChildServer, admin: RespClient): Promise<void> {
  await admin.call('SET', KEY, `${PLANTED}${'v'.repeat(1_000_000)}`);
  await admin.call('CONFIG', 'SET', 'client-output-buffer-limit', 'normal 2mb 0 0');
  const lazy = await namedClient(server);
  lazy.socket.pause();
  lazy.raw(`GET ${KEY}\r\n`.repeat(60));
  assert.match(await line(server, 'output-limit-reached'), /client_name="\*redacted\*"/);
  lazy.socket.destroy();
}

async function startMonitor(server: ChildServer): Promise<void> {
  const answer = await request(server.httpPort, '/debug/api/monitor/start', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ filter: { user: `user-${PLANTED}`, commands: ['get'] } }),
  });
  assert.is(answer.status, 200, answer.text);
  assert.match(await line(server, 'monitor-started'), /filter="\*redacted\*"/);
}

/** Returns the file of a bundle with the lines of the log, up to the next file. */
async function logOfBundle(server: ChildServer): Promise<string> {
  const bundle = await request(server.httpPort, '/debug/api/bundle/generate');
  const packed = gunzipSync(bundle.bytes).toString('latin1');
  const [, log = ''] = packed.split(/logs\.txt\0/);
  return log.split('ustar').slice(0, 2).join('');
}

hidden('no line of the log, and no log of a bundle, has them', async () => {
  const file = path.join(folder, 'svc.log');
  const server = await startServer({
    http: true,
    args: [
      ...[...HIDE, '--log-level', 'trace', '--set', `logging.file-path=${file}`],
      ...[
        '--set',
        'scripting.busy-reply-threshold-ms=50',
        '--set',
        'logging.per-request-spans=true',
      ],
      ...['--set', 'slowlog.log-slower-than=0'],
    ],
  });
  try {
    const admin = await server.client();
    await admin.call('ACL', 'SETUSER', `user-${PLANTED}`, 'on', '>password', '~*', '+@all');
    await runScript(server, admin);
    await fillOutput(server, admin);
    await startMonitor(server);
    await admin.reply('GET', KEY, PLANTED);
    await admin.reply(PLANTED, PLANTED);
    await admin.reply('LPUSH', KEY, PLANTED);
    await admin.reply('AUTH', PLANTED, PLANTED);
    await admin.call('BLPOP', `none-${KEY}`, '0.01');
    const slow = JSON.stringify(textOf(await admin.call('SLOWLOG', 'GET', '-1')));
    assert.ok(slow.includes(PLANTED), 'the slow log is the answer to a command, and keeps them');
    const log = await logOfBundle(server);
    assert.match(log, 'output-limit-reached');
    hasNone(log);
    await admin.call('DEBUG', 'LOG', PLANTED);
    assert.match(await line(server, 'debug-log'), /\*redacted\*/);
    assert.match(server.stdout, /request GET was answered/, 'requests are logged');
    hasNone(server.stdout + server.stderr);
    await server.stop();
    const written = readFileSync(file, 'utf8');
    assert.match(written, 'debug-log');
    hasNone(written);
  } finally {
    await server.stop();
  }
});

hidden('the setting is changed while the server runs, under the name of Redis too', async () => {
  const server = await startServer();
  try {
    const client = await server.client();
    const name = 'hide-user-data-from-log';
    assert.equal(await client.call('CONFIG', 'GET', name), [name, 'no']);
    await client.call('DEBUG', 'LOG', 'shown first');
    await client.call('CONFIG', 'SET', name, 'yes');
    await client.call('DEBUG', 'LOG', PLANTED);
    await client.call('CONFIG', 'SET', name, 'no');
    await client.call('DEBUG', 'LOG', 'shown last');
    await until(() => linesOf(server, 'debug-log').length === 3, 'three lines');
    const texts = linesOf(server, 'debug-log').map((each) =>
      each.split(' debug-log ')[1]!.replace('DEBUG LOG: ', ''),
    );
    assert.equal(texts, ['shown first', '*redacted*', 'shown last']);
  } finally {
    await server.stop();
  }
});

/** Makes a shard fail inside GEODIST, from outside of the product. */
const SABOTAGE = `
import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  Math.asin = () => { throw new Error('arranged by a test'); };
}
`;

for (const isHidden of [false, true]) {
  hidden(`a crash report ${isHidden ? 'hides' : 'has'} the key`, async () => {
    const preload = path.join(folder, 'sabotage.mjs');
    writeFileSync(preload, SABOTAGE);
    const data = path.join(folder, `data-${String(isHidden)}`);
    const server = await startServer({
      environment: { NODE_OPTIONS: `--import ${preload}` },
      args: ['--data-dir', data, ...(isHidden ? HIDE : [])],
    });
    const client = await server.client();
    await client.call('GEOADD', KEY, '13', '38', 'a', '15', '37', 'b');
    client.call('GEODIST', KEY, 'a', 'b').catch(() => undefined);
    assert.equal(await server.ended, { exitCode: 1, signal: null });
    const [file = ''] = readdirSync(data).filter((each) => each.startsWith('crash-'));
    const text = readFileSync(path.join(data, file), 'utf8');
    const { executing } = JSON.parse(text) as { executing: Record<string, unknown> };
    assert.is(executing['command'], 'geodist');
    assert.is(executing['key'], isHidden ? '*redacted*' : KEY);
    if (isHidden) hasNone(text + server.stdout + server.stderr);
    await server.stop();
  });
}

hidden.run();
