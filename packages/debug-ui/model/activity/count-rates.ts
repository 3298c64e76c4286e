/** Rates per second of named counts, such as the commands of users or clients, from two moments. */

export interface Counts {
  readonly timeMs: number;
  /** Counts by name. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Returns the rates of what was counted at both moments; none of a count that was reset in between. */
export function ratesBetween(before: Counts | null, now: Counts): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  const seconds = before === null ? 0 : (now.timeMs - before.timeMs) / 1_000;
  if (before === null || seconds <= 0) return rates;
  for (const [name, count] of now.counts) {
    const known = before.counts.get(name);
    if (known !== undefined && count >= known) rates.set(name, (count - known) / seconds);
  }
  return rates;
}
