/**
 * A load of our own: connections that each keep a fixed number of commands in flight. Used where
 * redis-benchmark is not installed, and where every key must be written exactly once.
 */

import net from 'node:net';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

interface LoadOptions {
  port: number;
  connections: number;
  /** Commands sent at once by each connection. */
  pipeline: number;
  commands: number;
  /** The bytes of the n-th command. */
  command(nth: number): string;
  /** Number of CR LF pairs in one reply: 1 for a status, 2 for a bulk string that exists. */
  linesPerReply: number;
}

interface LoadResult {
  seconds: number;
  /** Time from sending a batch to its last reply, in nanoseconds. */
  latency: RecordableHistogram;
}

export async function load(options: LoadOptions): Promise<LoadResult> {
  const latency = createHistogram();
  const start = performance.now();
  let sent = 0;
  const takeBatch = (): string => {
    const count = Math.min(options.pipeline, options.commands - sent);
    let batch = '';
    for (let nth = 0; nth < count; nth += 1) batch += options.command(sent + nth);
    sent += count;
    return batch;
  };
  const connect = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let linesLeft = 0;
      let sentAt = 0;
      const socket = net.connect(options.port, '127.0.0.1');
      const send = (): void => {
        const before = sent;
        const batch = takeBatch();
        if (batch === '') {
          socket.end();
          resolve();
          return;
        }
        linesLeft = (sent - before) * options.linesPerReply;
        sentAt = performance.now();
        socket.write(batch, 'latin1');
      };
      socket.setNoDelay(true);
      socket.on('error', reject);
      socket.on('connect', send);
      socket.on('data', (chunk: Buffer) => {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) linesLeft -= 1;
        if (linesLeft > 0) return;
        latency.record(Math.max(1, Math.round((performance.now() - sentAt) * 1e6)));
        send();
      });
    });
  await Promise.all(Array.from({ length: options.connections }, connect));
  return { seconds: (performance.now() - start) / 1_000, latency };
}

/** A command in RESP. */
export function resp(...words: readonly string[]): string {
  const parts = words.map((word) => `$${String(word.length)}\r\n${word}\r\n`);
  return `*${String(words.length)}\r\n${parts.join('')}`;
}

const KEY_DIGITS = 12;

/** A key of 16 bytes. */
export function keyOf(nth: number): string {
  return `key:${String(nth).padStart(KEY_DIGITS, '0')}`;
}
