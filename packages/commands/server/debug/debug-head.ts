import type { CommandHead } from '../../definition/definition.ts';
import { noKeys } from '../../definition/keys.ts';

/** Common head of the parts of DEBUG that only look: any client that may diagnose the server may run them. */
export const debugHead = {
  since: '1.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  flags: ['admin', 'noscript', 'loading', 'stale'],
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;

/** Head of the disruptive subcommands: they stop threads, change what tests check, or fill the log. */
export const disturbingHead = { ...debugHead, isProtected: true } as const;
