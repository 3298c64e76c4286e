/**
 * Connection by which a node forwards messages to another. Many are written at once, and only the number of replies is
 * read; messages that cannot be sent, without a connection or over a slow one, are counted and dropped, as on Redis'
 * bus.
 */

import type { Bytes } from '#base';
import type { connectTo } from '#net';
import { commandBytes, MalformedReply, ReplyParser } from '#resp';

type Socket = ReturnType<typeof connectTo>;

/** Limits of replies to messages, which are short; a longer one ends the connection. */
const LIMITS = { lineBytes: 64 * 1024, bulkBytes: 64 * 1024, elements: 1_024, depth: 8 };
/** Error of a node that wants a login, as it may from one moment to the next. */
const LOGIN_DUE = /^NOAUTH\b/;

interface PeerLinkOptions {
  connect(): Socket;
  /** Words of AUTH; empty where none is wanted. */
  login(): readonly string[];
  /** Words of a command that identifies the sender; empty for none. */
  readonly greeting: readonly string[];
  /** Most bytes of messages that wait for a slow node; 0 for no limit. */
  queuedBytesMax(): number;
  wallMs(): number;
  /** `count` messages were dropped; `isFull` if too many were queued. */
  lost(count: number, isFull: boolean): void;
  /** The connection has failed, or is refused. */
  failed(reason: string): void;
  /** The node has answered. */
  works(): void;
}

export class PeerLink {
  readonly #options: PeerLinkOptions;
  #socket: Socket | undefined;
  readonly #queue: Bytes[] = [];
  #queuedBytes = 0;
  #isFlushDue = false;
  /** Messages that were written and not answered. */
  #unanswered = 0;
  /** The answer to the login is to come, and that to the greeting. */
  #isLoginDue = false;
  #isGreetingDue = false;
  #openedMs = 0;
  #isConnected = false;
  #parser: ReplyParser | undefined;
  /** First error of the reply that comes. */
  #error: string | undefined;

  constructor(options: PeerLinkOptions) {
    this.#options = options;
  }

  /** Connects where there is no connection. */
  open(): void {
    if (this.#socket !== undefined) return;
    let socket: Socket;
    let login: readonly string[];
    try {
      login = this.#options.login();
      socket = this.#options.connect();
    } catch (error) {
      this.#options.failed((error as Error).message);
      return;
    }
    this.#socket = socket;
    const { greeting } = this.#options;
    this.#isLoginDue = login.length > 0;
    this.#isGreetingDue = greeting.length > 0;
    this.#openedMs = this.#options.wallMs();
    this.#parser = this.#newParser();
    let reason = 'the connection has ended';
    socket
      .on('connect', () => {
        if (socket === this.#socket) this.#isConnected = true;
      })
      .on('data', (bytes: Bytes) => {
        if (socket === this.#socket) this.#take(socket, bytes);
      })
      .on('drain', () => {
        if (socket === this.#socket) this.#flush();
      })
      .on('error', (error) => {
        reason = error.message;
      })
      .on('end', () => {
        socket.destroy();
      })
      .on('close', () => {
        if (socket === this.#socket) this.#fail(reason);
      });
    if (login.length > 0) socket.write(commandBytes(login));
    if (greeting.length > 0) socket.write(commandBytes(greeting));
  }

  /** Sends a message to the node, together with others at the end of the turn. */
  send(message: Bytes): void {
    const most = this.#options.queuedBytesMax();
    const isFull = most > 0 && this.#queuedBytes + message.length > most;
    if (this.#socket === undefined || isFull) {
      this.#options.lost(1, isFull);
      return;
    }
    this.#queue.push(message);
    this.#queuedBytes += message.length;
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#flush();
    });
  }

  /** Unix milliseconds since which there is a connection, and the bytes that wait; undefined without one. */
  get state(): { readonly createdMs: number; readonly queuedBytes: number } | undefined {
    if (!this.#isConnected || this.#socket === undefined) return undefined;
    const queuedBytes = this.#queuedBytes + this.#socket.writableLength;
    return { createdMs: this.#openedMs, queuedBytes };
  }

  end(): void {
    const socket = this.#socket;
    this.#forget();
    socket?.destroy();
  }

  #flush(): void {
    const socket = this.#socket;
    if (socket === undefined || this.#queue.length === 0 || socket.writableNeedDrain) return;
    this.#unanswered += this.#queue.length;
    socket.write(Buffer.concat(this.#queue));
    this.#queue.length = 0;
    this.#queuedBytes = 0;
  }

  /** Reads nothing of replies but their errors. */
  #newParser(): ReplyParser {
    const error = (text: string): void => {
      this.#error ??= text.trim();
    };
    const end = (): void => {
      const text = this.#error;
      this.#error = undefined;
      this.#answered(text);
    };
    return new ReplyParser({ error, end }, LIMITS);
  }

  /** Takes replies, until the connection is given up by one. */
  #take(socket: Socket, bytes: Bytes): void {
    const parser = this.#parser;
    if (parser === undefined) return;
    try {
      for (let at = 0; at < bytes.length && parser === this.#parser;) at = parser.take(bytes, at);
    } catch (error) {
      if (!(error instanceof MalformedReply)) throw error;
      this.#fail(`the node sent an invalid reply: ${error.message}`);
      socket.destroy();
    }
  }

  #answered(error: string | undefined): void {
    const isMessage = !this.#isLoginDue && !this.#isGreetingDue;
    if (isMessage) this.#unanswered -= 1;
    if (error === undefined) {
      this.#options.works();
    } else if (this.#isLoginDue || LOGIN_DUE.test(error)) {
      // The next connection logs in with the settings of that time.
      if (isMessage) this.#options.lost(1, false);
      const socket = this.#socket;
      this.#fail(error);
      socket?.destroy();
      return;
    } else {
      if (isMessage) this.#options.lost(1, false);
      this.#options.failed(error);
    }
    if (!this.#isLoginDue) this.#isGreetingDue = false;
    this.#isLoginDue = false;
  }

  #fail(reason: string): void {
    const lost = this.#unanswered + this.#queue.length;
    this.#forget();
    if (lost > 0) this.#options.lost(lost, false);
    this.#options.failed(reason);
  }

  #forget(): void {
    this.#socket = undefined;
    this.#isConnected = false;
    this.#queue.length = 0;
    this.#queuedBytes = 0;
    this.#unanswered = 0;
    this.#parser = undefined;
    this.#error = undefined;
  }
}
