/** Requests of a connection that have no reply yet, in order. Replies come in that order. */

/** Number in place of a command's for requests whose reply counts for nothing. */
export const UNCOUNTED = -1;

export class SentRequests {
  /** Microseconds at which each was to be sent. */
  #times = new Float64Array(64);
  #commands = new Int16Array(64);
  #keys = new Float64Array(64);
  #first = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Requests that are counted. */
  get countedCount(): number {
    let counted = 0;
    for (let nth = 0; nth < this.#count; nth += 1) {
      if (this.#commands[this.#placeOf(nth)] !== UNCOUNTED) counted += 1;
    }
    return counted;
  }

  push(dueUs: number, command: number, key: number): void {
    if (this.#count === this.#times.length) this.#grow();
    const place = this.#placeOf(this.#count);
    this.#times[place] = dueUs;
    this.#commands[place] = command;
    this.#keys[place] = key;
    this.#count += 1;
  }

  /** Fields of the oldest one. */
  get dueUs(): number {
    return this.#times[this.#first]!;
  }

  get command(): number {
    return this.#commands[this.#first]!;
  }

  get key(): number {
    return this.#keys[this.#first]!;
  }

  /** Removes the oldest one. */
  shift(): void {
    this.#first = (this.#first + 1) & (this.#times.length - 1);
    this.#count -= 1;
  }

  #placeOf(nth: number): number {
    return (this.#first + nth) & (this.#times.length - 1);
  }

  #grow(): void {
    const size = 2 * this.#times.length;
    const [times, commands, keys] = [
      new Float64Array(size),
      new Int16Array(size),
      new Float64Array(size),
    ];
    for (let nth = 0; nth < this.#count; nth += 1) {
      const place = this.#placeOf(nth);
      times[nth] = this.#times[place]!;
      commands[nth] = this.#commands[place]!;
      keys[nth] = this.#keys[place]!;
    }
    [this.#times, this.#commands, this.#keys, this.#first] = [times, commands, keys, 0];
  }
}
