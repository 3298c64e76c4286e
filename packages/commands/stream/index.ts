import type { Command } from '../definition/definition.ts';
import { streamAdding } from './add.ts';
import { streamClaiming } from './groups/claim.ts';
import { streamGroups } from './groups/group.ts';
import { streamIdempotency } from './idempotency/configure.ts';
import { streamReports } from './info.ts';
import { streamPending } from './groups/pending.ts';
import { streamReleasing } from './groups/release.ts';
import { streamRanges } from './range.ts';
import { streamReading } from './read.ts';
import { streamRemoval } from './remove.ts';
import { streamReferences } from './references/remove-by-reference.ts';

export const streamCommands: readonly Command[] = [
  ...streamAdding,
  ...streamRanges,
  ...streamRemoval,
  ...streamReferences,
  ...streamReading,
  ...streamGroups,
  ...streamPending,
  ...streamClaiming,
  ...streamReleasing,
  ...streamIdempotency,
  ...streamReports,
];
