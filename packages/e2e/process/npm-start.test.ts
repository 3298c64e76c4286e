/** `npm start` under signals: they reach the server, its exit code comes back, and nothing is left running. */

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { answersPing, freePort, needs, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const starts = suite('npm start under signals');

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface NpmStart {
  readonly npm: ChildProcess;
  readonly ended: Promise<readonly [code: number | null, signal: string | null]>;
  readonly output: () => string;
  readonly port: number;
}

const folders: string[] = [];
starts.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Starts the server as a user does, and waits until it answers. */
async function start(withShell: boolean): Promise<NpmStart> {
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-npm-'));
  folders.push(folder);
  const options = ['--port', String(port), '--data-dir', folder, '--set', 'http.enabled=false'];
  const words = ['npm', 'start', '--', ...options];
  const [program, args] = withShell
    ? ['bash', ['-c', `${words.join(' ')}; exit $?`]]
    : ['npm', words.slice(1)];
  // A group of its own, as a terminal gives to what is typed.
  const npm = spawn(program, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = new Promise<readonly [number | null, string | null]>((resolve) => {
    npm.on('exit', (code, signal) => {
      resolve([code, signal]);
    });
  });
  await until(() => answersPing(port), 'the server answers');
  return { npm, ended, output: () => output, port };
}

/** Waits until the server's port is free again and its log has the line of a planned end. */
async function serverHasEnded({ port, output }: NpmStart): Promise<void> {
  await until(async () => !(await answersPing(port)), 'the server has ended');
  await until(() => /stopped|bye/i.test(output()), `the log has its last line: ${output()}`);
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  starts(`${signal} to npm shuts the server down, and its exit code comes back`, async () => {
    const started = await start(false);
    started.npm.kill(signal);
    assert.equal(await started.ended, [0, null], started.output());
    await serverHasEnded(started);
  });
}

starts('SIGHUP ends npm, and the server with it', async () => {
  const started = await start(false);
  started.npm.kill('SIGHUP');
  await started.ended;
  await serverHasEnded(started);
});

starts('Ctrl-C in a shell, which all of them get, is a shutdown in good order', async () => {
  const started = await start(true);
  process.kill(-started.npm.pid!, 'SIGINT');
  await started.ended;
  await serverHasEnded(started);
  assert.not.match(started.output(), /killed/i);
});

if (needs('npm')) starts.run();
