import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const programs = suite('programs of threads');

const folder = mkdtempSync(path.join(tmpdir(), 'svc-program-'));
const program = path.join(folder, 'x.program.js');
const cache = `${program}.cache`;
const loader = new URL('./load-program.js', import.meta.url).href;

programs.before(() => {
  writeFileSync(path.join(folder, 'x-part.js'), "exports.name = require('node:path').sep;\n");
  const lines = [
    "'use strict';",
    "const part = require('./x-part.js');",
    "const again = require('./x-part.js');",
    'const later = () => require("./x-later.js");',
    'process.stdout.write(`${part.name} ${part === again} ${__filename} ${typeof later} 1`);',
  ];
  writeFileSync(program, lines.join('\n'));
});

programs.after(() => {
  rmSync(folder, { recursive: true });
});

function run(environment: Record<string, string> = {}, ...flags: string[]): string {
  const script = `import { loadProgram } from ${JSON.stringify(loader)}; loadProgram(${JSON.stringify(folder)}, 'x');`;
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [...flags, '--input-type=module', '-e', script],
    { encoding: 'utf8', env: { ...process.env, ...environment } },
  );
  assert.is(status, 0, stderr);
  return stdout;
}

const answer = (last: number): string => `/ true ${program} function ${last}`;

programs('run with no code cache, write one when asked to, and run with it', () => {
  assert.is(run(), answer(1));
  assert.not.ok(existsSync(cache));
  assert.is(run({ SVC_WRITE_CODE_CACHE: '1' }), answer(1));
  assert.ok(existsSync(cache));
  assert.ok(existsSync(path.join(folder, 'x-part.js.cache')));
  assert.is(run(), answer(1));
});

programs('are compiled where V8 refuses the cache', () => {
  const good = readFileSync(cache);
  for (const bad of [good.subarray(0, 100), Buffer.alloc(0), Buffer.alloc(good.length, 7)]) {
    writeFileSync(cache, bad);
    assert.is(run(), answer(1), `${bad.length} bytes`);
  }
  writeFileSync(cache, good);
  assert.is(run({}, '--no-opt'), answer(1), 'made with other flags');
  writeFileSync(program, readFileSync(program, 'utf8').replace(' 1`);', ' 22`);'));
  assert.is(run(), answer(22), 'the source has changed');
});

programs('are loaded by Node where source maps are wanted', () => {
  assert.match(run({}, '--enable-source-maps'), /function 22$/);
});

programs.run();
