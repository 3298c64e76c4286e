/** Secrets in refused input: what is refused before it is understood leaves no secret anywhere. */
// test-tier: long
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ChildServer, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runMain } from '../process/main-process.ts';

const secrets = suite('secrets');

const PLANTED = 'xPLANTEDx';
const PASSWORD = `password-${PLANTED}`;
const TOKEN = `token-${PLANTED}`;
const authorized = { authorization: `Bearer ${TOKEN}` };

const folder = mkdtempSync(path.join(tmpdir(), 'svc-secrets-'));

/** Writes down what each thread is started with, from outside of the product. */
const SPY = `
import { isMainThread, threadId, workerData } from 'node:worker_threads';
import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
if (!isMainThread) {
  const { settings, index } = workerData ?? {};
  if (settings !== undefined) {
    writeFileSync(${JSON.stringify(folder)} + '/shard-' + index, inspect(workerData, { depth: 6 }));
  }
}
`;

let server: ChildServer;
let client: RespClient;
let watcher: RespClient;
let watched = '';

secrets.before(async () => {
  const preload = path.join(folder, 'spy.mjs');
  writeFileSync(preload, SPY);
  server = await startServer({
    http: true,
    shards: 2,
    password: PASSWORD,
    environment: { NODE_OPTIONS: `--import ${preload}` },
    args: [
      ...['--set', `http.token=${TOKEN}`, '--set', 'slowlog.log-slower-than=0'],
      ...['--set', 'tracing.enabled=true', '--set', 'logging.per-request-spans=true'],
      ...['--set', 'debug-bundle.max-trace-entries=1000', '--log-level', 'trace'],
    ],
  });
  client = await server.client();
  await client.call('AUTH', PASSWORD);
  watcher = await server.client();
  await watcher.call('AUTH', PASSWORD);
  await watcher.call('MONITOR');
  watcher.socket.on('data', (bytes: Buffer) => (watched += bytes.toString('latin1')));
});
secrets.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Words of commands that fail, or are not what they look like. */
const failing: readonly string[] = [
  `CONFIG SET http-token ${PLANTED}`,
  `CONFIG SET http-viewer-token ${PLANTED}`,
  `CONFIG SET HTTP-TOKEN ${PLANTED}`,
  `CONFIG SET requirepass ${PLANTED} b`,
  `CONFIG SET requirepass a ${PLANTED}`,
  `CONFIG SET maxmemory 0 ${PLANTED}`,
  `CONFIG SET requirepass ${PLANTED} nonsense 1`,
  `CONFIG SET requirepass ${PLANTED} requirepass ${PLANTED}`,
  `CONFIG SET requirepas ${PLANTED}`,
  `CONFIG SET ${PLANTED} requirepass`,
  `CONFIG SET requirepass ${PLANTED} maxmemory nonsense`,
  `CONFIG SETT requirepass ${PLANTED}`,
  `AUTH ${PLANTED}`,
  `AUTH default ${PLANTED}`,
  `AUTH a b ${PLANTED}`,
  `AUTH ${PLANTED} b c d`,
  `HELLO 3 AUTH default ${PLANTED}`,
  `HELLO 3 AUTH ${PLANTED}`,
  `HELLO 9 AUTH default ${PLANTED}`,
  `HELLO AUTH default ${PLANTED}`,
  `HELLO 3 AUHT default ${PLANTED}`,
  `HELLO 3 AUTH default b ${PLANTED}`,
  `HELLO 3 SETNAME n AUTH default ${PLANTED}`,
  `ACL SETUSER u >${PLANTED} on nonsense`,
  `ACL SETUSER u on >a ${PLANTED}`,
  `ACL SETUSER u >${PLANTED} +${PLANTED}`,
  `ACL SETUSER u <${PLANTED}`,
  `ACL SETUSER u #${PLANTED}`,
  `ACL SETUSER u !${PLANTED}`,
  `ACL SETUSER u (+get >${PLANTED})`,
  `ACL SETUSER u (+get >${PLANTED}`,
  `ACL SETUSER u (${PLANTED} +get`,
  `ACL SETUSER u ${PLANTED}`,
  `ACL SETTUSER u >${PLANTED}`,
  `ACL GETUSER ${PLANTED} b`,
  `ACL DELUSER default ${PLANTED}`,
  `ACL DRYRUN ${PLANTED} AUTH u b`,
  `ACL DRYRUN default ${PLANTED} b`,
  `HELLO 3 AUTH u ${PLANTED}`,
  `AUHT ${PLANTED}`,
  `COMMAND GETKEYS AUTH ${PLANTED}`,
  `COMMAND GETKEYS AUTH default ${PLANTED}`,
  `COMMAND GETKEYS HELLO 3 AUTH default ${PLANTED}`,
  `COMMAND GETKEYS CONFIG SET requirepass ${PLANTED}`,
  `COMMAND GETKEYS ACL SETUSER u >${PLANTED}`,
  `COMMAND GETKEYS AUHT ${PLANTED}`,
  `COMMAND GETKEYSANDFLAGS AUTH ${PLANTED}`,
  `COMMAND GETKEYSANDFLAGS HELLO 3 AUTH default ${PLANTED}`,
  `COMMAND GETKEYSANDFLAGS ACL SETUSER u >${PLANTED}`,
  `MIGRATE h 1 k 0 1 AUTH ${PLANTED} nonsense`,
  `MIGRATE h 1 k 0 1 AUHT ${PLANTED}`,
  `MIGRATE h 1 k 0 1 AUTH2 ${PLANTED}`,
];

