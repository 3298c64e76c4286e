/** Client of a server for tools: one command after the other, and their replies as JavaScript values. */

import { connectSecurelyTo, connectTo } from './connect-to.ts';
import type { TlsOptions } from '../tls/tls-options.ts';
import {
  commandBytes,
  MalformedReply,
  ReplyError,
  ReplyParser,
  ReplyValues,
  type Reply,
} from '#resp';

export class ReplyClient {
  readonly #socket: ReturnType<typeof connectTo>;
  readonly #place: string;
  readonly #replies: (Reply | ReplyError)[] = [];
  #error: Error | undefined;
  #waiting: (() => void) | undefined;

  /** Connects, with TLS where its options are given; with a socket `host` is the name of the place that it leads to. */
  constructor(host: string, port: number, tls?: TlsOptions, socket?: ReturnType<typeof connectTo>) {
    this.#place = socket === undefined ? `${host}:${port}` : host;
    this.#socket =
      socket ?? (tls === undefined ? connectTo(host, port) : connectSecurelyTo(host, port, tls));
    const values = new ReplyValues((reply) => {
      this.#replies.push(reply);
      this.#wake();
    });
    const parser = new ReplyParser(values);
    this.#socket.on('data', (piece) => {
      try {
        parser.takeAll(piece);
      } catch (error) {
        if (!(error instanceof MalformedReply)) throw error;
        this.#ended(`malformed reply: ${error.message}`);
        this.#socket.destroy();
      }
    });
    this.#socket.on('error', (error) => {
      this.#ended(error.message);
    });
    this.#socket.on('close', () => {
      this.#ended('the connection is closed');
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Sends a command; returns its reply, or throws it where it is an error or has one in it. */
  async call(...words: readonly string[]): Promise<Reply> {
    this.#socket.write(commandBytes(words));
    while (this.#replies.length === 0) await this.#more();
    const reply = this.#replies.shift()!;
    if (reply instanceof ReplyError) throw reply;
    return reply;
  }

  #ended(reason: string): void {
    this.#error ??= new Error(`${this.#place}: ${reason}`);
    this.#wake();
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  async #more(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
  }
}
