/** Share of look-ups that found a key: of the last minute, and the highest minute of the last quarter of an hour. */

const SLICE_US = 10_000_000;
const SLICES_MAX = 90;
const MINUTE_SLICES = 6;
/** Look-ups of a minute from which a share is shown. */
const LOOK_UPS_MIN = 1_000;

interface Slice {
  readonly hits: number;
  readonly misses: number;
}

interface HitShareReport {
  readonly now: number | null;
  readonly before: number | null;
}

export class HitShares {
  readonly #slices: Slice[] = [];
  #hits = 0;
  #misses = 0;
  #dueUs = 0;

  /** Takes the counters as of now. */
  take(hits: number, misses: number, nowUs: number): void {
    if (nowUs < this.#dueUs) return;
    const isFirst = this.#dueUs === 0;
    this.#dueUs = nowUs + SLICE_US;
    // CONFIG RESETSTAT sets them back.
    const slice = {
      hits: Math.max(0, hits - this.#hits),
      misses: Math.max(0, misses - this.#misses),
    };
    this.#hits = hits;
    this.#misses = misses;
    if (isFirst) return;
    this.#slices.push(slice);
    if (this.#slices.length > SLICES_MAX) this.#slices.shift();
  }

  get report(): HitShareReport {
    const ends = this.#slices.map((_, index) => index + 1);
    const shares = ends.map((end) =>
      shareOf(this.#slices.slice(Math.max(0, end - MINUTE_SLICES), end)),
    );
    const known = shares.filter((share) => share !== null);
    return { now: shares.at(-1) ?? null, before: known.length === 0 ? null : Math.max(...known) };
  }
}

function shareOf(slices: readonly Slice[]): number | null {
  const hits = slices.reduce((sum, slice) => sum + slice.hits, 0);
  const all = slices.reduce((sum, slice) => sum + slice.misses, hits);
  return all < LOOK_UPS_MIN ? null : hits / all;
}
