import type { CommandHead } from '../definition.ts';
import { noKeys } from '../keys.ts';

/** What all parts of DEBUG have in common. */
export const debugHead = {
  since: '1.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  flags: ['admin', 'noscript', 'loading', 'stale'],
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;
