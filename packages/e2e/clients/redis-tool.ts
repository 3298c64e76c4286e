/** Programs that come with Redis, run against a server under test. */

import { spawn } from 'node:child_process';
import type { ChildServer } from '#testkit';

/** A mode that has not shown what is awaited by then is ended, and fails. */
const WATCH_MS_MAX = 60_000;

type CommandLine = readonly [program: string, ...args: readonly string[]];

/** Runs a tool to its end; answers what it printed, and throws when it failed. */
export function runTool(
  server: ChildServer,
  [program, ...args]: CommandLine,
  input = '',
): Promise<string> {
  const child = spawn(program, ['-p', String(server.port), ...args]);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  // A tool that needs no input may have ended before it gets any.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${program} ended with ${String(code)}: ${output}`));
    });
  });
}

/** Runs a tool until it has printed what is awaited, and ends it; throws when it does not come. */
export function watchTool(
  server: ChildServer,
  [program, ...args]: CommandLine,
  awaited: RegExp,
): Promise<string> {
  // What goes to a pipe would be shown only when there is much of it, and be lost with the process.
  const child = spawn('stdbuf', ['-o0', program, '-p', String(server.port), ...args]);
  let output = '';
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill(), WATCH_MS_MAX);
    const take = (text: string): void => {
      output += text;
      if (awaited.test(output)) child.kill();
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      if (awaited.test(output)) resolve(output);
      else reject(new Error(`${program} ${args.join(' ')} printed ${output}`));
    });
  });
}
