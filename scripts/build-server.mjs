/**
 * Bundles the server: a program for each thread, and V8's code caches beside them.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { serverBuild } from '../configs/tools/vite-server.config.js';
import { writeCodeCaches } from './code-caches.mjs';

const target = fileURLToPath(new URL('../dist/bundle/server/', import.meta.url));

/** Programs of the threads, which are loaded with a code cache. */
const programs = {
  main: 'packages/server/main.js',
  shard: 'workers/shard.js',
  front: 'workers/front.js',
  ops: 'workers/ops.js',
  disk: 'workers/disk.js',
  tier: 'workers/tier.js',
};

/** What is loaded by Node, since it runs seldom or first of all. */
const others = {
  'load-program': 'packages/server/load-program.js',
  load: 'workers/load.js',
  'tasks/bundle': 'workers/tasks/bundle.js',
  'tasks/redistribute': 'workers/tasks/redistribute.js',
  'tasks/split-snapshot': 'workers/tasks/split-snapshot.js',
  'tasks/latency-test': 'workers/tasks/latency-test.js',
  'tasks/name-positions': 'workers/tasks/name-positions.js',
};

const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const [NODE_MAJOR_MIN] = /\d+/.exec(JSON.parse(manifest).engines.node);

/** The first line of the executable: an older Node would fail in the midst of what it loads. */
const nodeCheck = `if (parseInt(process.versions.node) < ${NODE_MAJOR_MIN}) {
  process.stderr.write('svc: Node.js ${NODE_MAJOR_MIN} or newer is required, and this is ' + process.version + '\\n');
  process.exit(1);
}
`;

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
writeFileSync(path.join(target, 'package.json'), '{ "type": "commonjs" }\n');
for (const [name, file] of Object.entries(programs)) {
  await build(serverBuild({ [`${name}.program`]: file }, name));
  const first = name === 'main' ? '#!/usr/bin/env node\n' : '';
  const check = name === 'main' ? nodeCheck : '';
  const text = `${first}'use strict';\n${check}require('./load-program.js').loadProgram(__dirname, '${name}');\n`;
  writeFileSync(path.join(target, `${name}.js`), text);
}
await build(serverBuild(others, 'task'));
await writeCodeCaches(target);
