/** A front thread that dies, or stops working: both are logged as errors. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const failing = suite('failing front thread');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-front-'));
const order = path.join(folder, 'order');
const preload = path.join(folder, 'obey.mjs');
const data = path.join(folder, 'data');

/** Makes front thread 0 fail, or hang, when a file says so, from outside of the product. */
const OBEY = `
import { readFileSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';
const order = () => readFileSync(${JSON.stringify(order)}, 'utf8');
if (!isMainThread && workerData && 'tls' in workerData && workerData.index === 0) {
  setInterval(() => {
    if (order() === 'die') throw new Error('arranged by a test');
    while (order() === 'hang');
  }, 20).unref();
}
`;

let server: ChildServer;
/** Clients of either front thread. */
let clients: RespClient[];

failing.before(async () => {
  writeFileSync(order, 'work');
  writeFileSync(preload, OBEY);
  server = await startServer({
    shards: 2,
    http: true,
    environment: { NODE_OPTIONS: `--import ${preload}` },
    args: ['--set', 'server.front-threads=2', '--data-dir', data],
  });
  clients = [await server.client(), await server.client()];
});
failing.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Health {
  readonly status: string;
  readonly issues: readonly { readonly code: string; readonly message: string }[];
}

async function health(): Promise<Health> {
  const { text } = await request(server.httpPort, '/status/json');
  return (JSON.parse(text) as { health: Health }).health;
}

const isStuck = ({ issues }: Health): boolean => issues.some(({ code }) => code === 'FRONT_STUCK');

failing('one that does nothing more makes the server unhealthy, and names itself', async () => {
  assert.not.ok(isStuck(await health()));
  writeFileSync(order, 'hang');
  await until(async () => isStuck(await health()), 'it is told');
  const { status, issues } = await health();
  assert.is(status, 'unhealthy');
  assert.match(issues.find(({ code }) => code === 'FRONT_STUCK')!.message, /front 0|front-0/);
  // Clients of the other thread are served meanwhile.
  const served = await Promise.race(clients.map((client) => client.call('PING')));
  assert.is(served, 'PONG');
  writeFileSync(order, 'work');
  await until(async () => !isStuck(await health()), 'it works again');
  for (const client of clients) assert.is(textOf(await client.call('PING')), 'PONG');
});

failing('one that dies ends the server, with its name in the log and a report', async () => {
  writeFileSync(order, 'die');
  assert.equal(await server.ended, { exitCode: 1, signal: null });
  for (const client of clients) await client.closed;
  const said = server.stdout + server.stderr;
  assert.match(said, /front.0 died: arranged by a test/);
  const reports = readdirSync(data).filter((file) => /^crash-.*\.json$/.test(file));
  assert.is(reports.length, 1);
  const report = readFileSync(path.join(data, reports[0]!), 'utf8');
  assert.match(report, /"reason": ?"arranged by a test"/);
});

failing.run();
