/**
 * The runner against test files that are broken on purpose, each in a way that uvu alone would let
 * pass, or would hang on.
 */
// test-tier: long
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runTests, type TestRunOptions } from './runner.ts';
import { summaryLine, type FileResult } from './verdict.ts';

const head = `import { suite } from 'uvu'; import * as assert from 'uvu/assert'; const s = suite('s');`;
const twoTests = `s('one', () => {}); s('two', () => {});`;

const cases: readonly (readonly [
  name: string,
  code: string,
  fault: RegExp | null,
  failed: number,
])[] = [
  ['two passing tests', `${head} ${twoTests} s.run();`, null, 0],
  ['a failing test', `${head} ${twoTests} s('no', () => assert.ok(false)); s.run();`, /code 1/, 1],
  [
    'a throwing before hook',
    `${head} s.before(() => { throw 1 }); ${twoTests} s.run();`,
    /0 of 2/,
    2,
  ],
  [
    'a throwing after-each hook',
    `${head} s.after.each(() => { throw 1 }); ${twoTests} s.run();`,
    /passed 0 of 2/,
    2,
  ],
  ['a forgotten run', `${head} ${twoTests}`, /ran no test/, 1],
  ['no suite at all', `export {};`, /ran no test/, 1],
  [
    'a test that never settles',
    `${head} s('x', () => new Promise(() => {})); s.run();`,
    /code 1/,
    1,
  ],
  [
    'a test that hangs on an open handle',
    `${head} s('x', () => { setInterval(() => {}, 1000); }); s.run();`,
    /did not end within 1 s/,
    1,
  ],
  [
    'a test that hangs, and goes on talking',
    `${head} s('x', () => { setInterval(() => console.log('.'), 100); }); s.run();`,
    /did not end within 1 s .* 4 s in all/,
    1,
  ],
  ['a skipped test', `${head} ${twoTests} s.skip('three', () => {}); s.run();`, /skipped 1/, 1],
  ['a test picked out', `${head} ${twoTests} s.only('three', () => {}); s.run();`, /skipped 2/, 1],
  ['a throw while loading', `throw new Error('loading');`, /code 1/, 1],
  [
    'a throw after the summary',
    `${head} ${twoTests} s.run(); setTimeout(() => { throw new Error('late'); }, 100);`,
    /code 1/,
    1,
  ],
  [
    'a run behind an await',
    `${head} s('one', () => {}); s.run(); await new Promise((r) => setTimeout(r, 50));
       const t = suite('t'); t('two', () => {}); t.run();`,
    /several turns/,
    1,
  ],
  ['an early exit', `${head} ${twoTests} s.run(); process.exit(0);`, /ran no test/, 1],
  ['a crash', `process.kill(process.pid, 'SIGKILL');`, /ended by SIGKILL/, 1],
];

const runner = suite('test runner');
let folder = '';

runner.before.each(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'runner-'));
  const modules = path.resolve(
    path.dirname(fileURLToPath(import.meta.url)),
    '../../../node_modules',
  );
  symlinkSync(modules, path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
});

runner.after.each(() => rmSync(folder, { recursive: true, force: true }));

function put(file: string, code: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), code);
}

async function run(options: Partial<TestRunOptions> = {}): Promise<FileResult[]> {
  const write = (): void => undefined;
  return runTests({ folder, sourceFolder: folder, limitSeconds: 1, write, ...options });
}

for (const [name, code, fault, failed] of cases) {
  runner(`judges ${name}`, async () => {
    put('a.test.js', code);
    const [result] = await run({ limitSeconds: name.includes('hangs') ? 1 : 20 });
    if (fault === null) assert.equal(result?.faults, []);
    else assert.match(result?.faults.join('; ') ?? '', fault);
    assert.is(result?.failed, failed);
  });
}

runner('adds the tests of all files up', async () => {
  put('a.test.js', `${head} ${twoTests} s.run();`);
  put('b/b.test.js', `${head} ${twoTests} s('no', () => assert.ok(false)); s.run();`);
  put('c.test.js', `throw new Error('broken');`);
  put('not-a-test.js', `throw new Error('must not run');`);
  assert.is(summaryLine(await run({ limitSeconds: 20 })), '4 passed, 2 failed');
});

