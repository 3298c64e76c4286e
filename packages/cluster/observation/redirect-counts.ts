/** Counts of commands that were not executed here because of their slots, by reply and by client library. */

import type { LibraryRedirects } from '#api-types';
import type { Page } from '#stats';

/** Kinds of answers, as metrics name them. */
type RedirectKind = 'moved' | 'ask' | 'tryagain' | 'crossslot' | 'clusterdown';

type Counts = Record<RedirectKind, number>;

/** Libraries with counts of their own: clients choose the names. */
const LIBRARIES_MAX = 32;
const NO_LIBRARY = 'unknown';
const FURTHER_LIBRARIES = 'other';

const COUNTERS = {
  moved: 'clusterMoved',
  ask: 'clusterAsk',
  tryagain: 'clusterTryAgain',
  crossslot: 'clusterCrossSlot',
  clusterdown: 'clusterDown',
} as const;

export class RedirectCounts {
  readonly #page: Page;
  readonly #libraries = new Map<string, Counts>();

  constructor(page: Page) {
    this.#page = page;
  }

  count(kind: RedirectKind, { libraryName }: { readonly libraryName: string }): void {
    this.#page.add(COUNTERS[kind], 1);
    this.#of(libraryName === '' ? NO_LIBRARY : libraryName)[kind] += 1;
  }

  #of(library: string): Counts {
    const known = this.#libraries.get(library);
    if (known !== undefined) return known;
    if (this.#libraries.size >= LIBRARIES_MAX && library !== FURTHER_LIBRARIES) {
      return this.#of(FURTHER_LIBRARIES);
    }
    const counts = { moved: 0, ask: 0, tryagain: 0, crossslot: 0, clusterdown: 0 };
    this.#libraries.set(library, counts);
    return counts;
  }

  get totals(): Counts {
    const page = this.#page;
    const counts: Partial<Counts> = {};
    for (const kind of Object.keys(COUNTERS) as RedirectKind[])
      counts[kind] = page.get(COUNTERS[kind]);
    return counts as Counts;
  }

  get byLibrary(): readonly LibraryRedirects[] {
    return [...this.#libraries].map(([library, counts]) => ({ library, ...counts }));
  }
}
