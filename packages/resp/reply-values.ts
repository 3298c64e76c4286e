/** Replies as JavaScript values. What only RESP3 has comes in the form in which Redis writes it in RESP2. */

import { latin1, type Bytes } from '#base';
import type { ReplyParts } from './reply-parser.ts';

/**
 * A reply: texts of statuses and bulk strings, one character per byte; numbers, of which booleans are 0 and 1; doubles and
 * big numbers as text; names and values of a map in turn.
 */
export type Reply = string | number | null | readonly Reply[];

/** Error that a server replies with. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

export class ReplyValues implements ReplyParts {
  readonly #done: (reply: Reply | ReplyError) => void;
  /** Open arrays, outermost first. */
  readonly #open: Reply[][] = [];
  #value: Reply = null;
  #error: ReplyError | undefined;

  /** `done` is called with each reply; one with an error in it is that error, the first of several. */
  constructor(done: (reply: Reply | ReplyError) => void) {
    this.#done = done;
  }

  line(kind: string, text: string): void {
    if (kind === ':') this.#add(Number(text));
    else if (kind === '#') this.#add(text === 't' ? 1 : 0);
    else this.#add(text);
  }

  error(text: string): void {
    this.#error ??= new ReplyError(text);
    this.#add(null);
  }

  bulk(bytes: Bytes): void {
    this.#add(latin1(bytes));
  }

  nil(): void {
    this.#add(null);
  }

  begin(): void {
    this.#open.push([]);
  }

  close(): void {
    this.#add(this.#open.pop()!);
  }

  end(): void {
    const reply = this.#error ?? this.#value;
    this.#error = undefined;
    this.#value = null;
    this.#done(reply);
  }

  #add(value: Reply): void {
    const list = this.#open.at(-1);
    if (list === undefined) this.#value = value;
    else list.push(value);
  }
}
