/**
 * The bystander as a process of its own: the filling client must not be what it waits for.
 *
 * Arguments: port. Asks until a line comes on standard input, then prints its longest waits as JSON.
 */

import net from 'node:net';
import { keyOf, resp } from './generator.ts';

const waits: number[] = [];
const socket = net.connect(Number(process.argv[2]), '127.0.0.1');
let sentAt = 0;

function send(): void {
  sentAt = performance.now();
  socket.write(resp('GET', keyOf(0)));
}

/** Between two questions; a bystander is no load. */
const PAUSE_MS = 1;

socket.setNoDelay(true);
socket.on('connect', send);
socket.once('data', () => process.stdout.write('\n'));
socket.on('data', () => {
  waits.push(performance.now() - sentAt);
  setTimeout(send, PAUSE_MS);
});

process.stdin.once('data', () => {
  waits.sort((a, b) => a - b);
  const result = {
    longestMs: waits.at(-1) ?? null,
    p999Ms: waits[Math.floor(waits.length * 0.999)] ?? null,
    p50Ms: waits[waits.length >> 1] ?? null,
    probes: waits.length,
  };
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
});
