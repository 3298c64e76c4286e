/** The newest lines of a monitor, limited in number and in characters. */

import type { MonitorLineReport } from '#api-types';

/** A line before it has its number. */
export type NewLine = Omit<MonitorLineReport, 'number'>;

export class LineRing {
  readonly #linesMax: number;
  readonly #charsMax: number;
  #lines: MonitorLineReport[] = [];
  /** Index of the oldest kept line; lines before it are dropped together, so that each costs little. */
  #first = 0;
  #chars = 0;
  /** Number of the newest line; 0 before the first. */
  last = 0;

  constructor(linesMax: number, charsMax: number) {
    this.#linesMax = linesMax;
    this.#charsMax = charsMax;
  }

  add(line: NewLine): void {
    this.last += 1;
    this.#lines.push({ number: this.last, ...line });
    this.#chars += charsOf(line);
    while (this.#count > this.#linesMax || (this.#chars > this.#charsMax && this.#count > 1)) {
      this.#chars -= charsOf(this.#lines[this.#first]!);
      this.#first += 1;
    }
    if (this.#first < this.#linesMax) return;
    this.#lines = this.#lines.slice(this.#first);
    this.#first = 0;
  }

  get #count(): number {
    return this.#lines.length - this.#first;
  }

  /** Returns the kept lines with a number above that, oldest first, and how many above it are no longer kept. */
  after(number: number): { readonly lines: readonly MonitorLineReport[]; readonly missed: number } {
    const oldest = this.last - this.#count + 1;
    const wanted = Math.max(number + 1, oldest);
    const lines = this.#lines.slice(this.#first + wanted - oldest);
    return { lines, missed: number >= this.last ? 0 : wanted - number - 1 };
  }
}

function charsOf({ args, addr, user }: NewLine): number {
  let chars = addr.length + user.length;
  for (const arg of args) chars += arg.length;
  return chars;
}
