/** One connection of a client to one server: output that waits to be written, and requests that wait for replies. */

import type { Bytes } from '#base';
import type { Transport } from '#net';
import { ReplyCounter } from '#resp';
import { SentRequests } from './sent-requests.ts';

/** Called with events of a lane. */
export interface LaneEvents {
  /** Bytes have come, whose replies are counted from now on. */
  beforeReplies(byteCount: number): void;
  reply(lane: Lane, error: string | undefined): void;
  /** All replies among the bytes were counted. */
  afterReplies(lane: Lane): void;
  /** The connection has ended. */
  closed(lane: Lane, reason: string): void;
}

export class Lane {
  /** Index of its client. */
  readonly client: number;
  readonly sent = new SentRequests();
  isClosed = false;
  /** Output, up to `used`. */
  buffer: Bytes;
  used = 0;
  /** True while `buffer` has output and is listed to be written. */
  isListed = false;
  #transport: Transport | undefined;
  /** True while the kernel has not taken all of the last write, whose memory is `#kept`. */
  #isWriting = false;
  #kept: Bytes | undefined;
  readonly #events: LaneEvents;
  readonly #counter: ReplyCounter;

  /** With memory for its output; a larger one takes its place where it is too small. */
  constructor(client: number, buffer: Bytes, events: LaneEvents) {
    this.client = client;
    this.buffer = buffer;
    this.#events = events;
    this.#counter = new ReplyCounter((error) => {
      events.reply(this, error);
    });
  }

  /** Begins to write and to read. */
  connect(transport: Transport): void {
    this.#transport = transport;
    transport.sink.onWritten = (hasFailed) => {
      this.#isWriting = false;
      if (hasFailed) this.end('write failed');
      else this.flush();
    };
    transport.begin({
      received: (bytes, at, byteCount) => {
        this.#received(bytes, at, byteCount);
      },
      ended: () => {
        this.end('closed by the server');
      },
      closed: () => {
        this.end('connection reset');
      },
      slow: () => undefined,
      caughtUp: () => undefined,
    });
    this.flush();
  }

  /** Makes room for a request of at most that many bytes. */
  reserve(byteCount: number): void {
    const needed = this.used + byteCount;
    if (needed <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(2 * this.buffer.length, needed));
    larger.set(this.buffer.subarray(0, this.used));
    this.buffer = larger;
  }

  /** Writes the output; returns the number of bytes given to the kernel. */
  flush(): number {
    const transport = this.#transport;
    if (this.used === 0 || this.#isWriting || transport === undefined || this.isClosed) return 0;
    const byteCount = this.used;
    const outcome = transport.sink.writeRange(this.buffer, 0, byteCount, false);
    this.used = 0;
    if (outcome === 'kept') {
      // This memory stays as it is until it is written; further output goes to other memory.
      this.#isWriting = true;
      const kept = this.#kept ?? new Uint8Array(this.buffer.length);
      this.#kept = this.buffer;
      this.buffer = kept;
    } else if (outcome === 'failed') {
      this.end('write failed');
    }
    return byteCount;
  }

  /** Closes the connection, and reports it with the reason. */
  end(reason: string): void {
    if (this.isClosed) return;
    this.close();
    this.#events.closed(this, reason);
  }

  close(): void {
    this.isClosed = true;
    this.#transport?.destroy();
  }

  #received(bytes: Bytes, at: number, byteCount: number): void {
    if (this.isClosed) return;
    this.#events.beforeReplies(byteCount);
    try {
      this.#counter.take(bytes, at, at + byteCount);
    } catch (error) {
      this.end(`malformed reply: ${(error as Error).message}`);
      return;
    }
    this.#events.afterReplies(this);
  }
}