/** Words of commands that are right, and have secrets. */
const right: readonly string[] = [
  `CONFIG SET masterauth ${PLANTED}`,
  `COMMAND GETKEYS MIGRATE h 1 k 0 1 AUTH ${PLANTED}`,
  `COMMAND GETKEYSANDFLAGS MIGRATE h 1 k 0 1 AUTH ${PLANTED}`,
  `MIGRATE h 1 none 0 1 AUTH ${PLANTED}`,
  `MIGRATE h 1 none 0 1 AUTH2 ${PLANTED} ${PLANTED}`,
  `ACL SETUSER u >${PLANTED} on`,
  `ACL SETUSER u >${PLANTED}2 <${PLANTED}2 (+get ~${PLANTED})`,
  `ACL GETUSER ${PLANTED}`,
  `ACL DRYRUN default AUTH u ${PLANTED}`,
  `ACL DRYRUN default AUTH u ${PLANTED} b`,
  `ACL DRYRUN default SET ${PLANTED} ${PLANTED}`,
  `ACL DELUSER u ${PLANTED}`,
  `COMMAND GETKEYS SET ${PLANTED} ${PLANTED}`,
  `COMMAND GETKEYSANDFLAGS SET ${PLANTED} ${PLANTED}`,
];

secrets('commands about users are made', async () => {
  for (const line of right) {
    const words = line.split(' ');
    assert.not.instance(await client.reply(...words), Error, line);
    await client.pipeline([['MULTI'], words, ['EXEC']]);
  }
  await client.call('ACL', 'SETUSER', 'guest', 'on', `>guest-${PLANTED}`, '+@all', '-@admin');
  const guest = await server.client();
  await guest.call('AUTH', 'guest', `guest-${PLANTED}`);
  await guest.call('HELLO', '3', 'AUTH', 'guest', `guest-${PLANTED}`);
  for (const line of [...failing, ...right]) await guest.reply(...line.split(' '));
  await guest.end();
  await client.call('ACL', 'LOG');
});

secrets('refused commands are made', async () => {
  for (const line of failing) {
    const words = line.split(' ');
    const reply = await client.reply(...words);
    assert.instance(reply, Error, line);
    await client.call('MULTI');
    await client.reply(...words);
    await client.reply('EXEC');
  }
  await client.call('ACL', 'SETUSER', 'known', 'on', `>${PLANTED}`);
  const stranger = await server.client();
  for (const line of failing) assert.instance(await stranger.reply(...line.split(' ')), Error);
  await client.call('SET', 'seen', 'everywhere');
});

secrets('and refused requests', async () => {
  const ask = (target: string, headers: Record<string, string> = authorized) =>
    request(server.httpPort, target, { headers });
  await ask(`/debug/api/none?token=${PLANTED}`);
  await ask('/debug/', { authorization: `Bearer wrong-${PLANTED}` });
  await ask('/debug/', { cookie: `svc-token-${String(server.httpPort)}=${PLANTED}` });
  const post = (target: string, body: string, type = 'application/json') =>
    request(server.httpPort, target, {
      method: 'POST',
      headers: { ...authorized, 'content-type': type },
      body,
    });
  await post('/debug/login', `token=${PLANTED}`, 'application/x-www-form-urlencoded');
  await post('/debug/login', JSON.stringify({ token: PLANTED }));
  for (const name of ['http.token', 'security.requirepas', 'server.port', 'server.hz']) {
    const answer = await post('/debug/api/config/set', JSON.stringify({ name, value: PLANTED }));
    assert.is(answer.status, 409, name);
  }
});

