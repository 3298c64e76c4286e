/** `svc-server bench` as a process. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mainFile } from '#testkit';

/** Fields of a latency that tests look at. */
interface Latency {
  readonly p50: number;
  readonly max: number;
}

/** Fields of the document of `--json` that tests look at. */
export interface BenchReport {
  readonly runs: readonly {
    readonly commands: number;
    readonly commands_per_sec: number;
    readonly seconds: number;
    readonly warmup_commands: number;
    readonly errors: { readonly total: number; readonly by_code: Readonly<Record<string, number>> };
    readonly by_command: Readonly<
      Record<
        string,
        { readonly commands: number; readonly errors: number; readonly latency_us: Latency }
      >
    >;
    readonly bytes_in: number;
    readonly bytes_out: number;
    readonly redirects: { readonly moved: number; readonly ask: number };
    readonly connections_lost: number;
    readonly interrupted: boolean;
    readonly latency_us: Latency;
    readonly series: readonly { readonly second: number; readonly commands: number }[];
    readonly nodes: readonly {
      readonly server: string;
      readonly commands: number;
      readonly cpu_us: number;
      readonly by_command: Readonly<Record<string, { readonly calls: number }>>;
      readonly shards: readonly {
        readonly commands: number;
        readonly bands: Readonly<Record<string, number>>;
      }[];
      readonly missing: readonly string[];
    }[];
    readonly cpu_us_per_command: number;
    readonly phases: readonly {
      readonly phase: string;
      readonly of: string;
      readonly count: number;
      readonly mean_us: number;
    }[];
    readonly warnings: readonly string[];
  }[];
  readonly comparison: { readonly ratios: Readonly<Record<string, number>> } | null;
  readonly failure: string | null;
}

/** End of a process. */
interface BenchEnd {
  readonly code: number | null;
  readonly output: string;
  readonly error: string;
}

/** Starts it in a folder. */
export function startBench(folder: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [mainFile, 'bench', ...args], {
    cwd: folder,
    env: { ...process.env, REDISCLI_AUTH: undefined },
  });
}

/** Waits until it has ended. */
export async function endOf(child: ChildProcess): Promise<BenchEnd> {
  let output = '';
  let error = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (error += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, error };
}

export function runBench(folder: string, ...args: readonly string[]): Promise<BenchEnd> {
  return endOf(startBench(folder, args));
}

/** Reads the document that `--json out.json` has written into the folder. */
export function reportIn(folder: string): BenchReport {
  return JSON.parse(readFileSync(path.join(folder, 'out.json'), 'utf8')) as BenchReport;
}
