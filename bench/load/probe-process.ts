/**
 * Bystanders as a process of their own: a filling client must not be what they wait for.
 *
 * Arguments: port, and how many connections (1). Says by an empty line when all have their first answer, asks until a
 * line comes on standard input, then prints how long it waited as JSON.
 */

import net from 'node:net';
import { keyOf, resp } from './generator.ts';

/** Between two questions; a bystander is no load. */
const PAUSE_MS = 1;

const [port, connections = '1'] = process.argv.slice(2);
const waits: number[] = [];
let connecting = Number(connections);

function bystander(nth: number): void {
  const socket = net.connect(Number(port), '127.0.0.1');
  let sentAt = 0;
  const send = (): void => {
    sentAt = performance.now();
    socket.write(resp('GET', keyOf(nth)));
  };
  socket.setNoDelay(true);
  socket.on('connect', send);
  socket.once('data', () => {
    connecting -= 1;
    if (connecting === 0) process.stdout.write('\n');
  });
  socket.on('data', () => {
    waits.push(performance.now() - sentAt);
    setTimeout(send, PAUSE_MS);
  });
}

for (let nth = 0; nth < Number(connections); nth += 1) bystander(nth);

process.stdin.once('data', () => {
  waits.sort((a, b) => a - b);
  const at = (share: number): number | null => waits[Math.floor(waits.length * share)] ?? null;
  const result = {
    longestMs: waits.at(-1) ?? null,
    p999Ms: at(0.999),
    p99Ms: at(0.99),
    p50Ms: at(0.5),
    probes: waits.length,
  };
  process.stdout.write(JSON.stringify(result), () => process.exit(0));
});
