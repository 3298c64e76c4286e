/**
 * Runs compiled test files, each in its own process, and believes none of them on its exit code alone.
 *
 * uvu ends with exit code 0 when a hook throws, when `.run()` is forgotten and when nothing ran at
 * all. A file has passed only when its summary says that every test of it ran and passed.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';

/**
 * A file that has said nothing of its tests for so long is ended: two to four times what the longest of these files take as a
 * whole on a machine with two cores and other work. Where each test ends, only slower, the machine is to blame.
 */
const LIMIT_SECONDS_DEFAULT = 40;
/** All of a file may take so many times its limit. */
const LIMITS_MAX = 4;
/** A file that asks for more than this fails: it should be two files. */
const LIMIT_SECONDS_MAX = 180;
/**
 * A `// test-limit: 60s` counts only at the head of a file, where a reader sees it, and so does
 * each `// test-again: NAME=value …`, by which the file is run once more with these in its environment.
 */
const HEAD_LINES = 12;
const LIMIT = /^\/\/ test-limit: (\d+)s$/m;
const AGAIN = /^\/\/ test-again: (\w+=\S+(?: \w+=\S+)*)$/gm;
const OUTPUT_CHARS_MAX = 200_000;
/**
 * So many files run at a time beyond one for each core: a third of what files take is waiting, for a page to ask again, for a
 * server to notice, for time itself, and the cores would stand idle.
 */
const FILES_BEYOND_CORES = 1;
/** Failed files that are run again at most: where more fail, the cause is not the machine. */
const FILES_AGAIN_MAX = 6;

/** Options of a test run: what to run, and where to report it. */
export interface TestRunOptions {
  /** The folder of the compiled files. */
  readonly folder: string;
  /** The folder of the sources, where a file's limit is read. */
  readonly sourceFolder: string;
  /** Only files whose path contains one of these; all files when there are none. */
  readonly words?: readonly string[];
  /** True when a test that leaves itself out for want of a tool is a failure. */
  readonly everyToolMustExist?: boolean;
  readonly limitSeconds?: number;
  readonly write: (text: string) => void;
}

/** Result of one file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  /** Reasons why the file failed; empty when it passed. */
  readonly faults: readonly string[];
  /** Reasons why it failed beside other files, where it has passed when it was run again alone. */
  readonly faultsBeside?: readonly string[];
  /** Tools whose absence made the file leave tests out. */
  readonly missingTools: readonly string[];
  readonly output: string;
  readonly durationMs: number;
}

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly output: string;
  readonly durationMs: number;
}

const running = new Set<number>();

/**
 * Runs the files and answers how each went, in the order in which they ended. A few that have failed beside others are run
 * once more, alone: what passes then has its first failure told, and does not fail the run.
 */
export async function runTests(options: TestRunOptions): Promise<FileResult[]> {
  const files = testFiles(options.folder, options.words ?? []);
  const waiting = files.flatMap((file) => runsOf(file, options));
  const results: FileResult[] = [];
  const failed: { readonly run: FileRun; readonly at: number }[] = [];
  const worker = async (): Promise<void> => {
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      const result = await runFile(run, options);
      if (result.faults.length > 0) failed.push({ run, at: results.length });
      results.push(result);
      options.write(describe(result));
    }
  };
  const hasOthers = waiting.length > 1;
  const atOnce = availableParallelism() + FILES_BEYOND_CORES;
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (!hasOthers || failed.length > FILES_AGAIN_MAX) return results;
  for (const { run, at } of failed) {
    const alone = await runFile(run, options);
    if (alone.faults.length > 0) {
      options.write(`failed again when it ran alone:\n${describe(alone)}`);
      continue;
    }
    const first = results[at]!;
    results[at] = { ...alone, faultsBeside: first.faults };
    options.write(
      `passed when it ran alone; beside other files it had failed:\n${describe(first)}`,
    );
  }
  return results;
}

