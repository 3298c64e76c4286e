/** The stream of a primary as a transport of a connection: bytes are passed to it, and replies are discarded. */

import type { Bytes } from '#base';
import type { Sink, Transport, TransportEvents } from '#net';

interface PrimaryTransportOptions {
  pause(): void;
  resume(): void;
  /** Replies in RESP, which end here. */
  replied(chunk: Bytes): void;
  /** The connection was closed from this side. */
  destroyed(): void;
}

export class PrimaryTransport implements Transport {
  readonly descriptor = -1;
  readonly sink: Sink;
  /** True when nothing more is handed on. */
  isOver = false;
  readonly #options: PrimaryTransportOptions;
  #events: TransportEvents | undefined;

  constructor(options: PrimaryTransportOptions) {
    this.#options = options;
    this.sink = {
      pendingBytes: 0,
      onWritten: () => undefined,
      write: (chunks) => {
        for (const chunk of chunks) options.replied(chunk);
        return 'done';
      },
      writeRange: (source, at, byteCount) => {
        options.replied(source.subarray(at, at + byteCount));
        return 'done';
      },
    };
  }

  begin(events: TransportEvents): void {
    this.#events = events;
  }

  received(piece: Bytes): void {
    this.#events?.received(piece, 0, piece.length);
  }

  setKeepAlive(): void {
    // The link checks itself whether the primary is alive.
  }

  pause(): void {
    if (!this.isOver) this.#options.pause();
  }

  resume(): void {
    if (!this.isOver) this.#options.resume();
  }

  finish(): void {
    this.destroy();
  }

  destroy(): void {
    this.#options.destroyed();
  }
}
