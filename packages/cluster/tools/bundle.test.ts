/** The archive of a cluster's bundles, with nodes whose every byte is the test's: whole ones, and those that break off. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bundle } from './bundle.ts';

const archives = suite('archive of bundles');

/** More than a piece that a socket gives at a time, and no whole number of blocks. */
const WHOLE = Buffer.alloc(300_001, 'whole ');
const HALF = Buffer.alloc(150_000, 'half ');
/** Longer than names in the first form of archives may be. */
const LONG_ID = 'n'.repeat(120);

let server: Server;
let url: string;
let folder: string;
let isEmpty = false;

const answers: RequestListener = (request, response) => {
  const [, node = '', ...rest] = (request.url ?? '').split('/');
  if (rest.join('/') === 'api/cluster/overview') {
    const nodes = ['whole', LONG_ID, 'half', 'closed', 'refused'].map((id) => ({
      id,
      role: 'primary',
      group: id,
      present: true,
      http: `${url}/${id}`,
    }));
    response.end(JSON.stringify({ enabled: true, nodes: isEmpty ? [] : nodes }));
  } else if (node === 'refused') {
    response.writeHead(503).end('{"error":"it is busy"}');
  } else if (node === 'half' || node === 'closed') {
    response.writeHead(200, { 'content-length': WHOLE.length });
    if (node === 'half') response.write(HALF);
    response.flushHeaders();
    setImmediate(() => response.socket?.end());
  } else {
    response.writeHead(200, { 'content-length': WHOLE.length }).end(WHOLE);
  }
};

archives.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-archive-'));
  server = createServer(answers);
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
archives.after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function tool(output: string): Promise<{ lines: string[]; error: string }> {
  const lines: string[] = [];
  const args = ['--address', url.slice('http://'.length), '--output', output];
  const error = await bundle(args, (line) => lines.push(line)).then(
    () => '',
    (reason: unknown) => (reason as Error).message,
  );
  return { lines, error };
}

function fileIn(output: string, name: string): Buffer {
  return execFileSync('tar', ['-xOf', output, name]);
}

archives('holds what came, zeros for what did not, and the reasons', async () => {
  const output = path.join(folder, 'some.tar');
  const { lines, error } = await tool(output);
  assert.match(error, '3 of 5 nodes returned no bundle');
  assert.is(lines[0], `whole ${url}/whole ${WHOLE.length} bytes`);
  const names = execFileSync('tar', ['-tf', output], { encoding: 'utf8' }).trim().split('\n');
  assert.equal(names, [
    ...['whole', LONG_ID, 'half', 'closed'].map((id) => `nodes/${id}.tar.gz`),
    ...['nodes.json', 'errors.txt'],
  ]);
  assert.ok(fileIn(output, 'nodes/whole.tar.gz').equals(WHOLE));
  assert.ok(fileIn(output, `nodes/${LONG_ID}.tar.gz`).equals(WHOLE));
  const half = fileIn(output, 'nodes/half.tar.gz');
  assert.is(half.length, WHOLE.length);
  assert.ok(half.subarray(0, HALF.length).equals(HALF));
  assert.ok(half.subarray(HALF.length).every((byte) => byte === 0));
  const errors = fileIn(output, 'errors.txt').toString();
  const left = WHOLE.length - HALF.length;
  assert.match(errors, `half ${url}/half its bundle ends ${left} bytes before the end: `);
  assert.match(errors, `its bundle ends ${WHOLE.length} bytes before the end: `);
  assert.match(errors, `refused ${url}/refused it answers with status 503: it is busy`);
  assert.is(statSync(output).mode & 0o777, 0o600);
  assert.match(
    execFileSync('tar', ['-tvf', output, 'nodes.json'], { encoding: 'utf8' }),
    /^-rw-------/,
  );
  assert.is(readFileSync(output).length % 512, 0);
});

archives('of a cluster without nodes is an archive', async () => {
  isEmpty = true;
  const output = path.join(folder, 'none.tar');
  assert.is((await tool(output)).error, '');
  assert.equal(fileIn(output, 'nodes.json').toString(), '{\n  "nodes": []\n}\n');
  assert.match((await tool(output)).error, 'EEXIST');
});

archives.run();
