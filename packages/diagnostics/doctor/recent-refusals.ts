/** Commands that rate limits have refused within the last minute, by user: slices of it that go one by one. */

const SLICES = 6;
const SLICE_US = 10_000_000;

export interface RefusedUser {
  /** A character for each byte. */
  readonly user: string;
  readonly refused: number;
}

export class RecentRefusals {
  /** Refusals by user in each slice. */
  readonly #slices = Array.from({ length: SLICES }, () => new Map<string, number>());
  /** Number of the slice that is counted in, from the origin of the clock on. */
  #current = 0;

  add(user: string, nowUs: number): void {
    const slice = this.#sliceAt(nowUs);
    slice.set(user, (slice.get(user) ?? 0) + 1);
  }

  /** Returns the users, the one that was refused most first. */
  at(nowUs: number): readonly RefusedUser[] {
    this.#sliceAt(nowUs);
    const sums = new Map<string, number>();
    for (const slice of this.#slices) {
      for (const [user, refused] of slice) sums.set(user, (sums.get(user) ?? 0) + refused);
    }
    return [...sums]
      .map(([user, refused]) => ({ user, refused }))
      .sort((one, other) => other.refused - one.refused);
  }

  /** Returns the counts of the current slice, after clearing slices older than a minute. */
  #sliceAt(nowUs: number): Map<string, number> {
    const now = Math.floor(nowUs / SLICE_US);
    const first = Math.max(this.#current + 1, now - SLICES + 1);
    for (let slice = first; slice <= now; slice += 1) this.#slices[slice % SLICES]!.clear();
    this.#current = Math.max(this.#current, now);
    return this.#slices[this.#current % SLICES]!;
  }
}
