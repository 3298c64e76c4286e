/** Finds the keys that a command reads in addition to its own and that depend on values. */

import { type Bytes, CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { ExecutionContext } from './context.ts';

const NONE: readonly Bytes[] = [];

/** As the values are now; none where the command fails, which is for itself to say. */
export function namedKeys(
  { otherKeys }: CommandEntry,
  context: ExecutionContext,
  args: Arguments,
): readonly Bytes[] {
  try {
    return otherKeys?.areNamed(args) === true ? otherKeys.of(context, args) : NONE;
  } catch (error) {
    if (error instanceof CommandError) return NONE;
    throw error;
  }
}
