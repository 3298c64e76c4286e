/**
 * One doorbell for many threads: everything that they publish is seen, although main sleeps whenever it can. A lost
 * ring shows as a test that never ends.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Doorbell, DOORBELL_BYTES } from './doorbell.ts';
import { LinkMemory } from './memory.ts';

interface Task {
  readonly memory: WebAssembly.Memory;
  readonly thread: number;
  readonly rounds: number;
}

const THREADS = 3;
const ROUNDS = 2_000;
/** Sleeps before others have their turn. */
const STAYS = 50;
/** Only a ring that was lost is waited for this long. */
const LOST_MS = 5_000;
/** Words of a thread: the number of rounds it has started, and of those that main has seen. */
const begunWord = (thread: number): number => (DOORBELL_BYTES >> 2) + 2 * thread;
const seenWord = (thread: number): number => begunWord(thread) + 1;

/** Returns an observer of rounds that threads have started. */
function observer(words: Int32Array): { look: () => boolean; readonly seen: number } {
  let seen = 0;
  return {
    look() {
      let any = false;
      for (let thread = 0; thread < THREADS; thread += 1) {
        const begun = Atomics.load(words, begunWord(thread));
        if (begun === words[seenWord(thread)]) continue;
        any = true;
        seen += 1;
        Atomics.store(words, seenWord(thread), begun);
        Atomics.notify(words, seenWord(thread));
      }
      return any;
    },
    get seen() {
      return seen;
    },
  };
}

/** Threads that ring; ends when all of them have ended. */
async function ringing(memory: WebAssembly.Memory, rounds: number): Promise<void> {
  const ends = Array.from({ length: THREADS }, (_, thread) => {
    const task: Task = { memory, thread, rounds };
    const worker = new Worker(new URL(import.meta.url), { workerData: task });
    return new Promise<number>((resolve, reject) => {
      worker.on('error', reject);
      worker.on('exit', resolve);
    });
  });
  assert.equal(await Promise.all(ends), new Array<number>(THREADS).fill(0));
}

/** Each round: say something, ring, and wait without end until main has seen it. */
function runTask({ memory, thread, rounds }: Task): void {
  const link = new LinkMemory(memory);
  const bell = new Doorbell(link, 0);
  for (let round = 1; round <= rounds; round += 1) {
    Atomics.store(link.words, begunWord(thread), round);
    bell.ring();
    // The notification of the round before may come this late, and must not pass for this one's.
    while (Atomics.load(link.words, seenWord(thread)) < round) {
      Atomics.wait(link.words, seenWord(thread), round - 1);
    }
  }
  parentPort?.postMessage('done');
}

const bells = suite('doorbell');

bells('no ring is lost, from however many threads', async () => {
  const memory = LinkMemory.allocate(DOORBELL_BYTES + 8 * THREADS);
  const bell = new Doorbell(memory, 0);
  const observed = observer(memory.words);
  const turn = (): void => {
    do {
      bell.setAwake();
      while (observed.look());
      bell.setAsleep();
    } while (observed.look());
  };
  bell.listen(turn);
  turn();
  await ringing(memory.memory, ROUNDS);
  assert.is(observed.seen, THREADS * ROUNDS);
  bell.stop();
});

bells('wakes a thread that sleeps on it, and one that has gone back to its events', async () => {
  const memory = LinkMemory.allocate(DOORBELL_BYTES + 8 * THREADS);
  const bell = new Doorbell(memory, 0);
  const observed = observer(memory.words);
  let timeouts = 0;
  const stay = (): void => {
    for (let nth = 0; nth < STAYS && observed.seen < THREADS * ROUNDS; nth += 1) {
      bell.setAsleep();
      if (!observed.look() && !bell.sleep(LOST_MS)) timeouts += 1;
    }
    bell.setAsleep();
    if (observed.look()) setImmediate(stay);
  };
  bell.listen(stay);
  bell.setAsleep();
  await ringing(memory.memory, ROUNDS);
  assert.is(observed.seen, THREADS * ROUNDS);
  assert.is(timeouts, 0);
  bell.stop();
});

bells('does not ring for main while it is awake', async () => {
  const memory = LinkMemory.allocate(DOORBELL_BYTES);
  const bell = new Doorbell(memory, 0);
  let rings = 0;
  const rung = new Promise<void>((resolve) => {
    bell.listen(() => {
      rings += 1;
      resolve();
    });
  });
  bell.setAwake();
  bell.ring();
  bell.setAsleep();
  bell.ring();
  bell.ring();
  await rung;
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(rings, 1);
  bell.stop();
});

bells('is silent after it was stopped', async () => {
  const memory = LinkMemory.allocate(DOORBELL_BYTES);
  const bell = new Doorbell(memory, 0);
  let rings = 0;
  bell.listen(() => {
    rings += 1;
  });
  bell.setAsleep();
  bell.stop();
  bell.ring();
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(rings, 0);
});

if (isMainThread) bells.run();
else runTask(workerData as Task);
