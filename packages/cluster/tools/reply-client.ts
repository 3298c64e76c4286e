/** Client of a server for tools: one command after the other, and their replies as JavaScript values. */

import { connectSecurelyTo, connectTo, type TlsOptions } from '#net';
import { commandBytes } from '#resp';

/** Reply of RESP2; an error of the server is thrown instead. */
export type Reply = string | number | null | readonly Reply[];

/** Error that the server has answered. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

export class ReplyClient {
  readonly #socket: ReturnType<typeof connectTo>;
  readonly #place: string;
  #bytes = Buffer.alloc(0);
  #at = 0;
  #error: Error | undefined;
  #waiting: (() => void) | undefined;

  /** Connects, with TLS where its options are given. */
  constructor(host: string, port: number, tls?: TlsOptions) {
    this.#place = `${host}:${port}`;
    this.#socket = tls === undefined ? connectTo(host, port) : connectSecurelyTo(host, port, tls);
    this.#socket.on('data', (piece) => {
      this.#bytes = Buffer.concat([this.#bytes.subarray(this.#at), piece]);
      this.#at = 0;
      this.#wake();
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

  async call(...words: readonly string[]): Promise<Reply> {
    this.#socket.write(commandBytes(words));
    const reply = await this.#read();
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

  async #read(): Promise<Reply | ReplyError> {
    const line = await this.#line();
    const rest = line.slice(1);
    switch (line[0]) {
      case '+':
        return rest;
      case '-':
        return new ReplyError(rest);
      case ':':
        return Number(rest);
      case '$':
        return Number(rest) < 0 ? null : this.#bulk(Number(rest));
      case '*':
        return Number(rest) < 0 ? null : this.#list(Number(rest));
      default:
        throw new Error(`${this.#place}: it answers something that is no reply`);
    }
  }

  async #list(count: number): Promise<Reply> {
    const list: Reply[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const one = await this.#read();
      if (one instanceof ReplyError) throw one;
      list.push(one);
    }
    return list;
  }

  async #bulk(length: number): Promise<string> {
    while (this.#bytes.length - this.#at < length + 2) await this.#more();
    const text = this.#bytes.toString('latin1', this.#at, this.#at + length);
    this.#at += length + 2;
    return text;
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf('\r\n', this.#at);
      if (end >= 0) {
        const line = this.#bytes.toString('latin1', this.#at, end);
        this.#at = end + 2;
        return line;
      }
      await this.#more();
    }
  }

  async #more(): Promise<void> {
    if (this.#error !== undefined) throw this.#error;
    await new Promise<void>((resolve) => {
      this.#waiting = resolve;
    });
  }
}
