/** Arguments of a command as strings for a script: read where they lie, while the command is pointed at. */

import type { Arguments } from '#commands';
import type { StringSource } from '#lua';

export class ArgumentRange implements StringSource {
  readonly count: number;
  readonly #args: Arguments;
  readonly #first: number;

  constructor(args: Arguments, first: number, count: number) {
    this.#args = args;
    this.#first = first;
    this.count = count;
  }

  bytesOf(): Uint8Array {
    return this.#args.source;
  }

  startOf(nth: number): number {
    return this.#args.at(this.#first + nth);
  }

  lengthOf(nth: number): number {
    return this.#args.length(this.#first + nth);
  }
}
