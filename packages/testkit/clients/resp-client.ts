/**
 * A plain client for tests: commands, pipelines, raw bytes, and nothing done behind one's back.
 */
import type net from 'node:net';
import { dial, resetSocket, type Address } from './dial.ts';
import { Push, ReplyError, RespParser, type Reply } from './resp-parser.ts';

const WAIT_MS_DEFAULT = 60_000;

/** Options of a client. */
export interface ClientOptions {
  /** Bulk strings arrive as Buffers. */
  readonly buffers?: boolean;
  /** A reply that takes longer is a failed test. */
  readonly waitMs?: number;
  /** True where the connection is to be broken off by `reset`. */
  readonly canReset?: boolean;
}

/** One word of a command. */
export type Word = string | Buffer | number;

interface Waiter {
  resolve(reply: Reply): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Replies or pushes that are waited for, and the time at which one of them came last. */
interface Awaited {
  readonly what: 'reply' | 'push';
  readonly waiters: Waiter[];
  lastMs: number;
}

/** A connection to a server under test. */
export class RespClient {
  /** Unrequested messages: pushes, and replies without a waiting command. */
  readonly pushes: Reply[] = [];
  /** Settles when the connection is closed, by whichever side. */
  readonly closed: Promise<void>;
  readonly socket: net.Socket;
  readonly #waitMs: number;
  readonly #replies: Awaited = { what: 'reply', waiters: [], lastMs: -Infinity };
  readonly #pushed: Awaited = { what: 'push', waiters: [], lastMs: -Infinity };
  #closeReason: Error | undefined;

  private constructor(socket: net.Socket, options: ClientOptions) {
    this.socket = socket;
    this.#waitMs = options.waitMs ?? WAIT_MS_DEFAULT;
    const parser = new RespParser((reply) => {
      this.#take(reply);
    }, options.buffers);
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      parser.push(chunk);
    });
    socket.on('error', (error) => {
      this.#closeReason = error;
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.#abandon();
        resolve();
      });
    });
  }

  static connect(address: Address, options: ClientOptions = {}): Promise<RespClient> {
    return new Promise((resolve, reject) => {
      const socket = dial(address, options, () => {
        socket.off('error', reject);
        resolve(new RespClient(socket, options));
      });
      socket.once('error', reject);
    });
  }

  /** A client on a connection that there is, which need not be a plain one. */
  static over(socket: net.Socket, options: ClientOptions = {}): RespClient {
    return new RespClient(socket, options);
  }

  /** Sends a command and answers its reply; an error reply is thrown. */
  async call(...words: readonly Word[]): Promise<Reply> {
    const reply = await this.reply(...words);
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  /** Sends a command and answers its reply, an error as a ReplyError object. */
  reply(...words: readonly Word[]): Promise<Reply> {
    this.socket.write(encodeCommand(words));
    return this.receive();
  }

  /** Sends the commands in one write; answers all replies, errors as ReplyError objects. */
  pipeline(commands: readonly (readonly Word[])[]): Promise<Reply[]> {
    this.socket.write(Buffer.concat(commands.map((words) => encodeCommand(words))));
    return Promise.all(commands.map(() => this.receive()));
  }

  /** Sends bytes as they are and waits for nothing. */
  raw(bytes: string | Buffer): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** The next reply that no earlier call waits for. */
  receive(): Promise<Reply> {
    return this.#wait(this.#replies);
  }

  /** The next push, or the oldest one not yet taken. */
  nextPush(): Promise<Reply> {
    const [first] = this.pushes.splice(0, 1);
    return first === undefined ? this.#wait(this.#pushed) : Promise.resolve(first);
  }

  /** Says goodbye and waits until the connection is closed. */
  end(): Promise<void> {
    this.socket.end();
    return this.closed;
  }

  /** Breaks the connection off with a reset, as a crashing peer would. */
  reset(): Promise<void> {
    resetSocket(this.socket);
    return this.closed;
  }

  #wait(awaited: Awaited): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.socket.destroyed) {
        reject(this.#closeError());
        return;
      }
      const expire = (): void => {
        // A long pipeline may take longer as a whole, as long as its replies come.
        const leftMs = this.#waitMs - (performance.now() - awaited.lastMs);
        if (leftMs > 0) waiter.timer = setTimeout(expire, leftMs);
        else reject(new Error(`no ${awaited.what} within ${this.#waitMs} ms`));
      };
      const waiter = { resolve, reject, timer: setTimeout(expire, this.#waitMs) };
      awaited.waiters.push(waiter);
    });
  }

  #take(reply: Reply): void {
    const awaited = reply instanceof Push ? this.#pushed : this.#replies;
    awaited.lastMs = performance.now();
    const waiter = awaited.waiters.shift();
    if (waiter === undefined) {
      this.pushes.push(reply);
      return;
    }
    clearTimeout(waiter.timer);
    waiter.resolve(reply);
  }

  #abandon(): void {
    for (const waiter of [...this.#replies.waiters.splice(0), ...this.#pushed.waiters.splice(0)]) {
      clearTimeout(waiter.timer);
      waiter.reject(this.#closeError());
    }
  }

  #closeError(): Error {
    return new Error('the connection is closed', { cause: this.#closeReason });
  }
}

/** A command as an array of bulk strings. */
export function encodeCommand(words: readonly Word[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = Buffer.isBuffer(word) ? word : Buffer.from(String(word));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n'));
  }
  return Buffer.concat(parts);
}

/**
 * Sends bytes on a connection of their own and answers everything that came back, byte for byte,
 * once it ends with `until` or, without `until`, once the server has closed the connection.
 */
export function talk(address: Address, bytes: string | Buffer, until?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = dial(address);
    let received = '';
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const timer = setTimeout(() => {
      const got = JSON.stringify(received.slice(-200));
      finish(() => reject(new Error(`no ${until ?? 'close'} in time, but ${got}`)));
    }, WAIT_MS_DEFAULT);
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      if (until !== undefined && received.endsWith(until)) finish(() => resolve(received));
    });
    socket.on('error', (error) => finish(() => reject(error)));
    socket.on('close', () => finish(() => resolve(received)));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}
