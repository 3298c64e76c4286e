/**
 * Glob patterns that a key or channel is held against. Most patterns are a prefix and a star: those are found by their
 * first byte and compared byte by byte; all others are matched as globs.
 */

import { type Bytes, fromLatin1, globMatches, sameBytes } from '#base';

/** Bits of what a key pattern allows. */
export const Permission = { read: 1, write: 2, both: 3 } as const;

export interface Pattern {
  /** A character for each byte. */
  readonly text: string;
  /** Bits of {@link Permission}; both of a channel's. */
  readonly permissions: number;
}

interface Prefix {
  readonly bytes: Bytes;
  readonly permissions: number;
}

const NO_PREFIXES: readonly Prefix[] = [];

export class Patterns {
  readonly #prefixes: (readonly Prefix[])[] = [];
  readonly #globs: readonly Prefix[];

  constructor(patterns: readonly Pattern[]) {
    const globs: Prefix[] = [];
    for (const { text, permissions } of patterns) {
      const isPrefix = /^[^*?[\]\\]+\*$/.test(text);
      const bytes = fromLatin1(isPrefix ? text.slice(0, -1) : text);
      const pattern = { bytes, permissions };
      if (isPrefix) this.#addPrefix(pattern);
      else globs.push(pattern);
    }
    this.#globs = globs;
  }

  #addPrefix(prefix: Prefix): void {
    const first = prefix.bytes[0]!;
    this.#prefixes[first] = [...(this.#prefixes[first] ?? NO_PREFIXES), prefix];
  }

  /** True when a pattern fits that allows all of `permissions`. */
  allows(source: Bytes, at: number, length: number, permissions: number): boolean {
    const prefixes = length > 0 ? this.#prefixes[source[at]!] : undefined;
    if (prefixes !== undefined) {
      for (const { bytes, permissions: given } of prefixes) {
        const isFit = bytes.length <= length && sameBytes(bytes, 0, source, at, bytes.length);
        if (isFit && (given & permissions) === permissions) return true;
      }
    }
    if (this.#globs.length === 0) return false;
    const name = source.subarray(at, at + length);
    return this.#globs.some(
      ({ bytes, permissions: given }) =>
        (given & permissions) === permissions && globMatches(bytes, name),
    );
  }
}
