import type { Command } from '../definition/definition.ts';
import { streamAdding } from './add.ts';
import { streamClaiming } from './groups/claim.ts';
import { streamGroups } from './groups/group.ts';
import { streamReports } from './info.ts';
import { streamPending } from './groups/pending.ts';
import { streamRanges } from './range.ts';
import { streamReading } from './read.ts';
import { streamRemoval } from './remove.ts';

export const streamCommands: readonly Command[] = [
  ...streamAdding,
  ...streamRanges,
  ...streamRemoval,
  ...streamReading,
  ...streamGroups,
  ...streamPending,
  ...streamClaiming,
  ...streamReports,
];
