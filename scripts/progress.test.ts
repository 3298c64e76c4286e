/** Tests of progress output: a user who waits for a build sees its current step. */
import { spawn, type ChildProcess } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

type WithProgress = (
  child: ChildProcess,
  doing: string,
  options: { reportMs: number; write: (line: string) => void },
) => Promise<boolean>;

const source = new URL('../../scripts/progress.mjs', import.meta.url);
const { withProgress } = (await import(source.href)) as { withProgress: WithProgress };

const progress = suite('progress');

progress('is told at once and again until the end, which is awaited', async () => {
  const lines: string[] = [];
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()']);
  const isGood = await withProgress(child, 'compiling', {
    reportMs: 1,
    write: (line) => {
      lines.push(line);
      if (lines.length === 3) child.stdin.end();
    },
  });
  assert.ok(isGood);
  assert.is(lines[0], 'compiling');
  for (const line of lines.slice(1)) assert.match(line, /^compiling, for \d+ s$/);
});

progress('a program that fails, or is not there, is no success', async () => {
  const lines: string[] = [];
  const options = { reportMs: 60_000, write: (line: string) => void lines.push(line) };
  const failing = spawn(process.execPath, ['-e', 'process.exit(3)']);
  assert.is(await withProgress(failing, 'failing', options), false);
  assert.is(await withProgress(spawn('/no/such/program'), 'missing', options), false);
  assert.match(lines.at(-1) ?? '', 'ENOENT');
});

progress.run();
