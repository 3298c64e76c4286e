/** Keys, channels and names as the log of denials keeps them: who is denied chooses them, and must not fill the memory by it. */

import { fromLatin1, latin1 } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import { indexOf, type Verdict } from '../verdict.ts';

/** Longer texts are cut. */
const DENIED_BYTES_MAX = 4_096;

/** Returns the command or argument that a verdict denies, a character for each byte. */
export function deniedObject(verdict: Verdict, entry: CommandEntry, args: Arguments): string {
  const index = indexOf(verdict);
  if (index === 0) return entry.knownName;
  return latin1(args.source, args.at(index), Math.min(args.length(index), DENIED_BYTES_MAX));
}

/** A name that was denied. Longer ones are copied, since a part of a text keeps all of it in memory. */
export function deniedName(name: string): string {
  if (name.length <= DENIED_BYTES_MAX) return name;
  return latin1(fromLatin1(name.slice(0, DENIED_BYTES_MAX)), 0, DENIED_BYTES_MAX);
}
