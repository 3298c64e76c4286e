/** A test process: started in a group of its own, ended with all that it started. */

import { spawn } from 'node:child_process';
import { variablesOf } from './test-head.ts';

const OUTPUT_CHARS_MAX = 2_000_000;
/** A process may take this many times its limit of silence in all. */
export const LIMITS_MAX = 4;

/** End of a test process. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  readonly output: string;
  readonly durationMs: number;
}

/** Options of a test process. */
interface ProcessOptions {
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly variables?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Silence after which it is ended, in milliseconds. */
  readonly limitMs: number;
  /** Time after which it is ended in any case, in milliseconds. */
  readonly wholeMs: number;
}

const running = new Set<number>();

/** Ends every test process still running, with all that it started. */
export function killRunningTests(): void {
  for (const pid of running) killGroup(pid);
}

/** Runs Node with these arguments, and waits for its end. */
export function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const startedMs = performance.now();
  // A group of its own, so that servers which a test started can be ended with it.
  const child = spawn(process.execPath, options.args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NO_COLOR: '1',
      FORCE_COLOR: '0',
      ...options.environment,
      ...variablesOf(options.variables ?? ''),
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
  const silence = setTimeout(giveUp, options.limitMs);
  const whole = setTimeout(giveUp, options.wholeMs);
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

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has no member left.
  }
}
