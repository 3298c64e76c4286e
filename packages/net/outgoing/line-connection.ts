/**
 * Connection to another server that is written commands and answers in lines. One limit holds for everything: it ends when
 * for so long nothing was connected, written or answered that was waited for.
 */

import { type Bytes, latin1, LongTimer } from '#base';
import type { Socket } from 'node:net';
import { connectTo } from './connect-to.ts';

/** Ports that there are. */
const PORT_MAX = 65_535;
/** A longer line is no answer of a server that speaks the protocol. */
const LINE_BYTES_MAX = 64 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** End of a connection: nothing came or went for too long, or it was closed or has failed. */
type ConnectionEnd = 'timeout' | 'closed';

export class LineConnection {
  readonly #socket: Socket;
  readonly #idleMs: number;
  #end: ConnectionEnd | undefined;
  #isConnected = false;
  readonly #lines: string[] = [];
  /** Bytes of a line that has not ended. */
  #rest: Bytes = new Uint8Array(0);
  /** Told of everything that happens. */
  readonly #waiting = new Set<() => void>();

  private constructor(socket: Socket, idleMs: number) {
    this.#idleMs = idleMs;
    this.#socket = socket;
    this.#socket
      .on('connect', () => {
        this.#isConnected = true;
        this.#wake();
      })
      .on('data', (bytes: Bytes) => {
        this.#take(bytes);
      })
      .on('drain', () => {
        this.#wake();
      })
      .on('error', () => {
        this.#ended('closed');
      })
      .on('end', () => {
        this.#ended('closed');
      })
      .on('close', () => {
        this.#ended('closed');
      });
  }

  /** Connects, plainly where no other way is given; undefined when that cannot be done, or not in time. */
  static async open(
    host: string,
    port: number,
    idleMs: number,
    connect: (host: string, port: number) => Socket = connectTo,
  ): Promise<LineConnection | undefined> {
    if (port <= 0 || port > PORT_MAX) return undefined;
    const connection = new LineConnection(connect(host, port), idleMs);
    const end = await connection.#until(() => connection.#isConnected);
    if (end === undefined) return connection;
    connection.close();
    return undefined;
  }

  /** Writes; answers when the kernel has all of it, or why it has not. */
  async write(bytes: Bytes): Promise<ConnectionEnd | undefined> {
    if (this.#end !== undefined) return this.#end;
    this.#socket.write(bytes);
    // The kernel may take much at once: others come in between.
    await new Promise(setImmediate);
    return this.#until(() => !this.#socket.writableNeedDrain);
  }

  /** The next line, without its end, one character per byte; or why there will be none. */
  async line(): Promise<string | { readonly end: ConnectionEnd }> {
    const end = await this.#until(() => this.#lines.length > 0);
    const line = this.#lines.shift();
    return line ?? { end: end ?? 'closed' };
  }

  close(): void {
    this.#ended('closed');
  }

  #ended(end: ConnectionEnd): void {
    this.#end ??= end;
    this.#socket.destroy();
    this.#wake();
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  /**
   * Waits until something holds; answers the end of the connection where that comes first. Everything that happens meanwhile
   * is progress: an answer is awaited as long as what it answers is being written.
   */
  #until(holds: () => boolean): Promise<ConnectionEnd | undefined> {
    if (holds()) return Promise.resolve(undefined);
    if (this.#end !== undefined) return Promise.resolve(this.#end);
    return new Promise((done) => {
      const timeOut = (): void => {
        this.#ended('timeout');
      };
      let timer = new LongTimer(this.#idleMs, timeOut);
      const look = (): void => {
        const isDone = holds();
        timer.cancel();
        if (!isDone && this.#end === undefined) {
          timer = new LongTimer(this.#idleMs, timeOut);
          return;
        }
        this.#waiting.delete(look);
        done(isDone ? undefined : this.#end);
      };
      this.#waiting.add(look);
    });
  }

  #take(bytes: Bytes): void {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    let from = 0;
    for (;;) {
      const end = all.indexOf(LINE_FEED, from);
      if (end < 0) break;
      const hasReturn = end > from && all[end - 1] === CARRIAGE_RETURN;
      this.#lines.push(latin1(all, from, end - from - (hasReturn ? 1 : 0)));
      from = end + 1;
    }
    this.#rest = all.subarray(from);
    if (this.#rest.length > LINE_BYTES_MAX) this.#ended('closed');
    else this.#wake();
  }
}
