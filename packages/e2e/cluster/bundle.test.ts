/** `svc-server cluster bundle` against real servers: an archive with all nodes, and what is said of those that give none. */
// test-tier: long

import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { mainFile, needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const run = promisify(execFile);
const bundles = suite('bundle of a cluster');

const TOKEN = 'token-of-the-nodes';

let etcd: Coordinator;
let one: PlayedNode;
let replica: PlayedNode;
/** A node without an HTTP side. */
let silent: PlayedNode;
let folder: string;
let tokenFile: string;

bundles.before(async () => {
  etcd = await sharedEtcd();
  folder = mkdtempSync(path.join(tmpdir(), 'svc-bundles-'));
  tokenFile = path.join(folder, 'token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
  const args = ['--set', `http.token=${TOKEN}`];
  one = await startNode(etcd, { group: 'one', http: true, args });
  await one.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(one);
  replica = await startNode(etcd, { group: 'one', http: true, args });
});
bundles.after(async () => {
  await Promise.all([one, replica, silent].map(({ server }) => server.stop()));
  await etcd.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Reported {
  readonly text: string;
  readonly exitCode: number;
}

async function tool(output: string, ...args: readonly string[]): Promise<Reported> {
  const command = [mainFile, 'cluster', 'bundle', '--output', path.join(folder, output), ...args];
  try {
    const { stdout } = await run(process.execPath, command);
    return { text: stdout, exitCode: 0 };
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
    return { text: stdout + stderr, exitCode: code };
  }
}

/** Names in an archive, as the program `tar` reads it. */
function namesIn(output: string): string[] {
  return execFileSync('tar', ['-tf', path.join(folder, output)], { encoding: 'utf8' })
    .trim()
    .split('\n');
}

function fileIn(output: string, name: string): Buffer {
  return execFileSync('tar', ['-xOf', path.join(folder, output), name]);
}

const asked = (): readonly string[] => [
  ...['--address', `127.0.0.1:${one.server.httpPort}`, '--token-file', tokenFile],
];

function assertOwnBundle(output: string, { id }: PlayedNode): void {
  const content = gunzipSync(fileIn(output, `nodes/${id}.tar.gz`)).toString('latin1');
  assert.match(content, '/cluster.json');
  assert.match(content, `"node_id": "${id}"`);
  assert.not.match(content, TOKEN);
}

bundles('has those of all nodes', async () => {
  const { text, exitCode } = await tool('all.tar', ...asked());
  assert.is(exitCode, 0, text);
  const ids = [one.id, replica.id];
  assert.equal(
    namesIn('all.tar').sort(),
    [...ids.map((id) => `nodes/${id}.tar.gz`), 'nodes.json'].sort(),
  );
  for (const node of [one, replica]) assertOwnBundle('all.tar', node);
  const { nodes } = JSON.parse(fileIn('all.tar', 'nodes.json').toString()) as {
    nodes: { id: string; role: string; error: string | null }[];
  };
  assert.equal(
    nodes.map(({ id, role, error }) => [id, role, error]).sort(),
    [
      [one.id, 'primary', null],
      [replica.id, 'replica', null],
    ].sort(),
  );
});

bundles('finds the nodes by the coordinator as well', async () => {
  const place = [
    '--coordinator',
    etcd.endpoint,
    '--name',
    etcd.clusterName,
    '--token-file',
    tokenFile,
  ];
  const { text, exitCode } = await tool('coordinator.tar', ...place);
  assert.is(exitCode, 0, text);
  assertOwnBundle('coordinator.tar', replica);
  const other = await tool('none.tar', '--coordinator', etcd.endpoint, '--name', 'other');
  assert.is(other.exitCode, 1);
  assert.match(other.text, 'knows no cluster other');
});

bundles('refuses what cannot be done, and writes over no file', async () => {
  const wrong = await tool('wrong.tar', '--address', `127.0.0.1:${one.server.httpPort}`);
  assert.equal([wrong.exitCode, wrong.text.includes('--token-file')], [1, true]);
  const away = await tool('away.tar', '--address', '127.0.0.1:1');
  assert.equal([away.exitCode, away.text.includes('ECONNREFUSED')], [1, true]);
  const again = await tool('all.tar', ...asked());
  assert.equal([again.exitCode, again.text.includes('EEXIST')], [1, true]);
});

bundles('names the nodes that give none, and the exit code tells', async () => {
  silent = await startNode(etcd, { group: 'one' });
  await until(
    async () => textOf(await one.client.call('CLUSTER', 'NODES')).includes(silent.id),
    'the node is known',
  );
  replica.server.signal('SIGSTOP');
  replica.server.signal('SIGKILL');
  await replica.server.ended;
  const { text, exitCode } = await tool('some.tar', ...asked());
  assert.is(exitCode, 1, text);
  assert.match(text, '2 of 3 nodes returned no bundle');
  assertOwnBundle('some.tar', one);
  const errors = fileIn('some.tar', 'errors.txt').toString();
  assert.match(errors, new RegExp(`^${silent.id} - it has no HTTP side$`, 'm'));
  assert.match(errors, new RegExp(`^${replica.id} http://127.0.0.1:\\d+ .*ECONNREFUSED`, 'm'));
  assert.ok(readFileSync(path.join(folder, 'some.tar')).length % 512 === 0);
});

if (needs('etcd')) bundles.run();
