/** A thread that records without a pause, and one that reads meanwhile: no record is ever half of two. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EventRing, EVENTS_MAX, type RecordedEvent } from './event-ring.ts';

const EVENTS = 40 * EVENTS_MAX;

const rings = suite('ring of events between threads');

interface Task {
  readonly memory: SharedArrayBuffer;
}

/** All of an event follows from its number. */
function numbersOf(nth: number): readonly number[] {
  return [nth, -nth, nth * 1_000_003, nth / 7];
}

function write({ memory }: Task): void {
  const ring = new EventRing(memory);
  for (let nth = 0; nth < EVENTS; nth += 1) ring.record(nth & 7, nth * 0.5, numbersOf(nth));
}

function judge({ kind, timeUs, numbers }: RecordedEvent): void {
  const nth = numbers[0]!;
  assert.equal([kind, timeUs, ...numbers], [nth & 7, nth * 0.5, ...numbersOf(nth)]);
}

rings('whoever reads while it is written gets whole events in their order', async () => {
  const memory = EventRing.allocate();
  const ring = new EventRing(memory);
  const worker = new Worker(new URL(import.meta.url), { workerData: { memory } satisfies Task });
  const ended = new Promise<number>((resolve, reject) => {
    worker.on('exit', resolve);
    worker.on('error', reject);
  });
  let rounds = 0;
  while (ring.recorded < EVENTS) {
    const events = ring.read();
    for (const event of events) judge(event);
    const order = events.map(({ numbers }) => numbers[0]!);
    assert.ok(order.every((nth, index) => index === 0 || nth > order[index - 1]!));
    rounds += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.is(await ended, 0);
  assert.ok(rounds > 1, 'it was read meanwhile');
  assert.is(ring.read().length, EVENTS_MAX);
});

if (isMainThread) rings.run();
else write(workerData as Task);
