/**
 * The one block of memory that main and all shards share: the sockets' read buffer, every ring, and
 * the blocks in which replies wait for their socket.
 *
 * It is a WebAssembly memory for one reason: `memory.copy` moves any number of bytes at any
 * alignment in 10 ns, where `set(subarray)` on shared memory needs 50 ns for 64 bytes and, unaligned,
 * a nanosecond for each byte more. What is done by WebAssembly is in memory.wat.
 */

import { assert, type Bytes, type Futex, type MovableMemory, registerShared } from '#base';
import { memoryModule } from './memory-module.ts';

const PAGE_BYTES = 65_536;
/** Most pages that the module declares; the real size is the instance's. */
const PAGES_MAX = 65_536;

/** Memory that threads share. */
export type SharedMemory = SharedArrayBuffer;

/** Fresh zeroed shared memory, beside the rings: for statistics pages. */
export function allocateShared(byteCount: number): SharedMemory {
  return new SharedArrayBuffer(byteCount);
}

/**
 * Writes up to `count` entries of the listpack that lies at `source`, up to `end`, as bulk strings at `target`, up to
 * `limit`. Returns how many are left; leaves in the words at `state` where the next one begins and where it goes.
 */
type Bulks = (
  state: number,
  source: number,
  end: number,
  target: number,
  limit: number,
  count: number,
) => number;

/**
 * Writes `count` strings at `target`, each after its length, seven bits a byte. Their offsets from `body` and their
 * lengths are the words at `spans`. Returns where they end; up to 15 bytes after that lose what they held.
 */
type Pack = (spans: number, count: number, body: number, target: number) => number;

/** Sleeping on a word of the link memory, and waking who sleeps there. All threads of a process do it alike. */
interface WordWaits {
  /** Sleeps while the word at an index has a value, for that many milliseconds at most; it may return early. */
  wait(index: number, value: number, timeoutMs: number): void;
  wake(index: number): void;
}

export class LinkMemory implements MovableMemory {
  readonly memory: WebAssembly.Memory;
  readonly bytes: Bytes;
  readonly words: Int32Array;
  readonly copy: MovableMemory['copy'];
  readonly bulks: Bulks;
  readonly pack: Pack;
  /** Waits of this thread on words of the memory: V8's own until `useFutex`. */
  waits: WordWaits = {
    wait: (index, value, timeoutMs) => {
      Atomics.wait(this.words, index, value, timeoutMs);
    },
    wake: (index) => {
      Atomics.notify(this.words, index);
    },
  };

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.bytes = new Uint8Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(memoryModule), {
      env: { memory },
    });
    this.copy = exports['copy'] as MovableMemory['copy'];
    this.bulks = exports['bulks'] as Bulks;
    this.pack = exports['pack'] as Pack;
    registerShared(this);
  }

  /**
   * Has this thread sleep and wake by the kernel's futex: a wait and a wake-up cost 4.4 us of processor time together, by V8, which
   * has a list of sleepers and a lock and a condition beside it, 6.6 to 8.7.
   */
  useFutex(futex: Futex): void {
    const at = futex.addressOf(this.bytes);
    this.waits = {
      wait: (index, value, timeoutMs) => {
        futex.wait(at + 4 * index, value, timeoutMs);
      },
      wake: (index) => {
        futex.wake(at + 4 * index);
      },
    };
  }

  /** Fresh zeroed memory of at least `byteCount` bytes; pages cost nothing until touched. */
  static allocate(byteCount: number): LinkMemory {
    const pages = Math.ceil(byteCount / PAGE_BYTES);
    assert(pages <= PAGES_MAX, 'the link memory fits WebAssembly');
    return new LinkMemory(new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }));
  }
}
