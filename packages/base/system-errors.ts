/** System errors in messages of other threads, which are texts. */

import { constants } from 'node:os';

interface SystemError {
  /** As `ENOSPC`. */
  readonly code: string;
  readonly errno: number;
}

const NUMBERS: ReadonlyMap<string, number> = new Map(Object.entries(constants.errno));

/** Returns the first system error that a message names, as `ENOSPC: no space left on device`; undefined without one. */
export function systemErrorIn(message: string): SystemError | undefined {
  for (const code of message.match(/\bE[A-Z0-9]{2,}\b/g) ?? []) {
    const errno = NUMBERS.get(code);
    if (errno !== undefined) return { code, errno };
  }
  return undefined;
}

/** Number of the system error that a message names; 0 without one. */
export function errnoIn(message: string): number {
  return systemErrorIn(message)?.errno ?? 0;
}
