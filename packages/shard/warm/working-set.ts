/**
 * Estimates how much memory would hold most of the accessed data. A sample of all keys, selected by their hashes, is
 * tracked: the distribution of its accesses represents that of all keys. If a few keys get most of the accesses, one of
 * them may be in the sample and would be tracked with every other command: so the sample is halved while it gets more
 * than one access in 16.
 */

/** Keys of which one is watched at first. */
const FIRST_PART = 64;
const SAMPLED_SHARE_MAX = 1 / 16;
/** Number of accesses after which the sampled share is adjusted. */
const JUDGED_EVERY = 4_096;
const WATCHED_MAX = 8_192;
/** Number of accesses after which all counts are halved, so that old ones lose weight. */
const FADED_EVERY = 1_000_000;

interface WatchedKey {
  uses: number;
  bytes: number;
}

export class WorkingSet {
  readonly #watched = new Map<number, WatchedKey>();
  #mask = FIRST_PART - 1;
  #uses = 0;
  #watchedUses = 0;
  #sinceFade = 0;

  /** Counts uses of keys that are not watched. */
  use(uses: number): void {
    this.#uses += uses;
    if (this.#uses >= JUDGED_EVERY) this.#judge();
  }

  /** Mask of the sample: a key is sampled if its hash has none of these bits. */
  get mask(): number {
    return this.#mask;
  }

  /** Counts an access; returns true for a sampled key, for which `note` must be called. */
  isWatched(hash: number): boolean {
    this.use(1);
    return (hash & this.#mask) === 0;
  }

  /** Records an access to a sampled key that uses `bytes` bytes in memory. */
  note(hash: number, bytes: number): void {
    this.#watchedUses += 1;
    const key = this.#watched.get(hash);
    if (key === undefined) {
      this.#watched.set(hash, { uses: 1, bytes });
      if (this.#watched.size > WATCHED_MAX) this.#halve();
    } else {
      key.uses += 1;
      key.bytes = bytes;
    }
  }

  /** Bytes of the keys that get so much of all use, those that are used most first. */
  bytesFor(share: number): number {
    const keys = [...this.#watched.values()].sort((a, b) => b.uses - a.uses);
    let left = share * keys.reduce((sum, { uses }) => sum + uses, 0);
    let bytes = 0;
    for (const key of keys) {
      if (left <= 0) break;
      left -= key.uses;
      bytes += key.bytes;
    }
    return bytes * (this.#mask + 1);
  }

  #judge(): void {
    if (this.#watchedUses > this.#uses * SAMPLED_SHARE_MAX) this.#halve();
    this.#sinceFade += this.#uses;
    this.#uses = 0;
    this.#watchedUses = 0;
    if (this.#sinceFade < FADED_EVERY) return;
    this.#sinceFade = 0;
    for (const [hash, key] of this.#watched) {
      key.uses = Math.floor(key.uses / 2);
      if (key.uses === 0) this.#watched.delete(hash);
    }
  }

  /** Watches half as many keys. */
  #halve(): void {
    this.#mask = this.#mask * 2 + 1;
    for (const hash of this.#watched.keys()) {
      if ((hash & this.#mask) !== 0) this.#watched.delete(hash);
    }
  }
}
