/** Outcome of judging a command: one number, since it is made for every command of a restricted user. */

/** Reasons of denials, ordered by severity: of several selectors, the most severe is reported. */
export const Denied = { command: 1, key: 2, channel: 4 } as const;

/** 0 when allowed, else the index of the argument times 8, plus a reason. */
export type Verdict = number;

export const ALLOWED: Verdict = 0;

const REASON_MASK = 7;

export function denial(reason: number, index = 0): Verdict {
  return index * (REASON_MASK + 1) + reason;
}

export function reasonOf(verdict: Verdict): number {
  return verdict % (REASON_MASK + 1);
}

/** Index of the argument that was denied; 0 for the command itself. */
export function indexOf(verdict: Verdict): number {
  return Math.floor(verdict / (REASON_MASK + 1));
}

/** The graver of two denials; of two that are alike, that of the later argument. */
export function graver(one: Verdict, other: Verdict): Verdict {
  const difference = reasonOf(one) - reasonOf(other);
  if (difference !== 0) return difference > 0 ? one : other;
  return indexOf(one) >= indexOf(other) ? one : other;
}
