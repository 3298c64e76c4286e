/** Things by their name, and in the order of their names' bytes. */

interface Named {
  /** One character per byte. */
  readonly name: string;
}

export class NamedList<Thing extends Named> {
  readonly #byName = new Map<string, Thing>();
  #sorted: readonly Thing[] | undefined;

  get count(): number {
    return this.#byName.size;
  }

  get(name: string): Thing | undefined {
    return this.#byName.get(name);
  }

  /** Adds a thing whose name is not there. */
  add(thing: Thing): void {
    this.#byName.set(thing.name, thing);
    this.#sorted = undefined;
  }

  remove({ name }: Thing): void {
    this.#byName.delete(name);
    this.#sorted = undefined;
  }

  /** All of them, in order. */
  get sorted(): readonly Thing[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }
}
