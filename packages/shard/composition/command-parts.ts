/** Parts of a shard that have commands run: those that wait, that are tried, that take long, or that other shards share. */

import { BlockedCommands } from '../blocked/blocked-commands.ts';
import { DryRuns } from '../blocked/dry-run.ts';
import { Lending } from '../lending/lending.ts';
import { PreparedCommands } from '../timed/prepared-commands.ts';
import type { MachineOptions } from './machine-options.ts';
import type { MachineWays } from './machine-ways.ts';
import type { ShardLinks } from './shard-links.ts';
import type { ExecutingParts } from './executing-parts.ts';

export interface CommandParts {
  readonly dryRuns: DryRuns;
  readonly blockedCommands: BlockedCommands;
  readonly lending: Lending;
  readonly preparedCommands: PreparedCommands;
}

export function newCommandParts(
  options: MachineOptions,
  parts: ShardLinks & ExecutingParts,
  ways: MachineWays,
): CommandParts {
  const { index: shardIndex, shardCount, page, shardExchange } = options;
  const shared = { ...parts, shardIndex, shardCount };
  const dryRuns = new DryRuns(shared);
  const blockedCommands = new BlockedCommands({ ...shared, dryRuns });
  return {
    dryRuns,
    blockedCommands,
    lending: new Lending({
      ...shared,
      exchange: shardExchange?.exchange,
      values: page.values,
      blocking: blockedCommands,
      dispatch: (frame, names) => {
        ways.dispatch(frame, names);
      },
    }),
    preparedCommands: new PreparedCommands({ ...shared, blockedCommands }),
  };
}
