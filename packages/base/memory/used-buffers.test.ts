/** Buffers in use make V8 collect nothing; dropped ones it collects. */
// test-process: own

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadUsedBuffers, type NoteUsedBuffers } from './used-buffers.ts';

const buffers = suite('used buffers');

const MIB = 1_024 * 1_024;
/** Several times the growth at which V8 begins a collection. */
const BUFFERS = 600;
const ROUNDS = 300;

/** Makes buffers one after the other and keeps them, and returns how many collections of the whole heap came of it. */
async function collectionsWhile(
  note: (bytes: number) => void,
  kept: ArrayBuffer[],
): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver((list) => {
    const collections = list.getEntries() as unknown as { detail: { kind: number } }[];
    for (const { detail } of collections) {
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let nth = 1; nth <= BUFFERS; nth += 1) {
    kept.push(new ArrayBuffer(MIB));
    note(nth * MIB);
    // Steps of a collection are tasks of the event loop.
    await new Promise(setImmediate);
  }
  observer.disconnect();
  return count;
}

buffers('are not marked for their own sake, and are reported as before', async () => {
  const before = getHeapStatistics().external_memory;
  const unnoted: ArrayBuffer[] = [];
  const without = await collectionsWhile(() => undefined, unnoted);
  assert.ok(without >= 2, `V8 collects by itself: ${without}`);
  unnoted.length = 0;

  const note: NoteUsedBuffers = await loadUsedBuffers();
  const kept: ArrayBuffer[] = [];
  const noted = await collectionsWhile(note, kept);
  assert.ok(noted < without, `${noted} collections, ${without} without`);
  assert.ok(getHeapStatistics().external_memory - before >= kept.length * MIB);

  kept.length = 0;
  note(0);
  const dropped = await collectionsWhile(() => undefined, []);
  assert.ok(dropped >= 1, 'dropped buffers are collected again');
});

buffers('that come and go in any order neither end the process nor stay', async () => {
  const note = await loadUsedBuffers();
  const before = process.memoryUsage().arrayBuffers;
  let kept: ArrayBuffer[] = [];
  // Each drop came to V8 as growth once, and one in a few began a collection on a foreign stack.
  for (let round = 0; round < ROUNDS; round += 1) {
    const count = 1 + ((round * 37) % 150);
    for (let nth = kept.length; nth < count; nth += 1) kept.push(new ArrayBuffer(MIB));
    note(kept.length * MIB);
    await new Promise(setImmediate);
    kept = kept.slice(0, round % 3 === 0 ? 0 : count >> 1);
    note(kept.length * MIB);
    await new Promise(setImmediate);
  }
  kept = [];
  note(0);
  const limit = before + 4 * 64 * MIB;
  for (let nth = 0; nth < BUFFERS && process.memoryUsage().arrayBuffers > limit; nth += 1) {
    kept = [new ArrayBuffer(MIB)];
    await new Promise(setImmediate);
  }
  assert.ok(process.memoryUsage().arrayBuffers <= limit, 'V8 has freed what was dropped');
});

buffers.run();
