/** Strings that are given to scripts, from where they lie: a script's keys and arguments. */

/** Strings by their numbers, from 0 on; read while they are pushed, and not kept. */
export interface StringSource {
  readonly count: number;
  /** Memory in which the nth string lies. */
  bytesOf(nth: number): Uint8Array;
  startOf(nth: number): number;
  lengthOf(nth: number): number;
}

/** Strings that are arrays of bytes each. */
export class StringList implements StringSource {
  readonly #strings: readonly Uint8Array[];

  constructor(strings: readonly (Uint8Array | string)[]) {
    this.#strings = strings.map((one) => (typeof one === 'string' ? Buffer.from(one) : one));
  }

  get count(): number {
    return this.#strings.length;
  }

  bytesOf(nth: number): Uint8Array {
    return this.#strings[nth]!;
  }

  startOf(): number {
    return 0;
  }

  lengthOf(nth: number): number {
    return this.#strings[nth]!.length;
  }
}

export const NO_STRINGS: StringSource = new StringList([]);
