/**
 * Process that runs several unit files, one after the other: their imports are loaded once. It prints a line before and
 * after each file, by which the runner separates their output, and ends by itself: a file that leaves a timer or a
 * thread behind keeps it running, and is found when each is run alone.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { endLine, startLine } from './shared-output.ts';

declare global {
  // Names that uvu reads.
  var UVU_DEFER: number | undefined;
  var UVU_QUEUE: unknown[][] | undefined;
}

const [folder = '', ...files] = process.argv.slice(2);

// Read when uvu is loaded: suites then wait for `exec`, which is called here.
globalThis.UVU_DEFER = 1;
const { exec } = (await import('uvu')) as unknown as { exec: () => Promise<void> };

const started: { readonly file: string; readonly queue: unknown[]; suites: number }[] = [];
let exitCode = 0;
for (const file of files) exitCode = Math.max(exitCode, await run(file));
process.exitCode = exitCode;
// Suites that were added after their file had run are lost, unless somebody looks.
process.on('exit', () => {
  const late = started.find(({ queue, suites }) => queue.length > suites);
  if (late === undefined) return;
  console.error(`${late.file} added a suite after its tests had run: call run() without await`);
  process.exitCode = 1;
});

/** Runs a file; returns the code that its own process would have ended with. */
async function run(file: string): Promise<number> {
  const queue: unknown[] = [null];
  const entry = { file, queue, suites: 0 };
  globalThis.UVU_QUEUE = [queue];
  process.exitCode = 0;
  process.stdout.write(startLine(file));
  const startedMs = performance.now();
  try {
    await import(pathToFileURL(path.join(folder, file)).href);
    await exec();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  // The name of the group was taken off the queue.
  entry.suites = queue.length;
  started.push(entry);
  const code = process.exitCode;
  process.stdout.write(endLine(file, code, performance.now() - startedMs));
  return code;
}
