/** Numbers of system errors in messages of other threads, which are texts. */

import { constants } from 'node:os';

const { errno } = constants;

/** Returns the number of the system error that a message names, as `ENOSPC: no space left on device`; 0 without one. */
export function errnoIn(message: string): number {
  const code = /\bE[A-Z0-9]{2,}\b/.exec(message)?.[0] ?? '';
  return (errno as Readonly<Record<string, number>>)[code] ?? 0;
}
