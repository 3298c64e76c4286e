/**
 * Output that waits for a socket, against a handle that takes bytes at once, later, or not at all.
 *
 * The fake stands at the place of Node's own handle; whether a write was taken at once is said
 * through Node's shared state, as the real one does.
 */
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockPool } from './blocks.ts';
import { Output } from './output.ts';
import type { WriteRequest } from './raw-handle.ts';
import { SocketSink } from './socket-sink.ts';

const outputs = suite('output queue');

const BLOCK_BYTES = 64;
const BLOCKS = 2;

interface StreamWrap {
  streamBaseState: Int32Array;
  kLastWriteWasAsync: number;
}

const { streamBaseState, kLastWriteWasAsync } = (
  process as unknown as { binding(name: string): StreamWrap }
).binding('stream_wrap');

class FakeHandle {
  mode: 'at once' | 'later' | 'fails' = 'at once';
  /** Data that reached the kernel, in order. */
  received = '';
  requests: WriteRequest[] = [];
  writeQueueSize = 0;
  #waiting: readonly Uint8Array[] = [];

  isClosed = false;

  readStart(): number {
    return 0;
  }

  close(): void {
    this.isClosed = true;
  }

  readStop(): number {
    return 0;
  }

  writeBuffer(request: WriteRequest, bytes: Uint8Array): number {
    return this.writev(request, [bytes]);
  }

  writev(request: WriteRequest, chunks: readonly Uint8Array[]): number {
    if (this.mode === 'fails') return -32;
    const isAsync = this.mode === 'later';
    streamBaseState[kLastWriteWasAsync] = isAsync ? 1 : 0;
    if (isAsync) {
      this.#waiting = chunks;
      this.requests.push(request);
      this.writeQueueSize = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    } else {
      this.#take(chunks);
    }
    return 0;
  }

  /** The kernel takes what was given to it, or says that it cannot. */
  complete(status = 0): void {
    if (status === 0) this.#take(this.#waiting);
    this.#waiting = [];
    this.writeQueueSize = 0;
    this.requests.shift()?.oncomplete?.(status);
  }

  /** Drops memory that the real pool would know only by its address. */
  forget(): void {
    this.#waiting = [];
  }

  #take(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) this.received += Buffer.from(chunk).toString('latin1');
  }
}

function fixture() {
  const bytes = new Uint8Array(new SharedArrayBuffer(1_024));
  const memory = {
    bytes,
    copy: (target: number, source: number, length: number): void => {
      bytes.copyWithin(target, source, source + length);
    },
  };
  const pool = new BlockPool(memory, 0, BLOCKS, BLOCK_BYTES);
  const handle = new FakeHandle();
  const happened: string[] = [];
  const socket = { _handle: handle } as unknown as Socket;
  const output = new Output(new SocketSink(socket), pool, {
    failed: () => happened.push('failed'),
    drained: () => happened.push('drained'),
    wrote: (count) => happened.push(`wrote ${String(count)}`),
  });
  const say = (text: string): void => {
    output.appendBytes(Buffer.from(text, 'latin1'), 0, text.length);
  };
  return { bytes, pool, handle, happened, output, say };
}

outputs('writes what it was given, once, in order', () => {
  const { handle, output, pool, happened, say, bytes } = fixture();
  bytes.set(Buffer.from('shared'), 512);
  say('a');
  output.append(512, 6);
  say('b');
  assert.is(output.pendingBytes, 8);
  assert.is(handle.received, '', 'nothing before the flush');
  output.flush();
  output.flush();
  assert.is(handle.received, 'asharedb');
  assert.is(output.pendingBytes, 0);
  assert.is(pool.freeCount, BLOCKS);
  assert.equal(happened, ['wrote 8'], 'a write that was taken at once is no news');
});

outputs('keeps order when a reply outgrows the block', () => {
  const { handle, output, pool, say } = fixture();
  say('head;');
  say('x'.repeat(100));
  say(';tail');
  output.flush();
  assert.is(handle.received, `head;${'x'.repeat(100)};tail`);
  assert.is(pool.freeCount, BLOCKS);
  assert.is(output.bytesWritten, 110);
});

outputs(
  'writes full blocks of a long reply at once, and copies no more than what the kernel leaves',
  () => {
    const text = Array.from({ length: 30 }, (_, nth) => `number ${String(nth)};`).join('');
    const { handle, output, pool, say, happened, bytes } = fixture();
    say(text);
    const whole = text.length - (text.length % BLOCK_BYTES);
    assert.is(handle.received, text.slice(0, whole));
    assert.is(output.pendingBytes, text.length - whole);
    bytes.set(Buffer.from(text), 512);
    handle.mode = 'later';
    output.append(512, text.length);
    assert.is(handle.requests.length, 1, 'one block is with the kernel');
    assert.is(pool.freeCount, 0);
    const pending = 2 * text.length - whole;
    assert.is(output.unsentBytes, pending - BLOCK_BYTES);
    output.flush();
    assert.is(handle.requests.length, 1);
    handle.mode = 'at once';
    handle.complete();
    assert.is(handle.received, text + text);
    assert.is(pool.freeCount, BLOCKS);
    assert.is(output.bytesWritten, 2 * text.length);
    assert.is(happened.at(-1), 'drained');
  },
);

