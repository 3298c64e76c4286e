/**
 * Connection to another server that sends commands and receives replies. One time limit applies to everything: it ends
 * if a connection attempt, a write or a pending reply makes no progress for that time.
 */

import { LongTimer, type Bytes } from '#base';
import { MalformedReply, ReplyParser, ReplyValues, type Reply, type ReplyError } from '#resp';
import type { Socket } from 'node:net';
import { connectTo } from './connect-to.ts';

/** Ports that there are. */
const PORT_MAX = 65_535;
/** Maximum size of a reply: those to the commands sent here are shorter. */
const LIMITS = { lineBytes: 64 * 1024, bulkBytes: 64 * 1024, elements: 1_024, depth: 8 };

/** End of a connection: no progress for too long, closed, failed, or an invalid reply. */
type ConnectionEnd = 'timeout' | 'closed';

/** A reply, or the reason why there is none. */
type Answer =
  | { readonly reply: Reply | ReplyError; readonly end?: undefined }
  | { readonly end: ConnectionEnd };

export class ReplyConnection {
  readonly #socket: Socket;
  readonly #idleMs: number;
  #end: ConnectionEnd | undefined;
  #isConnected = false;
  readonly #replies: (Reply | ReplyError)[] = [];
  readonly #parser = new ReplyParser(
    new ReplyValues((reply) => {
      this.#replies.push(reply);
    }),
    LIMITS,
  );
  /** Callbacks for any event. */
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

  /** Connects, without TLS by default; returns undefined if that fails, or takes too long. */
  static async open(
    host: string,
    port: number,
    idleMs: number,
    connect: (host: string, port: number) => Socket = connectTo,
  ): Promise<ReplyConnection | undefined> {
    if (port <= 0 || port > PORT_MAX) return undefined;
    const connection = new ReplyConnection(connect(host, port), idleMs);
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

  /** Returns the next reply. */
  async reply(): Promise<Answer> {
    const end = await this.#until(() => this.#replies.length > 0);
    const reply = this.#replies.shift();
    return reply === undefined ? { end: end ?? 'closed' } : { reply };
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
   * Waits until a condition holds; returns the end of the connection if that comes first. Any event meanwhile is progress:
   * the wait for a reply continues while its command is still being written.
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
    try {
      this.#parser.takeAll(bytes);
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
      this.#ended('closed');
    }
    this.#wake();
  }
}
