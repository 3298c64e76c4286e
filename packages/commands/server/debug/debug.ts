/** DEBUG: for tests of the server itself. To clients it is one command without documented parts. */

import { container } from '../../definition/definition.ts';
import { debugHead } from './debug-head.ts';
import { debugOnMain } from './debug-main.ts';
import { debugOnShards } from './debug-shard.ts';

const debug = container({
  ...debugHead,
  name: 'DEBUG',
  summary: 'Container for commands that tests of the server need.',
  arity: -2,
  // For unknown subcommands: clients without permission for disruptive ones get the same error for both.
  isProtected: true,
  opaque: true,
  subcommands: [...debugOnShards, ...debugOnMain],
});

export const serverDebugging = [debug];