/** Ends every test still running, with all that it started. */
export function killRunningTests(): void {
  for (const pid of running) killGroup(pid);
}

/** The last line of a run. */
export function summaryLine(results: readonly FileResult[]): string {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  return `${passed} passed, ${failed} failed`;
}

function testFiles(folder: string, words: readonly string[]): string[] {
  return (
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      // Packages of others bring tests of their own.
      .filter((name) => name.endsWith('.test.js') && !name.split(path.sep).includes('node_modules'))
      .filter((name) => words.length === 0 || words.some((word) => name.includes(word)))
      .sort()
  );
}

/** One run of a file: with nothing but the environment there is, or with more, as `NAME=value NAME=value`. */
interface FileRun {
  readonly file: string;
  readonly variables: string;
}

function runsOf(file: string, options: TestRunOptions): FileRun[] {
  const again = headOf(file, options).matchAll(AGAIN);
  return ['', ...[...again].map(([, variables]) => variables!)].map((variables) => ({
    file,
    variables,
  }));
}

async function runFile(run: FileRun, options: TestRunOptions): Promise<FileResult> {
  const file = run.variables === '' ? run.file : `${run.file} with ${run.variables}`;
  const limitSeconds = limitOf(run.file, options);
  const unread = unreadLine(headOf(run.file, options));
  if (unread !== undefined) return refused(file, `says "${unread}", which has no effect`);
  if (limitSeconds > LIMIT_SECONDS_MAX && !isLimitTold()) {
    const most = `${LIMIT_SECONDS_MAX} s is the most`;
    return refused(file, `asks for ${limitSeconds} s by its test-limit, but ${most}`);
  }
  const end = await runProcess(
    path.join(options.folder, run.file),
    run.variables,
    limitSeconds * 1000,
  );
  const missingTools = [...end.output.matchAll(/^left out: needs (\S+)$/gm)].map(
    ([, tool]) => tool!,
  );
  const counts = countsOf(end.output);
  const faults = [...processFaults(end, limitSeconds)];
  if (!end.timedOut) faults.push(...countFaults(counts, missingTools.length > 0));
  if (options.everyToolMustExist === true) {
    faults.push(...missingTools.map((tool) => `${tool} is not installed, and must be here`));
  }
  const passed = counts.reduce((sum, count) => sum + count.passed, 0);
  const unpassed = counts.reduce((sum, count) => sum + count.total - count.passed, 0);
  return {
    file,
    passed,
    failed: faults.length === 0 ? 0 : Math.max(1, unpassed),
    faults,
    missingTools,
    output: end.output,
    durationMs: end.durationMs,
  };
}

function sourceName(file: string): string {
  return file.replace(/\.js$/, '.ts');
}

/** A file that was not run, since what it asks for cannot be had. */
function refused(file: string, fault: string): FileResult {
  const nothing = { passed: 0, missingTools: [], output: '', durationMs: 0 };
  return { file, failed: 1, faults: [fault], ...nothing };
}

/** True when TEST_LIMIT_SECS says how long files may take, whatever they ask for. */
function isLimitTold(): boolean {
  return Number(process.env['TEST_LIMIT_SECS'] ?? 0) > 0;
}

/** Seconds that a file may take: what TEST_LIMIT_SECS says, or its head, or the default. */
function limitOf(file: string, options: TestRunOptions): number {
  if (isLimitTold()) return Number(process.env['TEST_LIMIT_SECS']);
  const wanted = LIMIT.exec(headOf(file, options))?.[1];
  return Number(wanted ?? options.limitSeconds ?? LIMIT_SECONDS_DEFAULT);
}

/** The first line of a head that asks for something in a way that is not read. */
function unreadLine(head: string): string | undefined {
  const asking = head.split('\n').filter((line) => /\btest-(?:limit|again):/.test(line));
  return asking.find((line) => !LIMIT.test(line) && line.match(AGAIN) === null)?.trim();
}

