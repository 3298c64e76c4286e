import type { Command } from '../definition/definition.ts';
import { keyPrefixes } from './prefixes.ts';
import { keyFates } from './keyfate.ts';
import { slownessEvents } from './latency.ts';
import { slownessLog } from './slowlog.ts';

export const diagnosticsCommands: readonly Command[] = [
  ...slownessLog,
  ...slownessEvents,
  ...keyFates,
  ...keyPrefixes,
];
