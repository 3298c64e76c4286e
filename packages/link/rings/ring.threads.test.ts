/**
 * Two threads and a ring between them. All sleeps are unlimited, so that a lost wake-up shows as a test that never
 * ends. The races are arranged: the sleeping thread stops at the critical place and continues only after the critical
 * action of the other thread.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkMemory } from '../memory.ts';
import { RING_HEADER_BYTES, RingReader, RingWriter, wakeSleeper, type RingPlace } from './ring.ts';

/** Place at which a thread stops, once, until the test opens the gate. */
type Stop = 'nowhere' | 'after the mark' | 'before the wait';

interface Task {
  readonly role: 'reader' | 'writer' | 'called';
  readonly memory: WebAssembly.Memory;
  readonly stop: Stop;
  readonly frames: number;
}

/** Opened by the test; in a word that no ring uses. */
const GATE = 0;
/** Set by the test when something beside frames is due. */
const DUE = 1;
const PLACE: RingPlace = { header: 64, data: 64 + RING_HEADER_BYTES, bytes: 1_024 };
const MANY_FRAMES = 100_000;

/** A frame's size and contents follow from its number. */
const bytesOf = (nth: number): number => 8 + 8 * ((nth * 7) % 40);

// What the other thread does.

function runTask({ role, memory, stop, frames }: Task): void {
  const link = new LinkMemory(memory);
  if (role === 'reader') readAll(new RingReader(link, PLACE), stop, frames);
  else if (role === 'called') awaitCall(new RingReader(link, PLACE), stop);
  else writeAll(new RingWriter(link, PLACE), stop, frames);
  parentPort?.postMessage('done');
}

function stopOnce(words: Int32Array): () => void {
  const { wait } = Atomics;
  let stopped = false;
  return () => {
    if (stopped) return;
    stopped = true;
    parentPort?.postMessage('here');
    wait(words, GATE, 0);
  };
}

function stopBeforeWait(words: Int32Array): void {
  const { wait } = Atomics;
  const stopHere = stopOnce(words);
  Atomics.wait = ((array: Int32Array, index: number, value: number, timeoutMs?: number) => {
    stopHere();
    return wait(array, index, value, timeoutMs);
  }) as typeof Atomics.wait;
}

function stopReader(reader: RingReader, stop: Stop): void {
  const { words } = reader.memory;
  const stopHere = stopOnce(words);
  const mark = reader.setAsleep.bind(reader);
  reader.setAsleep = (asleep) => {
    mark(asleep);
    if (asleep && stop === 'after the mark') stopHere();
  };
  if (stop === 'before the wait') stopBeforeWait(words);
}

/** Sleeps on a ring that nothing is put into, until something else is due. */
function awaitCall(reader: RingReader, stop: Stop): void {
  const { words } = reader.memory;
  stopReader(reader, stop);
  const isDue = (): boolean => Atomics.load(words, DUE) !== 0;
  while (!isDue()) reader.sleep(Infinity, isDue);
  assert.ok(reader.spin(1, isDue));
}

function readAll(reader: RingReader, stop: Stop, frames: number): void {
  const { words } = reader.memory;
  stopReader(reader, stop);
  for (let nth = 0; nth < frames;) {
    const at = reader.next();
    if (at < 0) {
      if (reader.release()) reader.wakeWriter();
      reader.sleep(Infinity);
      continue;
    }
    assert.is(words[at >> 2], bytesOf(nth));
    assert.is(words[(at >> 2) + 1], nth);
    reader.advance(bytesOf(nth));
    nth += 1;
  }
  if (reader.release()) reader.wakeWriter();
}

function writeAll(writer: RingWriter, stop: Stop, frames: number): void {
  const { words } = writer.memory;
  const stopHere = stopOnce(words);
  const mark = writer.requestRoom.bind(writer);
  writer.requestRoom = () => {
    mark();
    if (stop === 'after the mark') stopHere();
  };
  if (stop === 'before the wait') stopBeforeWait(words);
  for (let nth = 0; nth < frames;) {
    if (put(writer, nth)) nth += 1;
    else writer.waitForRoom(Infinity);
    if (nth % 5 === 0 || nth === frames) publish(writer);
  }
}

