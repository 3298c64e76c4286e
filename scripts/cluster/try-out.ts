/**
 * `npm run cluster -- [--nodes 6] [--replicas 1] [--port 7000] [--keep <folder>]`: a cluster on this machine for trying out,
 * an etcd and its nodes, each with its share of the slots. Ctrl-C ends all of it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SLOTS = 16_384;
const READY_MS_MAX = 120_000;
const LOOK_MS = 200;
/** The port of etcd's own members stands behind that of its clients. */
const ETCD_PORTS = 2;

const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const mainFile = path.join(dist, 'bundle/server/main.js');

interface Wish {
  readonly nodes: number;
  readonly replicas: number;
  readonly port: number;
  readonly folder: string;
  readonly isKept: boolean;
}

const children: ChildProcess[] = [];
let isEnding = false;

const wish = readWish();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    void end(0);
  });
}
try {
  await startAll(wish);
} catch (error) {
  console.error(`cluster: ${(error as Error).message}`);
  await end(1);
}

function readWish(): Wish {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '6' },
      replicas: { type: 'string', default: '1' },
      port: { type: 'string', default: '7000' },
      keep: { type: 'string' },
    },
  });
  const number = (name: 'nodes' | 'replicas' | 'port', least: number): number => {
    const value = Number(values[name]);
    if (Number.isInteger(value) && value >= least) return value;
    console.error(`cluster: --${name} is a number from ${least} on`);
    process.exit(1);
  };
  return {
    nodes: number('nodes', 1),
    replicas: number('replicas', 0),
    port: number('port', 1),
    folder: values.keep ?? mkdtempSync(path.join(tmpdir(), 'svc-cluster-')),
    isKept: values.keep !== undefined,
  };
}

async function startAll({ nodes, replicas, port, folder }: Wish): Promise<void> {
  const groups = Math.floor(nodes / (replicas + 1));
  if (groups === 0) throw new Error(`${nodes} nodes are too few for ${replicas} replicas each`);
  const etcdPort = port + nodes;
  startEtcd(folder, etcdPort);
  await answering(etcdPort, 'etcd');
  const ports = Array.from({ length: nodes }, (_, nth) => port + nth);
  // The first nodes are the primaries: who comes second into a group is a replica.
  for (const [nth, nodePort] of ports.entries()) {
    startNode(folder, { port: nodePort, etcdPort, group: `group-${nth % groups}` });
    if (nth < groups) await registered(nodePort);
  }
  for (const nodePort of ports) await registered(nodePort);
  for (let nth = 0; nth < groups; nth += 1) {
    const first = Math.ceil((SLOTS * nth) / groups);
    const last = Math.ceil((SLOTS * (nth + 1)) / groups) - 1;
    const answer = await ask(port + nth, ['CLUSTER', 'ADDSLOTSRANGE', `${first}`, `${last}`]);
    // In a folder that was kept they have them already.
    if (answer.startsWith('-') && !answer.includes('busy')) throw new Error(answer.slice(1));
  }
  console.log(
    [
      `${nodes} nodes in ${groups} groups at 127.0.0.1:${port} to ${port + nodes - 1}, etcd at ${etcdPort}; data in ${folder}`,
      `connect:  redis-cli -c -p ${port}`,
      `look:     redis-cli --cluster check 127.0.0.1:${port}`,
      'end:      Ctrl-C',
    ].join('\n'),
  );
}

function startEtcd(folder: string, port: number): void {
  const client = `http://127.0.0.1:${port}`;
  const peer = `http://127.0.0.1:${port + ETCD_PORTS - 1}`;
  start('etcd', [
    ...['--name', 'one', '--data-dir', path.join(folder, 'etcd'), '--logger', 'zap'],
    ...['--log-level', 'error'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
    ...['--initial-cluster', `one=${peer}`],
  ]);
}

interface NodeWish {
  readonly port: number;
  readonly etcdPort: number;
  readonly group: string;
}

function startNode(folder: string, { port, etcdPort, group }: NodeWish): void {
  const data = path.join(folder, `node-${port}`);
  mkdirSync(data, { recursive: true });
  const settings = {
    'http.enabled': 'false',
    'persistence.data-dir': data,
    'logging.level': 'warn',
    'cluster.enabled': 'true',
    'cluster.name': 'try-out',
    'cluster.coordinator-endpoints': `127.0.0.1:${etcdPort}`,
    'cluster.group': group,
  };
  start(process.execPath, [
    ...['--enable-source-maps', mainFile, '--port', String(port), '--shards', '1'],
    ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ]);
}

function start(program: string, args: readonly string[]): void {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], detached: true });
  children.push(child);
  child.on('error', (error) => {
    console.error(`cluster: ${program} cannot be started: ${error.message}`);
    void end(1);
  });
  child.on('exit', (exitCode, signal) => {
    // A node may be killed to see what happens then.
    if (!isEnding) console.log(`${program} (pid ${child.pid}) ended: ${signal ?? exitCode}`);
  });
}

/** Waits until somebody listens. */
async function answering(port: number, what: string): Promise<void> {
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = net.connect(port, '127.0.0.1');
        socket.on('error', () => {
          resolve(false);
        });
        socket.on('connect', () => {
          socket.destroy();
          resolve(true);
        });
      }),
    what,
  );
}

/** Waits until a node has its place in the cluster. */
async function registered(port: number): Promise<void> {
  const has = async (): Promise<boolean> => {
    const info = await ask(port, ['CLUSTER', 'INFO']);
    return /cluster_my_epoch:[1-9]/.test(info);
  };
  await until(has, `the node at ${port}`);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const untilMs = Date.now() + READY_MS_MAX;
  while (!isEnding) {
    if (await holds().catch(() => false)) return;
    if (Date.now() > untilMs) throw new Error(`${what} is not there in time`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Sends one command; answers the reply as it comes, once it is complete. */
function ask(port: number, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      answer += text;
      const [, size] = /^\$(\d+)\r\n/.exec(answer) ?? [];
      if (size !== undefined && answer.length < Number(size)) return;
      socket.destroy();
      resolve(answer);
    });
    const bulks = words.map((word) => `$${word.length}\r\n${word}\r\n`);
    socket.write(`*${words.length}\r\n${bulks.join('')}`);
  });
}

async function end(exitCode: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  const [first, ...nodes] = children;
  // Nodes give their leases back, so etcd ends last.
  await Promise.all(nodes.map((child) => ended(child)));
  if (first !== undefined) await ended(first);
  if (!wish.isKept) rmSync(wish.folder, { recursive: true, force: true });
  process.exit(exitCode);
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
      resolve();
      return;
    }
    child.on('exit', () => {
      resolve();
    });
    child.kill('SIGTERM');
  });
}
