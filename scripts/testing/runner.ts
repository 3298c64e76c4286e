/**
 * Runs compiled test files, and believes none of them on its exit code alone.
 *
 * Files that start servers have a process each, as many at a time as the processors have room for. Unit files of a package
 * share processes, since two fifths of what each takes is loading what it imports.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Lanes } from './lanes.ts';
import { partsOf } from './shared-output.ts';
import {
  findRuns,
  nameOf,
  ORDINARY,
  selectRuns,
  type Selection,
  type TestRun,
} from './test-files.ts';
import { LIMITS_MAX, runProcess, type ProcessEnd } from './test-process.ts';
import { TestTimes } from './test-times.ts';
import { describe, judge, refused, type FileResult } from './verdict.ts';

/** Silence after which a test counts as hung, in seconds: a test that waits in vain fails much earlier by itself. */
const LIMIT_SECONDS_DEFAULT = 180;
/** Failed files that are run again at most: where more fail, the cause is not the machine. */
const FILES_AGAIN_MAX = 6;
/** Files of a shared process at most, and their expected time: enough to save loading, few enough to spread. */
const SHARED_FILES_MAX = 20;
const SHARED_MS_MAX = 8_000;
/** Interval at which idle processors are looked for, in milliseconds. */
const ADMISSION_MS = 200;

const sharedProcess = fileURLToPath(new URL('./shared-process.js', import.meta.url));

/** Options of a test run: what to run, and where to report it. */
export interface TestRunOptions {
  /** The folder of the compiled files. */
  readonly folder: string;
  /** The folder of the sources, where a file's requests are read. */
  readonly sourceFolder: string;
  readonly selection?: Partial<Selection>;
  /** True when a test that leaves itself out for want of a tool is a failure. */
  readonly everyToolMustExist?: boolean;
  readonly limitSeconds?: number;
  /** Further variables of all test processes. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly times?: TestTimes;
  readonly lanes?: Lanes;
  readonly write: (text: string) => void;
}

/** Runs of one process. */
type Task = readonly TestRun[];

/**
 * Runs the selected files and returns how each ended, in the order in which they ended. A few that failed beside others
 * are run once more, alone: one that passes then reports its first failure, and does not fail the run.
 */
export async function runTests(options: TestRunOptions): Promise<FileResult[]> {
  const session = new Session(options);
  const runs = selectRuns(findRuns(options.folder, options.sourceFolder), {
    ...ORDINARY,
    ...options.selection,
  });
  await session.runAll(runs);
  if (runs.length > 1) await session.repeatFailed();
  return session.results;
}

class Session {
  readonly results: FileResult[] = [];
  readonly #options: TestRunOptions;
  readonly #times: TestTimes;
  readonly #failed: { readonly run: TestRun; readonly at: number }[] = [];

  constructor(options: TestRunOptions) {
    this.#options = options;
    this.#times = options.times ?? new TestTimes();
  }

  /** Runs them side by side, the longest first. */
  async runAll(runs: readonly TestRun[]): Promise<void> {
    const lanes = this.#options.lanes ?? new Lanes();
    const waiting = tasksOf(runs, this.#times);
    const running = new Set<Promise<void>>();
    while (waiting.length > 0 || running.size > 0) {
      if (waiting.length > 0 && lanes.admits(running.size)) {
        const ended: Promise<void> = this.#runTask(waiting.shift()!, waiting).finally(() =>
          running.delete(ended),
        );
        running.add(ended);
      } else {
        await Promise.race([...running, ...(waiting.length > 0 ? [pause(ADMISSION_MS)] : [])]);
      }
    }
    this.#times.save();
  }

  async repeatFailed(): Promise<void> {
    if (this.#failed.length > FILES_AGAIN_MAX) return;
    for (const { run, at } of this.#failed) {
      const exclusive = await this.#runByItself(run);
      if (exclusive.faults.length > 0) {
        this.#options.write(`failed again when it ran alone:\n${describe(exclusive)}`);
        continue;
      }
      const first = this.results[at]!;
      this.results[at] = { ...exclusive, faultsBeside: first.faults };
      this.#options.write(
        `passed when it ran alone; beside other files it had failed:\n${describe(first)}`,
      );
    }
  }

  /** Runs a task; files of a shared process that did not end there are put back, each on its own. */
  async #runTask(task: Task, waiting: Task[]): Promise<void> {
    const [only, ...others] = task;
    if (only === undefined) return;
    if (others.length === 0) {
      this.#report(only, await this.#runByItself(only));
      return;
    }
    const results = await this.#runShared(task);
    for (const run of task) {
      const result = results.get(run.file);
      if (result === undefined) waiting.unshift([run]);
      else this.#report(run, result);
    }
  }

