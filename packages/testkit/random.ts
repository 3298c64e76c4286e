/**
 * Random numbers that can be had again: the seed comes from TEST_SEED, or is chosen and printed when
 * the test fails.
 */

/** A source of repeatable random numbers. */
export class Random {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.#state = this.seed;
  }

  /** A number from 0 up to, but not reaching, 1. */
  fraction(): number {
    // mulberry32: 32 bits of state, good enough to choose test cases, and the same everywhere.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  /** True this often. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the items. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** One of the choices, each as often as its weight says. */
  weighted<Choice>(choices: readonly (readonly [weight: number, choice: Choice])[]): Choice {
    const total = choices.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.fraction() * total;
    return (choices.find(([weight]) => (left -= weight) < 0) ?? choices[0]!)[1];
  }

  /** Returns `count` random bytes. */
  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index += 1) bytes[index] = this.integer(0, 255);
    return bytes;
  }

  /** The items in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const result = [...items];
    for (let index = result.length - 1; index > 0; index -= 1) {
      const other = this.integer(0, index);
      [result[index], result[other]] = [result[other]!, result[index]!];
    }
    return result;
  }
}

/** The seed of this run: TEST_SEED where set, or a new one. */
export function chosenSeed(): number {
  const wanted = process.env['TEST_SEED'];
  return wanted === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(wanted) >>> 0;
}

/** Every third of the items, beginning where the seed says: for random tests of which all together take too long in one run. */
export function everyThird<Item>(items: readonly Item[], seed: number): Item[] {
  return items.filter((_, nth) => nth % 3 === seed % 3);
}

/** Runs a test body with random numbers; a failure says which seed brings it back. */
export function withRandom(body: (random: Random) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const random = new Random(chosenSeed());
    try {
      await body(random);
    } catch (error) {
      process.stderr.write(`TEST_SEED=${random.seed} brings this failure back\n`);
      throw error;
    }
  };
}