/** The first lines of a file's source; empty where it has none. */
function headOf(file: string, { sourceFolder }: TestRunOptions): string {
  const source = path.join(sourceFolder, sourceName(file));
  if (!existsSync(source)) return '';
  return readFileSync(source, 'utf8').split('\n', HEAD_LINES).join('\n');
}

function runProcess(file: string, variables: string, limitMs: number): Promise<ProcessEnd> {
  const startedMs = performance.now();
  // A group of its own, so that servers which a test started can be ended with it.
  const child = spawn(process.execPath, ['--enable-source-maps', file], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      ...environmentOf(variables),
    },
  });
  const { pid } = child;
  let output = '';
  let timedOut = false;
  const collect = (text: string): void => {
    output = (output + text).slice(-OUTPUT_CHARS_MAX);
    silence.refresh();
  };
  const endGroup = (): void => {
    if (pid !== undefined) killGroup(pid);
  };
  const giveUp = (): void => {
    timedOut = true;
    endGroup();
  };
  const silence = setTimeout(giveUp, limitMs);
  const whole = setTimeout(giveUp, LIMITS_MAX * limitMs);
  if (pid !== undefined) running.add(pid);
  child.stdout.setEncoding('utf8').on('data', collect);
  child.stderr.setEncoding('utf8').on('data', collect);
  child.on('error', (error) => collect(error.message));
  // What the file left running would hold its pipes open, and 'close' would never come.
  child.on('exit', endGroup);
  return new Promise((resolve) => {
    child.on('close', (exitCode, signal) => {
      clearTimeout(silence);
      clearTimeout(whole);
      if (pid !== undefined) running.delete(pid);
      resolve({ exitCode, signal, timedOut, output, durationMs: performance.now() - startedMs });
    });
  });
}

/** Reads variables written as `NAME=value NAME=value`. */
function environmentOf(variables: string): Record<string, string> {
  return Object.fromEntries(
    [...variables.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]),
  );
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nobody of the group is left.
  }
}

interface Counts {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

function countsOf(output: string): Counts[] {
  const summary = /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm;
  return [...output.matchAll(summary)].map(([, total, passed, skipped]) => ({
    total: Number(total),
    passed: Number(passed),
    skipped: Number(skipped),
  }));
}

function processFaults(end: ProcessEnd, limitSeconds: number): string[] {
  if (end.timedOut) {
    const most = LIMITS_MAX * limitSeconds;
    return [`did not end within ${limitSeconds} s of its last word, or within ${most} s in all`];
  }
  if (end.signal !== null) return [`was ended by ${end.signal}`];
  return end.exitCode === 0 ? [] : [`ended with exit code ${end.exitCode ?? 'unknown'}`];
}

function countFaults(counts: readonly Counts[], mayBeEmpty: boolean): string[] {
  // uvu starts once per event-loop turn: a `.run()` behind an `await` starts it a second time, and
  // then it loses tests of the first.
  if (counts.length > 1) return ['ran its suites in several turns; call every run() without await'];
  const count = counts[0] ?? { total: 0, passed: 0, skipped: 0 };
  if (count.total === 0) return mayBeEmpty ? [] : ['ran no test'];
  const faults: string[] = [];
  if (count.passed !== count.total) faults.push(`passed ${count.passed} of ${count.total} tests`);
  if (count.skipped > 0) faults.push(`skipped ${count.skipped} tests`);
  return faults;
}

function describe(result: FileResult): string {
  const seconds = (result.durationMs / 1000).toFixed(1);
  const leftOut = result.missingTools.map((tool) => `, left out: needs ${tool}`).join('');
  const line = `${result.passed} passed, ${seconds} s${leftOut}  ${result.file}\n`;
  if (result.faults.length === 0) return `  ok  ${line}`;
  const output = result.output.trimEnd().replaceAll(/^/gm, '      ');
  return `FAIL  ${line}${result.faults.map((fault) => `      ${fault}\n`).join('')}${output}\n`;
}
