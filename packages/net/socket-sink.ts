/** Writes to a socket of this thread: by its handle if that has the expected form, otherwise by its stream. */

import type { Socket } from 'node:net';
import type { Bytes } from '#base';
import {
  rawHandleOf,
  rawWriter,
  type RawHandle,
  type RawWriter,
  type WriteRequest,
} from './raw-handle.ts';
import type { Sink, WriteOutcome } from './transport.ts';

export class SocketSink implements Sink {
  onWritten: (hasFailed: boolean) => void = () => undefined;
  readonly #socket: Socket;
  readonly #handle: RawHandle | undefined;
  readonly #closesHandle: boolean;
  #request: WriteRequest | undefined;
  /** Result of the current write if its end was reported before it returned. */
  #earlyResult: number | undefined;
  /** Bytes of the write that is kept; 0 without one. */
  #keptBytes = 0;

  /** With `closesHandle` the last write closes the handle; a secured socket has to say more than that. */
  constructor(socket: Socket, closesHandle = true) {
    this.#socket = socket;
    this.#closesHandle = closesHandle;
    this.#handle = rawWriter === undefined ? undefined : rawHandleOf(socket);
  }

  get pendingBytes(): number {
    return this.#keptBytes === 0 ? 0 : (this.#handle?.writeQueueSize ?? this.#keptBytes);
  }

  write(chunks: readonly Bytes[], byteCount: number, isLast: boolean): WriteOutcome {
    const handle = this.#handle;
    if (handle === undefined || rawWriter === undefined) return this.#writeThroughStream(chunks);
    this.#request ??= this.#newRequest(rawWriter);
    const request = this.#request;
    const [first] = chunks;
    const status =
      chunks.length === 1 && first !== undefined
        ? handle.writeBuffer(request, first)
        : handle.writev(request, chunks, true);
    if (status !== 0) return 'failed';
    if (!rawWriter.wasAsync()) {
      if (isLast && this.#closesHandle) handle.close();
      return 'done';
    }
    this.#request = undefined;
    if (this.#earlyResult !== undefined) return this.#earlyOutcome();
    this.#keptBytes = byteCount;
    // The kernel is given pointers: what they point at must live as long as the request does.
    request.chunks = chunks;
    return 'kept';
  }

  writeRange(source: Bytes, at: number, byteCount: number, isLast: boolean): WriteOutcome {
    return this.write([source.subarray(at, at + byteCount)], byteCount, isLast);
  }

  #newRequest(writer: RawWriter): WriteRequest {
    const request = writer.request();
    // A TLS socket whose peer has disconnected reports the end of a write before the write returns.
    request.oncomplete = (result) => {
      if (this.#request === request) this.#earlyResult = result;
      else this.#complete(result !== 0);
    };
    return request;
  }

  #earlyOutcome(): WriteOutcome {
    const hasFailed = this.#earlyResult !== 0;
    this.#earlyResult = undefined;
    return hasFailed ? 'failed' : 'done';
  }

  #writeThroughStream(chunks: readonly Bytes[]): WriteOutcome {
    const bytes = Buffer.concat(chunks);
    this.#keptBytes = bytes.length;
    this.#socket.write(bytes, (error) => {
      this.#complete(error !== null && error !== undefined);
    });
    return 'kept';
  }

  #complete(hasFailed: boolean): void {
    this.#keptBytes = 0;
    this.onWritten(hasFailed);
  }
}
