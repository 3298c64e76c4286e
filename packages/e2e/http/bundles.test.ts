/** Diagnostic bundles, over HTTP and the command protocol; what is in them, and what must never be. */
// test-tier: long
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type ChildServer, type HttpAnswer, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const bundles = suite('HTTP bundles');

const MARKER = 'xMARKERx';
const TOKEN = `token-${MARKER}`;
const PASSWORD = `password-${MARKER}`;
const authorized = { headers: { authorization: `Bearer ${TOKEN}` } };

const servers: ChildServer[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'svc-bundles-'));
bundles.after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(...sets: string[]): Promise<ChildServer> {
  const args = sets.flatMap((set) => ['--set', set]);
  const server = await startServer({ http: true, args });
  servers.push(server);
  return server;
}

/** The files of a tar archive, by name. */
function untar(bytes: Buffer): Map<string, { text: string; mode: number }> {
  const files = new Map<string, { text: string; mode: number }>();
  for (let at = 0; at + 512 <= bytes.length && bytes[at] !== 0;) {
    const field = (from: number, length: number): string =>
      bytes.toString('latin1', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = parseInt(field(124, 12), 8);
    const text = bytes.toString('utf8', at + 512, at + 512 + size);
    files.set(field(0, 100), { text, mode: parseInt(field(100, 8), 8) });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

const errorOf = (answer: HttpAnswer): readonly [number, unknown] => [
  answer.status,
  (answer.json() as { error: unknown }).error,
];

const NAMES = [
  ...['manifest.json', 'server.json', 'status.json', 'config.toml', 'metrics.prom'],
  ...['metrics.json', 'slowlog.json', 'large-requests.json', 'large-replies.json'],
  ...['latency.json', 'clients.json', 'shards.json'],
  ...[
    'key-fates.json',
    'scripts.json',
    'replication.json',
    'cluster.json',
    'users.json',
    'flight-recorder.json',
    'traces.json',
    'hot-keys.json',
    'history-15min.json',
    'history-6h.json',
    'history-14d.json',
    'history-threads.json',
    'events.json',
    'machine.json',
    'doctor.txt',
    'logs.txt',
  ],
];

interface PastDocument {
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
  }[];
}

bundles('of a server whose shard is stuck are whole', async () => {
  const server = await startServer({ http: true, shards: 2 });
  servers.push(server);
  const client = await server.client();
  const sampled = async (): Promise<boolean> => {
    const answer = await request(server.httpPort, '/debug/api/history?series=ops');
    const { series } = answer.json() as PastDocument;
    return series[0]!.values.filter((value) => value !== null).length >= 2;
  };
  await until(sampled, 'two samples');
  const isStuck = async (): Promise<boolean> =>
    (await request(server.httpPort, '/status/json')).text.includes('SHARD_STUCK');
  const script = 'while true do end';
  const stuck = client.reply('EVAL', script, 1, 'key').catch(() => undefined);
  await until(isStuck, 'the shard is stuck');
  const isRecorded = async (): Promise<boolean> => {
    const answer = await request(server.httpPort, '/debug/api/history?series=health');
    return (answer.json() as PastDocument).series[0]!.values.includes(2);
  };
  await until(isRecorded, 'the history has it');
  const answer = await request(server.httpPort, '/debug/api/bundle/generate');
  assert.is(answer.status, 200, answer.text.slice(0, 200));
  const files = untar(gunzipSync(answer.bytes));
  assert.equal(
    [...files.keys()].map((name) => name.replace(/^.*\//, '')),
    NAMES,
  );
  const textOf = (name: string): string =>
    [...files].find(([file]) => file.endsWith(`/${name}`))![1].text;
  for (const name of NAMES) assert.not.match(textOf(name), /^\{"error":/, name);
  const past = JSON.parse(textOf('history-15min.json')) as PastDocument;
  assert.ok(past.series.some(({ name, values }) => name === 'health' && values.includes(2)));
  assert.match(textOf('events.json'), /"event": "started"/);
  assert.match(textOf('machine.json'), /"node_version": "v/);
  assert.match(textOf('machine.json'), new RegExp(`"pid": ${server.pid},`));
  assert.ok(textOf('doctor.txt').length > 20, textOf('doctor.txt'));
  const killer = await server.client();
  await killer.call('SCRIPT', 'KILL');
  await stuck;
});

bundles('hold everything, and no secret', async () => {
  const server = await start(
    ...[`http.token=${TOKEN}`, 'tracing.enabled=true', 'debug-bundle.max-trace-entries=2'],
  );
  const client = await server.client();
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await client.call('CONFIG', 'SET', 'requirepass', PASSWORD);
  await client.call('AUTH', PASSWORD);
  await client.reply('AUTH', `wrong-${MARKER}`);
  await client.reply('HELLO', '3', 'AUTH', 'default', PASSWORD);
  await client.pipeline([
    ['SET', '<b>', 'v'],
    ['DEL', '<b>'],
  ]);
  await client.call('SET', 'key', 'value');
  assert.is((await request(server.httpPort, '/debug/api/bundle/generate')).status, 401);
  await request(server.httpPort, `/debug/login`, { method: 'POST', body: `token=${TOKEN}` });
  const answer = await request(server.httpPort, '/debug/api/bundle/generate', authorized);
  assert.is(answer.status, 200, answer.text.slice(0, 200));
  assert.is(answer.headers['content-type'], 'application/gzip');
  const [, id = ''] =
    /^attachment; filename="svc-bundle-(\d{8}T\d{6}Z-[0-9a-f]{6})\.tar\.gz"$/.exec(
      String(answer.headers['content-disposition']),
    ) ?? [];
  assert.ok(id !== '');
  const bytes = gunzipSync(answer.bytes);
  const files = untar(bytes);
  assert.equal(
    [...files.keys()],
    NAMES.map((name) => `svc-bundle-${id}/${name}`),
  );
  const textOf = (name: string): string => files.get(`svc-bundle-${id}/${name}`)?.text ?? '';
  interface Manifest {
    id: string;
    files: { name: string; size_bytes: number; sha256: string }[];
  }
  const manifest = JSON.parse(textOf('manifest.json')) as Manifest;
  assert.is(manifest.id, id);
  assert.equal(
    manifest.files.map(({ name }) => name),
    NAMES.slice(1),
  );
  for (const { name, size_bytes: size, sha256 } of manifest.files) {
    assert.is(size, Buffer.byteLength(textOf(name)), name);
    assert.is(sha256, createHash('sha256').update(textOf(name)).digest('hex'), name);
    if (name.endsWith('.json')) JSON.parse(textOf(name));
  }
  assert.match(textOf('metrics.prom'), /\nsvc_connections 1\n/);
  assert.match(textOf('config.toml'), /requirepass = "\(hidden\)"/);
  assert.match(textOf('slowlog.json'), /\(redacted\)/);
  assert.match(textOf('logs.txt'), /svc is ready/);
  const { traces } = JSON.parse(textOf('traces.json')) as { traces: { spans: object[] }[] };
  assert.is(traces.length, 2, 'as many traces as debug-bundle.max-trace-entries says');
  assert.match(JSON.stringify(traces[0]), /"db.statement":"SET key value"/);
  assert.match(textOf('key-fates.json'), /"deleted": 1,/);
  assert.match(textOf('key-fates.json'), /"reason": "deleted",\s+"key": "<b>",/);
  assert.match(textOf('flight-recorder.json'), /"event": "config-change",/);
  assert.match(textOf('clients.json'), /"user": "default"/);
  assert.not.ok(bytes.includes(MARKER), 'no secret is in the archive');
  const paths = [
    ...['server', 'config', 'metrics', 'clients', 'slowlog', 'latency', 'shard-stats', 'traces'],
    ...['key-fates', 'flight-recorder', 'bundle/list', 'cluster/overview'],
  ].map((name) => `/debug/api/${name}`);
  for (const each of [
    ...paths,
    '/debug/',
    '/debug/login',
    '/status/json',
    '/metrics',
    '/admin/health',
  ]) {
    const { text, headers } = await request(server.httpPort, each, authorized);
    assert.not.ok((text + JSON.stringify(headers)).includes(MARKER), each);
  }
  const file = path.join(server.folder, 'svc-data/bundles', `svc-bundle-${id}.tar.gz`);
  assert.is(statSync(file).mode & 0o777, 0o600);
  const again = await request(server.httpPort, `/debug/api/bundle/${id}`, authorized);
  assert.ok(again.bytes.equals(answer.bytes) && again.bytes.equals(readFileSync(file)));
  const head = await request(server.httpPort, '/debug/api/bundle/generate', {
    ...authorized,
    method: 'HEAD',
  });
  assert.is(head.status, 200);
  const { bundles: list } = (
    await request(server.httpPort, '/debug/api/bundle/list', authorized)
  ).json() as {
    bundles: { id: string; size_bytes: number }[];
  };
  assert.equal(
    list.map((each) => [each.id, each.size_bytes]),
    [[id, answer.bytes.length]],
  );
  const entries = (await client.call('DEBUG', 'BUNDLE', 'LIST')) as unknown[];
  assert.is(entries.length, 1);
  await server.stop();
  assert.not.ok((server.stdout + server.stderr).includes(MARKER), 'nor in the log');
});

bundles('are found by their id and by nothing else', async () => {
  const server = await start();
  writeFileSync(path.join(server.folder, 'secret.tar.gz'), 'secret');
  for (const id of [
    ...['..%2f..%2fsecret', '..', '.', 'x', '20260102T030405Z-abcdef', '20260102T030405Z-ABCDEF'],
    ...['20260102T030405Z-abcdef.tar.gz', 'a'.repeat(300), '%00', '..%5csecret', 'list%2f..%2fx'],
  ]) {
    const answer = await request(server.httpPort, `/debug/api/bundle/${id}`);
    assert.ok([400, 404].includes(answer.status), `${id}: ${answer.status}`);
    assert.not.match(answer.text, /secret$/);
  }
});

bundles('are generated one at a time, and kept as many as there may be', async () => {
  const server = await start('debug-bundle.max-bundles=2');
  const generate = () => request(server.httpPort, '/debug/api/bundle/generate');
  const both = await Promise.all([generate(), generate(), generate()]);
  assert.equal(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 409, 409],
  );
  const refused = both.find(({ status }) => status === 409)!;
  assert.equal(errorOf(refused), [409, 'a bundle is already being generated']);
  const client = await server.client();
  const made = (await client.call('DEBUG', 'BUNDLE', 'GENERATE')) as string[];
  assert.is(made[0], 'id');
  await generate();
  const { bundles: list } = (await request(server.httpPort, '/debug/api/bundle/list')).json() as {
    bundles: { id: string }[];
  };
  assert.is(list.length, 2);
  assert.ok(list.some(({ id }) => id === made[1]));
  assert.is(readdirSync(path.join(server.folder, 'svc-data/bundles')).length, 2);
  await client.call('CONFIG', 'SET', 'debug-bundle-bundle-ttl-secs', '1');
  const none = async (): Promise<boolean> =>
    (await request(server.httpPort, '/debug/api/bundle/list')).text === '{"bundles":[]}';
  await until(none, 'none is listed');
  assert.equal(readdirSync(path.join(server.folder, 'svc-data/bundles')), []);
  const foreign = await request(server.httpPort, '/debug/api/bundle/generate', {
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  assert.is(foreign.status, 403);
});

bundles('say what is wrong with their folder, and leave nothing behind', async () => {
  const file = path.join(folder, 'a-file');
  writeFileSync(file, '');
  const server = await start(`debug-bundle.directory=${file}`);
  const answer = await request(server.httpPort, '/debug/api/bundle/generate');
  assert.equal(errorOf(answer), [500, 'the folder of bundles cannot be used']);
  const client = await server.client();
  const refused = client.call('DEBUG', 'BUNDLE', 'GENERATE');
  const said = await refused.catch((error: unknown) => (error as Error).message);
  assert.match(said as string, /ERR the folder of bundles cannot be used/);
  assert.is(await client.call('PING'), 'PONG');
});

bundles('say that the disk is full, and leave no part of a file', async () => {
  // The smallest of disks, where this user may have one.
  const disk = path.join(folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'none', disk]).status === 0;
  if (!mounted) {
    process.stdout.write('left out: needs mount, and the right to use it\n');
    return;
  }
  try {
    const server = await start(`debug-bundle.directory=${disk}`);
    const answer = await request(server.httpPort, '/debug/api/bundle/generate');
    assert.equal(errorOf(answer), [507, 'no space left for bundles']);
    assert.equal(readdirSync(disk), []);
    await server.stop();
  } finally {
    spawnSync('umount', [disk]);
  }
});

bundles.run();
