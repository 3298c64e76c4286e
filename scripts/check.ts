/**
 * `npm run check [-- --no-tests]`: everything that must hold before a commit is good.
 *
 * All steps run, so that one go shows all there is to mend; those that are no tests run side by side. The last line is
 * `N passed, N failed`, in which a step that is no test counts as one.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

interface Step {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
}

interface StepEnd {
  readonly name: string;
  readonly isGood: boolean;
  readonly seconds: number;
  readonly lastLine: string;
}

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Threads of the linter: each reads all the types for itself, and two take 4 GB together. */
const LINT_THREADS = 2;

/** Results of unchanged files, in a folder that git ignores. */
const LINT_CACHE = [
  ...['--cache', '--cache-strategy', 'content'],
  ...['--cache-location', 'node_modules/.cache/eslint/'],
];

const tools: readonly Step[] = [
  {
    name: 'format',
    args: [
      'node_modules/prettier/bin/prettier.cjs',
      ...['--config', 'configs/tools/prettier.json'],
      ...['--ignore-path', 'configs/tools/prettierignore', '--check', '--log-level', 'warn', '.'],
    ],
  },
  {
    name: 'lint',
    args: [
      'node_modules/eslint/bin/eslint.js',
      ...['-c', 'configs/tools/eslint.config.js', '--concurrency', String(LINT_THREADS), '.'],
      // CI lints the whole: a rule may judge a file by the types of another, which the cache does not know.
      ...(process.env['CI'] === 'true' ? [] : LINT_CACHE),
    ],
  },
  { name: 'tidy', args: ['dist/scripts/tidy.js'] },
  { name: 'generated files', args: ['dist/scripts/generate.js', '--check'] },
];
const tests: Step = { name: 'tests', args: ['dist/scripts/test.js'] };

const withTests = !process.argv.includes('--no-tests');
const ends = await Promise.all(tools.map(runQuietly));
if (withTests) ends.push(await run(tests));

console.log('');
for (const { name, isGood, seconds } of ends) {
  console.log(`${isGood ? '  ok' : 'FAIL'}  ${seconds.toFixed(1).padStart(6)} s  ${name}`);
}
const { passed, failed } = total(ends);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs a step beside others; what it says comes in one piece when it has ended. */
async function runQuietly(step: Step): Promise<StepEnd> {
  let said = '';
  const end = await run(step, (text) => {
    said += text;
  });
  process.stdout.write(said);
  return end;
}

function run(
  step: Step,
  say = (text: string): void => void process.stdout.write(text),
): Promise<StepEnd> {
  say(`--- ${step.name}\n`);
  const startedMs = performance.now();
  const child = spawn(process.execPath, step.args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    say(text);
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    say(text);
    tail = (tail + text).slice(-1000);
  });
  return new Promise((resolve) => {
    child.on('close', (exitCode) => {
      resolve({
        name: step.name,
        isGood: exitCode === 0,
        seconds: (performance.now() - startedMs) / 1000,
        lastLine: tail.trimEnd().split('\n').at(-1) ?? '',
      });
    });
  });
}

function total(steps: readonly StepEnd[]): { passed: number; failed: number } {
  let passed = 0;
  let failed = 0;
  for (const { isGood, lastLine } of steps) {
    const [, good, bad] = /^(\d+) passed, (\d+) failed$/.exec(lastLine) ?? [];
    const badCount = bad === undefined ? 0 : Number(bad);
    passed += good === undefined ? Number(isGood) : Number(good);
    failed += isGood ? badCount : Math.max(1, badCount);
  }
  return { passed, failed };
}
