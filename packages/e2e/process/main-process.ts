import { spawn } from 'node:child_process';
import { mainFile } from '#testkit';

/** Result of a run of the executable: how it ended, and its output. */
export interface MainEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the server's executable, without HTTP and data unless asked for; it is expected to end by itself. */
export function runMain(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  folder = '/tmp',
): Promise<MainEnd> {
  const bare = ['--set', 'http.enabled=false', '--set', 'persistence.enabled=no'];
  const child = spawn(process.execPath, [mainFile, ...bare, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}