  #report(run: TestRun, result: FileResult): void {
    if (result.faults.length > 0) this.#failed.push({ run, at: this.results.length });
    else this.#times.note(result.file, result.durationMs);
    this.results.push(result);
    this.#options.write(describe(result));
  }

  async #runByItself(run: TestRun): Promise<FileResult> {
    const file = nameOf(run);
    const refusal = refusalOf(run);
    if (refusal !== undefined) return refused(file, refusal);
    const limitSeconds = this.#limitSeconds;
    const end = await this.#run(['--enable-source-maps', this.#path(run)], limitSeconds, {
      variables: run.variables,
      limitsInAll: LIMITS_MAX,
    });
    return judge({
      file,
      processFaults: processFaults(end, limitSeconds),
      couldFinish: !end.timedOut,
      output: end.output,
      durationMs: end.durationMs,
      everyToolMustExist: this.#options.everyToolMustExist === true,
    });
  }

  /** Results by file; none of a file that has to be run alone. */
  async #runShared(task: Task): Promise<Map<string, FileResult>> {
    const files = task.map(({ file }) => file);
    const limitSeconds = this.#limitSeconds;
    const args = [sharedProcess, this.#options.folder, ...files];
    const end = await this.#run(args, limitSeconds, { limitsInAll: LIMITS_MAX * files.length });
    const parts = partsOf(end.output);
    // A process that passed all files and still failed has a culprit that only running each alone finds.
    const isClean = end.exitCode === 0 || parts.some(({ exitCode }) => exitCode !== 0);
    const results = new Map<string, FileResult>();
    for (const { file, output, exitCode, durationMs } of isClean ? parts : []) {
      if (exitCode === undefined) continue;
      const processFaults = exitCode === 0 ? [] : [`ended with exit code ${exitCode}`];
      const everyToolMustExist = this.#options.everyToolMustExist === true;
      const material = { file, processFaults, couldFinish: true, output, durationMs };
      results.set(file, judge({ ...material, everyToolMustExist }));
    }
    return results;
  }

  #run(
    args: readonly string[],
    limitSeconds: number,
    more: { readonly variables?: string; readonly limitsInAll: number },
  ): Promise<ProcessEnd> {
    const { environment = {} } = this.#options;
    const limitMs = limitSeconds * 1_000;
    const { variables = '', limitsInAll } = more;
    return runProcess({ args, variables, environment, limitMs, wholeMs: limitMs * limitsInAll });
  }

  #path(run: TestRun): string {
    return path.join(this.#options.folder, run.file);
  }

  get #limitSeconds(): number {
    const given = Number(process.env['TEST_LIMIT_SECS'] ?? 0);
    return given > 0 ? given : (this.#options.limitSeconds ?? LIMIT_SECONDS_DEFAULT);
  }
}

/** Puts runs together into tasks, the longest first. */
function tasksOf(runs: readonly TestRun[], times: TestTimes): Task[] {
  const shared = new Map<string, TestRun[]>();
  const tasks: TestRun[][] = [];
  for (const run of runs) {
    const isShared = run.isUnit && run.variables === '' && !run.head.needsOwnProcess;
    const home = run.file.split('/').slice(0, 2).join('/');
    const open = shared.get(home);
    if (!isShared || refusalOf(run) !== undefined) tasks.push([run]);
    else if (open !== undefined && hasRoom(open, run, times)) open.push(run);
    else {
      const opened = [run];
      shared.set(home, opened);
      tasks.push(opened);
    }
  }
  const expected = new Map(tasks.map((task) => [task, expectedMs(task, times)]));
  return tasks.sort((one, other) => expected.get(other)! - expected.get(one)!);
}

function hasRoom(task: Task, run: TestRun, times: TestTimes): boolean {
  return task.length < SHARED_FILES_MAX && expectedMs([...task, run], times) <= SHARED_MS_MAX;
}

function expectedMs(task: Task, times: TestTimes): number {
  return task.reduce((sum, run) => sum + times.expectedMs(run), 0);
}

/** Reason why a file is not run: its head asks for what does not exist. */
function refusalOf({ head }: TestRun): string | undefined {
  return head.unreadLine === undefined
    ? undefined
    : `says "${head.unreadLine}", which has no effect`;
}

function processFaults(end: ProcessEnd, limitSeconds: number): string[] {
  if (end.timedOut) {
    const most = LIMITS_MAX * limitSeconds;
    return [`did not end within ${limitSeconds} s of its last word, or within ${most} s in all`];
  }
  if (end.signal !== null) return [`was ended by ${end.signal}`];
  return end.exitCode === 0 ? [] : [`ended with exit code ${end.exitCode ?? 'unknown'}`];
}
