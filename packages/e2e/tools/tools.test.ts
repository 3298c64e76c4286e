/** Subcommands that ask a server, or read its bundles. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mainFile, startServer, type ChildServer } from '#testkit';

const tools = suite('subcommands');

const PASSWORD = 'secret-word';
let folder: string;
let server: ChildServer;

tools.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-tools-'));
  server = await startServer({ password: PASSWORD, shards: 2, http: true });
  writeFileSync(path.join(folder, 'password'), `${PASSWORD}\n`);
});
tools.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

async function admin(): ReturnType<ChildServer['client']> {
  const client = await server.client();
  await client.call('AUTH', PASSWORD);
  return client;
}

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly error: string;
}

async function run(...args: readonly string[]): Promise<Run> {
  const child = spawn(process.execPath, [mainFile, ...args], { cwd: folder });
  let output = '';
  let error = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (error += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, error };
}

const doctor = (...args: readonly string[]): Promise<Run> =>
  run('doctor', '--address', `127.0.0.1:${server.port}`, ...args);

tools('doctor reports a healthy server, and its slow commands', async () => {
  const client = await admin();
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await client.call('SET', 'of-the-test', 'x');
  const { code, output, error } = await doctor('--password-file', 'password');
  assert.is(error, '');
  assert.is(code, 0);
  assert.match(output, 'Health: healthy');
  assert.match(output, /set of-the-test/i);
  const { output: json } = await doctor('--password-file', 'password', '--json');
  const document = JSON.parse(json) as { status: { health: object }; missing: unknown };
  assert.ok(document.status.health);
  assert.equal(document.missing, []);
});

tools('doctor exits with 1 for a degraded server', async () => {
  const client = await admin();
  await client.call('CONFIG', 'SET', 'maxmemory', '1');
  const { code, output } = await doctor('--password-file', 'password');
  await client.call('CONFIG', 'SET', 'maxmemory', '0');
  assert.is(code, 1);
  assert.match(output, 'MEMORY_PRESSURE');
});

tools('doctor exits with 2 for what it cannot ask', async () => {
  const denied = await doctor();
  assert.is(denied.code, 2);
  assert.match(denied.error, 'NOAUTH');
  const nowhere = await run('doctor', '--address', '127.0.0.1:1');
  assert.is(nowhere.code, 2);
  assert.match(nowhere.error, 'ECONNREFUSED');
  assert.is((await run('doctor', '--port', '1')).code, 2);
});

tools('a user without rights gets a report without what it may not ask for', async () => {
  const client = await admin();
  await client.call('ACL', 'SETUSER', 'guest', 'on', '>guest', '+status');
  writeFileSync(path.join(folder, 'guest'), 'guest');
  const { output } = await doctor('--user', 'guest', '--password-file', 'guest');
  assert.match(output, /Missing:\n {2}LATENCY DOCTOR: NOPERM/);
  assert.match(output, 'SLOWLOG GET: NOPERM');
});

tools('bundle inspect summarises a bundle of this server', async () => {
  const reply = await fetch(`http://127.0.0.1:${server.httpPort}/debug/api/bundle/generate`);
  const bytes = Buffer.from(await reply.arrayBuffer());
  const file = path.join(folder, 'bundle.tar.gz');
  writeFileSync(file, bytes);
  const { code, output, error } = await run('bundle', 'inspect', file);
  assert.is(error, '');
  assert.is(code, 0);
  assert.match(output, /^Bundle \d{8}T\d{6}Z-/);
  assert.match(output, /server\.shards +2 +default 0/);
  assert.match(output, 'Slowest commands:');
  assert.not.match(output, PASSWORD);
});

tools('bundle inspect refuses damaged and foreign files', async () => {
  const file = path.join(folder, 'bundle.tar.gz');
  writeFileSync(path.join(folder, 'half'), readFileSync(file).subarray(0, 5_000));
  for (const name of ['half', 'password', 'nowhere']) {
    const { code, error, output } = await run('bundle', 'inspect', name);
    assert.is(code, 1);
    assert.is(output, '');
    assert.match(error, new RegExp(`^svc: ${name} cannot be read as a bundle: .+\n$`));
  }
});

tools('an unknown second word is an error that names the known ones', async () => {
  const { code, error } = await run('bundle', 'nothing');
  assert.is(code, 1);
  assert.match(error, 'unknown command bundle nothing; known: bundle inspect');
});

tools.run();
