/** Behaviour of a server while it fills: memory per key, and the longest wait of a bystander. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { fill } from './generator.ts';
import { residentBytes } from './thread-cpu.ts';

const probeFile = fileURLToPath(new URL('./probe-process.js', import.meta.url));
const SETTLING_KEYS = 1_000;
/** Word of the keys that are written before others. */
const WARM_UP_WORD = 'old';

/** Keys written before memory is first read: code is compiled and buffers are in use by then. */
const WARM_UP_KEYS = 200_000;

/**
 * Bytes of resident memory that each of `count` further keys takes (16-byte key, 64-byte value), once
 * the server has warmed up.
 */
export async function bytesPerKey(
  server: { port: number; pid: number },
  count: number,
): Promise<number> {
  await fill(server.port, WARM_UP_KEYS, WARM_UP_WORD);
  const before = residentBytes(server.pid);
  await fill(server.port, count);
  return (residentBytes(server.pid) - before) / count;
}

export interface StallResult {
  longestMs: number;
  p999Ms: number;
  p99Ms: number;
  p50Ms: number;
  probes: number;
}

/** Longest waits of a bystander in a server that has just started, and in the same server afterwards. */
interface FillStall extends StallResult {
  /** While the first `WARM_UP_KEYS` keys are written: V8 compiles the server's code meanwhile. */
  readonly firstLongestMs: number;
}

/**
 * Asks for one key every millisecond while `count` keys are written, from a process of its own, and returns how long an
 * answer took at the most.
 */
export async function longestStall(port: number, count: number): Promise<FillStall> {
  // The first commands wait for the shards' threads to start, which is no stall of a running server.
  await fill(port, SETTLING_KEYS);
  const first = await longestStallWhile(port, () => fill(port, WARM_UP_KEYS, WARM_UP_WORD));
  const rest = count - WARM_UP_KEYS;
  const later = await longestStallWhile(port, () => fill(port, rest));
  return { ...later, firstLongestMs: first.longestMs };
}

/** Asks so while `act` runs, from as many connections as are wanted. */
export async function longestStallWhile(
  port: number,
  act: () => Promise<unknown>,
  connections = 1,
): Promise<StallResult> {
  const probe = spawn(process.execPath, [probeFile, String(port), String(connections)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  probe.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const ended = once(probe, 'close');
  // It begins with its first answer: what comes before that it would not see.
  await once(probe.stdout, 'data');
  output = '';
  await act();
  probe.stdin.write('stop\n');
  await ended;
  return JSON.parse(output) as StallResult;
}