secrets('no surface of the command port has them', async () => {
  await until(() => watched.includes('everywhere'), 'the monitor has seen it');
  const said = [
    watched,
    ...(await Promise.all(
      [
        ['SLOWLOG', 'GET', -1],
        ['DEBUG', 'TRACING', 'RECENT', 1_000],
        ['DEBUG', 'FLIGHT-RECORDER', 'COUNT', -1],
        ['KEYFATE', 'GET', 100],
        ['INFO', 'everything'],
        ['CLIENT', 'LIST'],
        ['STATUS', 'JSON'],
        ['LATENCY', 'DOCTOR'],
      ].map(async (words) => JSON.stringify(await client.reply(...words))),
    )),
  ];
  assert.ok(said[1]?.includes('(redacted)'), 'they were logged as slow');
  assert.ok(said[2]?.includes('(redacted)'), 'they were traced');
  for (const text of said) assert.not.ok(text.includes(PLANTED), aroundPlanted(text));
});

secrets('no page, bundle or line of the log has them', async () => {
  const paths = [
    ...['slowlog', 'traces', 'flight-recorder', 'key-fates', 'clients', 'config', 'server'],
    ...['latency', 'shard-stats', 'metrics', 'config/defaults', 'cluster/overview', 'users'],
  ].map((name) => `/debug/api/${name}`);
  for (const each of [...paths, '/status/json', '/metrics', '/debug/paths']) {
    const answer = await request(server.httpPort, each, { headers: authorized });
    assert.is(answer.status, 200, each);
    assert.not.ok(answer.text.includes(PLANTED), `${each}: ${aroundPlanted(answer.text)}`);
  }
  const bundle = await request(server.httpPort, '/debug/api/bundle/generate', {
    headers: authorized,
  });
  const packed = gunzipSync(bundle.bytes).toString('latin1');
  assert.ok(packed.includes('everywhere'), 'a value of a slow command is in it');
  assert.not.ok(packed.includes(PLANTED), aroundPlanted(packed));
  await client.call('DEBUG', 'LOG', 'the last line');
  await until(() => server.stdout.includes('the last line'), 'the log has all');
  assert.match(server.stdout, /CONFIG SET was answered/, 'commands are in the log');
  const said = server.stdout + server.stderr;
  assert.not.ok(said.includes(PLANTED), aroundPlanted(said));
});

secrets('a command line that is not understood shows none', async () => {
  for (const args of [
    ['--http-token', PLANTED],
    [`--http-token=${PLANTED}`],
    ['--requirepas', PLANTED],
    ['--set', PLANTED],
    ['--set', `http.tokn=${PLANTED}`],
    [PLANTED],
  ]) {
    const end = await runMain(args);
    assert.is(end.exitCode, 1, args.join(' '));
    assert.not.ok((end.stdout + end.stderr).includes(PLANTED), end.stderr);
  }
});

secrets('a start that is refused for its users shows none', async () => {
  const file = path.join(folder, 'users.acl');
  const rules = [
    [`>${PLANTED}`, 'nonsense'],
    ['>a', PLANTED],
    [`#${PLANTED}`],
    [`<${PLANTED}`],
    [`(>${PLANTED})`],
    [`(>${PLANTED}`],
    ['>a', '(', PLANTED, ')'],
  ];
  for (const words of rules) {
    writeFileSync(file, `user u on ${words.join(' ')}\n`);
    const toml = path.join(folder, 'users.toml');
    writeFileSync(
      toml,
      `[[security.users]]\nname = "u"\nrules = ${JSON.stringify(words.join(' '))}\n`,
    );
    for (const args of [
      ['--set', `security.acl-file=${file}`],
      ['--config', toml],
      ['--config', toml, '--check-config'],
    ]) {
      const end = await runMain(args);
      assert.is(end.exitCode, 1, args.join(' '));
      const said = end.stdout + end.stderr;
      assert.not.ok(said.includes(PLANTED), `${words.join(' ')}: ${said}`);
    }
  }
});

secrets('the configuration that is shown has none', async () => {
  const toml = path.join(folder, 'good-users.toml');
  writeFileSync(toml, `[[security.users]]\nname = "u"\nrules = "on >${PLANTED} +get ~a"\n`);
  const end = await runMain(['--config', toml, '--print-config']);
  assert.is(end.exitCode, 0, end.stderr);
  assert.not.ok((end.stdout + end.stderr).includes(PLANTED), end.stdout);
});

secrets('shards are not told them', () => {
  const files = readdirSync(folder).filter((file) => file.startsWith('shard-'));
  assert.is(files.length, 2);
  for (const file of files) {
    const text = readFileSync(path.join(folder, file), 'utf8');
    assert.match(text, /'?maxmemory'?: 0/);
    assert.not.ok(text.includes(PLANTED), file);
  }
});

function aroundPlanted(text: string): string {
  const at = text.indexOf(PLANTED);
  return text.slice(Math.max(0, at - 200), at + 50);
}

secrets.run();
