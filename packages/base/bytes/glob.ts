/**
 * Redis' glob patterns over bytes: `*`, `?`, `[a-z]`, `[^a]` and `\` before a literal. Only the latest `*` is ever
 * retried, which is sufficient, because a later `*` can match everything that an earlier one could have left to it. So
 * the work is at most pattern times value, for any pattern.
 */

const STAR = 0x2a;
const QUESTION = 0x3f;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const CARET = 0x5e;
const DASH = 0x2d;
const BACKSLASH = 0x5c;
const MISMATCH = -1;
/** A pattern that has to pass more runs of `*` than these fits nothing, as in Redis since 7.4.1. */
const MOST_STAR_RUNS = 1000;

/**
 * True when the pattern matches the whole value. An empty value matches only the empty pattern, not even `*`, as in
 * Redis 7.4.
 */
export function globMatches(pattern: Uint8Array, value: Uint8Array, ignoreCase = false): boolean {
  return globMatchesAt(pattern, value, 0, value.length, ignoreCase);
}

/** Returns true when `length` bytes at `from` fit the pattern; otherwise as `globMatches`. */
export function globMatchesAt(
  pattern: Uint8Array,
  value: Uint8Array,
  from: number,
  length: number,
  ignoreCase = false,
): boolean {
  if (length === 0) return pattern.length === 0;
  const end = from + length;
  let at = 0;
  let valueAt = from;
  let afterStar = MISMATCH;
  let starValueAt = 0;
  let starRuns = 0;
  while (valueAt < end) {
    if (at < pattern.length && pattern[at] === STAR) {
      while (pattern[at] === STAR) at += 1;
      if (at === pattern.length) return true;
      starRuns += 1;
      if (starRuns > MOST_STAR_RUNS) return false;
      // Without capitals to be looked for, values in which the literal does not come again are left at once.
      valueAt = ignoreCase ? valueAt : literalFrom(pattern, at, value, valueAt, end);
      if (valueAt === end) return false;
      afterStar = at;
      starValueAt = valueAt;
      continue;
    }
    const next =
      at < pattern.length ? matchOne(pattern, at, value[valueAt]!, ignoreCase) : MISMATCH;
    if (next !== MISMATCH) {
      at = next;
      valueAt += 1;
    } else if (afterStar !== MISMATCH) {
      at = afterStar;
      starValueAt += 1;
      if (!ignoreCase) starValueAt = literalFrom(pattern, at, value, starValueAt, end);
      valueAt = starValueAt;
    } else {
      return false;
    }
  }
  while (pattern[at] === STAR) at += 1;
  return at === pattern.length;
}

/** Returns where a value first has the byte that the pattern wants at `at`: `from` where it does not want just one. */
function literalFrom(
  pattern: Uint8Array,
  at: number,
  value: Uint8Array,
  from: number,
  end: number,
): number {
  const literal = pattern[at]!;
  if (literal === QUESTION || literal === OPEN || literal === BACKSLASH) return from;
  let next = from;
  while (next < end && value[next] !== literal) next += 1;
  return next;
}

/** Returns the position in the pattern after its element at `at` has matched the byte, or MISMATCH. */
function matchOne(pattern: Uint8Array, at: number, byte: number, ignoreCase: boolean): number {
  const first = pattern[at]!;
  if (first === QUESTION) return at + 1;
  if (first === OPEN) return matchClass(pattern, at + 1, byte, ignoreCase);
  const literalAt = first === BACKSLASH && at + 1 < pattern.length ? at + 1 : at;
  return same(pattern[literalAt]!, byte, ignoreCase) ? literalAt + 1 : MISMATCH;
}

/**
 * Matches a class whose members begin at `start`. The odd corners are Redis': a class without its
 * `]` ends with the pattern, `]` closes even as the first member, an escaped member keeps its case.
 */
function matchClass(pattern: Uint8Array, start: number, byte: number, ignoreCase: boolean): number {
  const inverted = pattern[start] === CARET;
  let at = inverted ? start + 1 : start;
  let found = false;
  while (at < pattern.length && pattern[at] !== CLOSE) {
    const member = pattern[at]!;
    const rest = pattern.length - at;
    if (member === BACKSLASH && rest >= 2) {
      found ||= pattern[at + 1] === byte;
      at += 2;
    } else if (rest >= 3 && pattern[at + 1] === DASH) {
      found ||= isBetween(member, pattern[at + 2]!, byte, ignoreCase);
      at += 3;
    } else {
      found ||= same(member, byte, ignoreCase);
      at += 1;
    }
  }
  if (found === inverted) return MISMATCH;
  return Math.min(at + 1, pattern.length);
}

function isBetween(one: number, other: number, byte: number, ignoreCase: boolean): boolean {
  let least = Math.min(one, other);
  let most = Math.max(one, other);
  let wanted = byte;
  if (ignoreCase) {
    least = lowered(least);
    most = lowered(most);
    wanted = lowered(wanted);
  }
  return wanted >= least && wanted <= most;
}

function same(one: number, other: number, ignoreCase: boolean): boolean {
  return one === other || (ignoreCase && lowered(one) === lowered(other));
}

function lowered(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
