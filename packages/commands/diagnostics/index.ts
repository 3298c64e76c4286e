import type { Command } from '../definition/definition.ts';
import { keyPrefixes } from './prefixes.ts';
import { keyFates } from './keyfate.ts';
import { slownessEvents } from './latency.ts';
import { commandLogCommands } from './slowlog.ts';

export const diagnosticsCommands: readonly Command[] = [
  ...commandLogCommands,
  ...slownessEvents,
  ...keyFates,
  ...keyPrefixes,
];