function put(writer: RingWriter, nth: number): boolean {
  const { words } = writer.memory;
  const at = writer.reserve(bytesOf(nth));
  if (at < 0) {
    publish(writer);
    return false;
  }
  words[at >> 2] = bytesOf(nth);
  words[(at >> 2) + 1] = nth;
  writer.commit(bytesOf(nth));
  return true;
}

function publish(writer: RingWriter): void {
  if (writer.publish()) writer.wakeReader();
}

// The tests.

const rings = suite('ring between threads');

class Thread {
  readonly ended: Promise<number>;
  readonly #worker: Worker;
  readonly #said: string[] = [];
  #wake: () => void = () => undefined;
  #fail: (error: Error) => void = () => undefined;

  constructor(task: Task) {
    this.#worker = new Worker(new URL(import.meta.url), { workerData: task });
    this.#worker.on('message', (word: string) => {
      this.#said.push(word);
      this.#wake();
    });
    this.#worker.on('error', (error) => {
      this.#fail(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', resolve);
    });
  }

  async hears(word: string): Promise<void> {
    while (this.#said.shift() !== word) {
      if (this.#said.length > 0) continue;
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        this.#fail = reject;
      });
    }
  }
}

function fixture() {
  const memory = LinkMemory.allocate(PLACE.data + PLACE.bytes);
  const start = (role: Task['role'], stop: Stop, frames: number): Thread =>
    new Thread({ role, memory: memory.memory, stop, frames });
  const openGate = (): void => {
    Atomics.store(memory.words, GATE, 1);
    Atomics.notify(memory.words, GATE);
  };
  return { memory, start, openGate };
}

for (const stop of ['after the mark', 'before the wait'] as const) {
  rings(`a reader wakes for what is published ${stop}`, async () => {
    const { memory, start, openGate } = fixture();
    const thread = start('reader', stop, 2);
    await thread.hears('here');
    const writer = new RingWriter(memory, PLACE);
    put(writer, 0);
    assert.ok(writer.publish(), 'the mark is seen');
    writer.wakeReader();
    openGate();
    put(writer, 1);
    publish(writer);
    await thread.hears('done');
    assert.is(await thread.ended, 0);
  });

  rings(`a reader wakes for something else that is due ${stop}`, async () => {
    const { memory, start, openGate } = fixture();
    const thread = start('called', stop, 0);
    await thread.hears('here');
    Atomics.store(memory.words, DUE, 1);
    wakeSleeper(memory, PLACE);
    openGate();
    await thread.hears('done');
    assert.is(await thread.ended, 0);
  });

  rings(`a writer wakes for room that is made ${stop}`, async () => {
    const { memory, start, openGate } = fixture();
    const frames = 12;
    const thread = start('writer', stop, frames);
    await thread.hears('here');
    const reader = new RingReader(memory, PLACE);
    let taken = 0;
    const takeAll = (): void => {
      for (let at = reader.next(); at >= 0; at = reader.next()) {
        assert.is(memory.words[(at >> 2) + 1], taken);
        reader.advance(bytesOf(taken));
        taken += 1;
      }
    };
    takeAll();
    assert.ok(taken > 0 && taken < frames, 'the ring was full');
    assert.ok(reader.release(), 'the wish is seen');
    reader.wakeWriter();
    openGate();
    await thread.hears('done');
    takeAll();
    assert.is(taken, frames);
    assert.is(await thread.ended, 0);
  });
}

rings('a reader does not sleep on what was published before', async () => {
  const { memory, start } = fixture();
  const writer = new RingWriter(memory, PLACE);
  put(writer, 0);
  publish(writer);
  const thread = start('reader', 'nowhere', 1);
  await thread.hears('done');
  assert.is(await thread.ended, 0);
});

rings('two threads that sleep whenever they can pass everything on', async () => {
  const { start } = fixture();
  const reader = start('reader', 'nowhere', MANY_FRAMES);
  const writer = start('writer', 'nowhere', MANY_FRAMES);
  await Promise.all([reader.hears('done'), writer.hears('done')]);
  assert.equal(await Promise.all([reader.ended, writer.ended]), [0, 0]);
});

if (isMainThread) rings.run();
else runTask(workerData as Task);
