/** Report left behind when a thread dies: enough to find out why, and no values of the user's. */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { latin1, makeFolders, withoutUserData } from '#base';
import type { Executing } from '#observer';

interface CrashReport {
  /** `main`, or `shard-0` and so on. */
  thread: string;
  /** The shard's number; null for main. */
  shard: number | null;
  reason: string;
  stack: string | null;
  executing: { command: string; key: string | null; client: string; elapsed_us: number } | null;
  uptime_secs: number;
  node: string;
  version: string;
}

/** Facts about the death of a thread. */
export interface Crash {
  thread: string;
  reason: unknown;
  executing: Executing | null;
  /** Address of the client whose command it was. */
  client: string | undefined;
  version: string;
  /** True when the report holds no key. */
  hidesUserData: boolean;
}

export function crashReport(crash: Crash): CrashReport {
  const { thread, reason, executing, client, version } = crash;
  const [, shard] = /^shard-(\d+)$/.exec(thread) ?? [];
  return {
    thread,
    shard: shard === undefined ? null : Number(shard),
    reason: reason instanceof Error ? reason.message : String(reason),
    stack: reason instanceof Error ? (reason.stack ?? null) : null,
    executing:
      executing === null
        ? null
        : {
            command: executing.command,
            key: keyIn(executing, crash.hidesUserData),
            client: client ?? '?',
            elapsed_us: Math.round(executing.elapsedUs),
          },
    uptime_secs: Math.round(process.uptime()),
    node: process.version,
    version,
  };
}

function keyIn({ key }: Executing, isHidden: boolean): string | null {
  const name = key === null ? null : latin1(key);
  return isHidden ? withoutUserData(name) : name;
}

/** Writes the report into `folder`, for its owner only; answers its path. */
export function writeCrashReport(folder: string, report: CrashReport, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const file = path.resolve(folder, `crash-${stamp}-${String(process.pid)}.json`);
  makeFolders(folder);
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return file;
}