outputs('tells at the end of the turn that the kernel refused a block of a long reply', () => {
  const { handle, output, pool, happened, say } = fixture();
  handle.mode = 'fails';
  say('l'.repeat(200));
  say('more');
  assert.not.ok(happened.includes('failed'));
  output.flush();
  assert.is(happened.filter((each) => each === 'failed').length, 1);
  output.close();
  assert.is(pool.freeCount, BLOCKS);
});

outputs('fills a block to its last byte', () => {
  const { handle, output, say } = fixture();
  say('y'.repeat(BLOCK_BYTES));
  say('z');
  output.flush();
  assert.is(handle.received, `${'y'.repeat(BLOCK_BYTES)}z`);
});

outputs('waits with later replies while a write is under way', () => {
  const { handle, output, pool, happened, say } = fixture();
  handle.mode = 'later';
  say('one');
  output.flush();
  say('two');
  output.flush();
  assert.is(handle.requests.length, 1);
  assert.is(output.pendingBytes, 6);
  assert.is(pool.freeCount, 0, 'the block being written is not used for the next replies');
  handle.complete();
  assert.is(handle.requests.length, 1, 'the rest follows by itself');
  assert.equal(happened, ['wrote 3', 'wrote 3']);
  handle.complete();
  assert.is(handle.received, 'onetwo');
  assert.is(pool.freeCount, BLOCKS);
  assert.equal(happened.at(-1), 'drained');
});

outputs('closes the handle with the last byte, where that is wanted and the kernel took it', () => {
  for (const mode of ['at once', 'later'] as const) {
    const { handle, output, say } = fixture();
    say('first');
    output.flush();
    assert.not.ok(handle.isClosed);
    handle.mode = mode;
    say('last');
    output.isLast = true;
    output.flush();
    assert.is(handle.isClosed, mode === 'at once');
    if (mode === 'later') handle.complete();
    assert.is(handle.received, 'firstlast');
  }
});

outputs('counts what the kernel has taken of a write under way', () => {
  const { handle, output, say } = fixture();
  handle.mode = 'later';
  say('x'.repeat(50));
  output.flush();
  assert.is(output.pendingBytes, 50);
  handle.writeQueueSize = 20;
  assert.is(output.pendingBytes, 20);
  handle.complete();
  assert.is(output.pendingBytes, 0);
});

outputs('goes on in private memory when all blocks are in use', () => {
  const { handle, output, pool, say } = fixture();
  pool.take();
  pool.take();
  say('no block');
  say(' left');
  assert.is(output.pendingBytes, 13);
  output.flush();
  assert.is(handle.received, 'no block left');
  assert.is(pool.freeCount, 0);
});

outputs('keeps many small replies to a slow client together', () => {
  const { handle, output, say } = fixture();
  handle.mode = 'later';
  say('first');
  output.flush();
  for (let nth = 0; nth < 5_000; nth += 1) say('0123456789');
  output.flush();
  assert.is(output.pendingBytes, 50_005);
  handle.complete();
  handle.complete();
  assert.is(handle.received, `first${'0123456789'.repeat(5_000)}`);
});

outputs('says that a write failed, and gives its block back', () => {
  for (const text of ['short', 'l'.repeat(200)]) {
    const { handle, output, pool, happened, say } = fixture();
    handle.mode = 'fails';
    say(text);
    output.flush();
    assert.ok(happened.includes('failed'));
    assert.is(pool.freeCount, BLOCKS);
  }
});

outputs('says that a write failed later', () => {
  const { handle, output, pool, happened, say } = fixture();
  handle.mode = 'later';
  say('lost');
  output.flush();
  handle.complete(-104);
  assert.is(happened.at(-1), 'failed');
  assert.is(pool.freeCount, BLOCKS);
});

outputs('gives everything back when it is closed, a block in flight when that has landed', () => {
  const { handle, output, pool, happened, say } = fixture();
  handle.mode = 'later';
  say('in flight');
  output.flush();
  say('waiting');
  output.close();
  assert.is(pool.freeCount, BLOCKS - 1);
  say('too late');
  output.flush();
  assert.is(output.bytesWritten, 9);
  handle.complete(-125);
  assert.is(pool.freeCount, BLOCKS);
  assert.not.ok(happened.includes('failed'), 'a closed connection cannot fail');
});

outputs('keeps private memory alive for as long as the kernel reads it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const { handle, output, pool, say } = fixture();
  for (let nth = 0; nth < BLOCKS; nth += 1) pool.take();
  handle.mode = 'later';
  say('v'.repeat(100_000));
  const seen: WeakRef<Uint8Array>[] = [];
  const writev = handle.writev.bind(handle);
  handle.writev = (request, chunks) => {
    for (const chunk of chunks) seen.push(new WeakRef(chunk));
    return writev(request, chunks);
  };
  output.flush();
  // From here on only the request may hold the bytes, as with the real handle.
  handle.forget();
  // A WeakRef is kept alive until the turn in which it was made has ended.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.ok(seen.length > 0);
  assert.ok(seen.every((chunk) => chunk.deref() !== undefined));
});

outputs.run();
