/** Error codes that scripts make up, counted in rows of a page: each row has the code, and how often it was answered. */

/** Most codes of one page; Redis' limit of all codes, its own included. */
export const ERROR_TYPES_MAX = 128;
/** Longest code that counts as one. */
export const ERROR_CODE_BYTES_MAX = 31;

/** Doubles of a row: the count, and the code with its length before it. */
const ROW_CELLS = 1 + (1 + ERROR_CODE_BYTES_MAX) / Float64Array.BYTES_PER_ELEMENT;
/** Cells of a page: the rows, and one that says that no room was left for a code. */
export const MADE_UP_CELLS = ROW_CELLS * ERROR_TYPES_MAX + 1;

export class MadeUpErrors {
  readonly #values: Float64Array;
  readonly #start: number;
  /** Rows by their codes, for the thread that writes. */
  readonly #rows = new Map<string, number>();

  constructor(values: Float64Array, start: number) {
    this.#values = values;
    this.#start = start;
  }

  /** Counts an error; a code for which there is no room is lost, and from then on all that are new. */
  count(code: string): void {
    const row = this.#rows.get(code) ?? this.#add(code);
    if (row === undefined) return;
    const at = this.#cell(row);
    this.#values[at] = this.#values[at]! + 1;
  }

  /** True when there was no room for a code. */
  get isFull(): boolean {
    return this.#values[this.#cell(ERROR_TYPES_MAX)] !== 0;
  }

  /** The codes that were answered, and how often. */
  *read(): Generator<readonly [code: string, count: number]> {
    for (let row = 0; row < ERROR_TYPES_MAX; row += 1) {
      const count = this.#values[this.#cell(row)]!;
      if (count === 0) return;
      const name = this.#name(row);
      yield [name.toString('latin1', 1, 1 + name[0]!), count];
    }
  }

  /** Forgets all codes. */
  clear(): void {
    this.#rows.clear();
    this.#values.fill(0, this.#start, this.#start + MADE_UP_CELLS);
  }

  #add(code: string): number | undefined {
    const row = this.#rows.size;
    if (row === ERROR_TYPES_MAX) {
      this.#values[this.#cell(row)] = 1;
      return undefined;
    }
    this.#rows.set(code, row);
    const name = this.#name(row);
    name[0] = code.length;
    name.write(plain(code), 1, 'latin1');
    return row;
  }

  #cell(row: number): number {
    return this.#start + ROW_CELLS * row;
  }

  /** Bytes of a row after its count. */
  #name(row: number): Buffer {
    const { buffer, byteOffset, BYTES_PER_ELEMENT: width } = this.#values;
    const at = byteOffset + (this.#cell(row) + 1) * width;
    return Buffer.from(buffer, at, (ROW_CELLS - 1) * width);
  }
}

/** A code as lines of INFO and labels of metrics can show it. */
function plain(code: string): string {
  return code.replaceAll(/[^!-~]|["#:\\]/g, '_');
}
