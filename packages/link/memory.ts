/**
 * The one block of memory that main and all shards share: the sockets' read buffer, every ring, and
 * the blocks in which replies wait for their socket.
 *
 * It is a WebAssembly memory for one reason: `memory.copy` moves any number of bytes at any
 * alignment in 10 ns, where `set(subarray)` on shared memory needs 50 ns for 64 bytes and, unaligned,
 * a nanosecond for each byte more.
 */

import { assert, type Bytes } from '#base';

const PAGE_BYTES = 65_536;
/** What the module below declares; the real size is the instance's. */
const PAGES_MAX = 65_536;

/**
 * The module, by sections:
 *
 *   type      one function type (i32, i32, i32) -> ()
 *   import    env.memory: shared, 0 to 65536 pages
 *   function  one function of type 0
 *   export    "copy" = function 0
 *   code      local.get 0, local.get 1, local.get 2, memory.copy, end
 */
const COPY_MODULE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x07, 0x01, 0x60, 0x03, 0x7f, 0x7f, 0x7f, 0x00],
  ...[0x02, 0x12, 0x01, 0x03, 0x65, 0x6e, 0x76, 0x06, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79],
  ...[0x02, 0x03, 0x00, 0x80, 0x80, 0x04],
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x07, 0x08, 0x01, 0x04, 0x63, 0x6f, 0x70, 0x79, 0x00, 0x00],
  ...[0x0a, 0x0e, 0x01, 0x0c, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02],
  ...[0xfc, 0x0a, 0x00, 0x00, 0x0b],
);

/** Memory that threads share. */
export type SharedMemory = SharedArrayBuffer;

/** Fresh zeroed shared memory, beside the rings: for statistics pages. */
export function allocateShared(byteCount: number): SharedMemory {
  return new SharedArrayBuffer(byteCount);
}

/** Moves bytes inside the link memory; ranges may overlap. */
export type Copy = (target: number, source: number, length: number) => void;

export class LinkMemory {
  readonly memory: WebAssembly.Memory;
  readonly bytes: Bytes;
  readonly words: Int32Array;
  readonly copy: Copy;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.bytes = new Uint8Array(memory.buffer);
    this.words = new Int32Array(memory.buffer);
    const instance = new WebAssembly.Instance(new WebAssembly.Module(COPY_MODULE), {
      env: { memory },
    });
    this.copy = instance.exports['copy'] as Copy;
  }

  /** Fresh zeroed memory of at least `byteCount` bytes; pages cost nothing until touched. */
  static allocate(byteCount: number): LinkMemory {
    const pages = Math.ceil(byteCount / PAGE_BYTES);
    assert(pages <= PAGES_MAX, 'the link memory fits WebAssembly');
    return new LinkMemory(new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }));
  }
}
