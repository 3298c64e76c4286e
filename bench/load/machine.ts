/** Machine that figures were measured on. */

import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

export function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Describes the machine that a report was measured on. */
export function machine(shards: number): Record<string, unknown> {
  const version = isInstalled('redis-server')
    ? execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).trim()
    : null;
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    redis: version,
    generator: 'svc-server bench',
    shards,
  };
}