runner(
  'runs what has failed beside other files again, alone, and tells its first failure',
  async () => {
    const mark = path.join(folder, 'mark');
    const once = `import fs from 'node:fs'; const isFirst = !fs.existsSync('${mark}'); fs.writeFileSync('${mark}', '');`;
    put('a.test.js', `${once} ${head} s('once', () => assert.not(isFirst)); s.run();`);
    put('b.test.js', `${head} s('no', () => assert.ok(false)); s.run();`);
    let reported = '';
    const results = await run({ limitSeconds: 20, write: (text) => (reported += text) });
    const [unlucky, never] = results.sort((one, other) => (one.file < other.file ? -1 : 1));
    assert.equal(unlucky?.faults, []);
    assert.match(unlucky?.faultsBeside?.join() ?? '', /passed 0 of 1/);
    assert.match(
      reported,
      /passed when it ran alone; beside other files it had failed:\nFAIL .*a\.test\.js/,
    );
    assert.is(never?.faults.length, 2);
    assert.is(summaryLine(results), '1 passed, 1 failed');
  },
);

runner('runs nothing again where many have failed', async () => {
  const file = (nth: number): string => path.join(folder, `ran-${nth}`);
  for (let nth = 0; nth < 8; nth += 1) {
    const code = `import fs from 'node:fs'; fs.appendFileSync('${file(nth)}', '.'); process.exit(1);`;
    put(`${nth}.test.js`, code);
  }
  assert.is(summaryLine(await run({ limitSeconds: 20 })), '0 passed, 8 failed');
  for (let nth = 0; nth < 8; nth += 1) assert.is(readFileSync(file(nth), 'utf8'), '.');
});

runner('chooses files by words', async () => {
  put('a.test.js', `${head} ${twoTests} s.run();`);
  put('b/b.test.js', `${head} ${twoTests} s.run();`);
  const results = await run({ limitSeconds: 20, selection: { words: ['b/', 'nowhere'] } });
  assert.equal(
    results.map(({ file }) => file),
    ['b/b.test.js'],
  );
});

runner(
  'lets a file leave tests out for want of a tool, but not where every tool must be',
  async () => {
    put('a.test.js', `console.log('left out: needs some-tool');`);
    const [mild] = await run({ limitSeconds: 20 });
    assert.equal([mild?.faults, mild?.missingTools], [[], ['some-tool']]);
    const [strict] = await run({ limitSeconds: 20, everyToolMustExist: true });
    assert.match(strict?.faults[0] ?? '', /some-tool is not installed/);
  },
);

runner('runs a file once more for each line of its head that names variables', async () => {
  const reported = 'console.log(process.env.AGAIN, process.env.OTHER);';
  put('a.test.js', `${head} s('t', () => {}); ${reported} s.run();`);
  put('sources/a.test.ts', '// test-again: AGAIN=one\n// test-again: AGAIN=two OTHER=3\n');
  const results = await run({
    sourceFolder: path.join(folder, 'sources'),
    selection: { long: 'all' },
  });
  const runs = results.map(({ file, faults, output }) => [file, faults, output.split('\n')[0]]);
  assert.equal(runs.sort(), [
    ['a.test.js with AGAIN=one', [], 'one undefined'],
    ['a.test.js with AGAIN=two OTHER=3', [], 'two 3'],
    ['a.test.js', [], 'undefined undefined'],
  ]);
});

runner('refuses a file whose head asks for something in a way that is not read', async () => {
  put('a.test.js', `${head} ${twoTests} s.run();`);
  for (const line of [' * test-tier: long', '// test-tier: short', '// test-again: TLS']) {
    put('sources/a.test.ts', `/**\n${line}\n`);
    const [result] = await run({ sourceFolder: path.join(folder, 'sources') });
    assert.equal(result?.faults, [`says "${line.trim()}", which has no effect`]);
  }
});

runner('ends what a file left running', async () => {
  const mark = path.join(folder, 'running');
  const child = `import { spawn } from 'node:child_process';
    import { existsSync } from 'node:fs';
    spawn('sh', ['-c', 'echo $$ > ${mark}.part; mv ${mark}.part ${mark}; exec sleep 100'], { stdio: 'inherit' }).unref();
    while (!existsSync('${mark}'));`;
  put('a.test.js', `${child} ${head} ${twoTests} s.run();`);
  const [result] = await run({ limitSeconds: 20 });
  assert.equal(result?.faults, []);
  const id = readFileSync(mark, 'utf8').trim();
  // One that has ended may not have been collected yet.
  const state = (): string =>
    spawnSync('ps', ['-o', 'stat=', '-p', id], { encoding: 'utf8' }).stdout;
  await until(() => /^Z|^$/.test(state().trim()), 'it has ended');
});

runner.run();
