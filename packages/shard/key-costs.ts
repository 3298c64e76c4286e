/** Tells the sampler of hot keys what a command has cost; several keys share it. */

import { findKeys, type Arguments, type CommandEntry } from '#commands';
import type { HotKeys } from '#diag';

/** What a command took: microseconds of execution, and bytes of the request and the reply. */
export interface CommandCost {
  readonly us: number;
  readonly bytes: number;
}

export function countKeys(
  hotKeys: HotKeys,
  entry: CommandEntry,
  args: Arguments,
  { us, bytes }: CommandCost,
): void {
  if (!hotKeys.counts(us, bytes, entry.hasKeys)) return;
  const found = findKeys(entry.command.keys, args) ?? [];
  for (const { index } of found) {
    hotKeys.sampled(args.latin1(index), us / found.length, bytes / found.length);
  }
}
