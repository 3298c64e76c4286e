/** Things that hold for a while: since when each holds, its worst value, and when it began or ended. */

/** An episode has ended when it was not seen for this long: a value near its threshold begins no episode each second. */
const END_US = 3_000_000;

interface EpisodeKind<Thing> {
  /** Name of a thing, which stays the same while its value changes. */
  nameOf(thing: Thing): string;
  /** Value of a thing with its threshold; null where there is nothing to measure. */
  measureOf(thing: Thing): { readonly value: number; readonly threshold: number } | null;
  /** Time in microseconds for which a thing must hold before it is reported. */
  confirmUs(thing: Thing): number;
}

export interface Episode<Thing> {
  /** As seen last. */
  readonly thing: Thing;
  /** Highest value, or the lowest where a value below its threshold is worse; null without a measure. */
  readonly worst: number | null;
  /** Monotonic, as the wall clock may jump. */
  readonly sinceUs: number;
  readonly seenUs: number;
}

interface Kept<Thing> extends Episode<Thing> {
  thing: Thing;
  worst: number | null;
  seenUs: number;
  isReported: boolean;
}

interface EpisodeChanges<Thing> {
  readonly began: readonly Episode<Thing>[];
  readonly ended: readonly Episode<Thing>[];
}

export class Episodes<Thing> {
  readonly #kind: EpisodeKind<Thing>;
  readonly #kept = new Map<string, Kept<Thing>>();

  constructor(kind: EpisodeKind<Thing>) {
    this.#kind = kind;
  }

  /** Takes everything that holds now; returns the episodes that began and ended. */
  take(found: readonly Thing[], nowUs: number): EpisodeChanges<Thing> {
    for (const thing of found) this.#see(thing, nowUs);
    const began: Episode<Thing>[] = [];
    const ended: Episode<Thing>[] = [];
    for (const [name, kept] of this.#kept) {
      if (kept.seenUs === nowUs) {
        if (kept.isReported || nowUs - kept.sinceUs < this.#kind.confirmUs(kept.thing)) continue;
        kept.isReported = true;
        began.push(kept);
      } else if (!kept.isReported || nowUs - kept.seenUs >= END_US) {
        this.#kept.delete(name);
        if (kept.isReported) ended.push(kept);
      }
    }
    return { began, ended };
  }

  #see(thing: Thing, nowUs: number): void {
    const name = this.#kind.nameOf(thing);
    const measure = this.#kind.measureOf(thing);
    const kept = this.#kept.get(name);
    if (kept === undefined) {
      const worst = measure?.value ?? null;
      this.#kept.set(name, { thing, worst, sinceUs: nowUs, seenUs: nowUs, isReported: false });
      return;
    }
    kept.thing = thing;
    kept.seenUs = nowUs;
    if (measure === null) return;
    const { value, threshold } = measure;
    const worst = kept.worst ?? value;
    kept.worst = value < threshold ? Math.min(worst, value) : Math.max(worst, value);
  }

  /** Episodes that were reported and have not ended. */
  get current(): readonly Episode<Thing>[] {
    return [...this.#kept.values()].filter(({ isReported }) => isReported);
  }
}
