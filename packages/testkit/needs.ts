import { existsSync } from 'node:fs';
import path from 'node:path';

/** Returns the path of a program, or nothing when this machine does not have it. */
export function programOrNone(name: string): string | undefined {
  if (path.isAbsolute(name)) return existsSync(name) ? name : undefined;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

/**
 * True when a program is installed. Otherwise it prints a line by which the test runner counts skipped tests; where
 * every tool must exist, that is a failure.
 */
export function needs(program: string): boolean {
  if (programOrNone(program) !== undefined) return true;
  process.stdout.write(`left out: needs ${program}\n`);
  return false;
}
