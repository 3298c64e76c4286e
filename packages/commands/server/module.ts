/** Replies about modules, of which there are none. Clients ask for them when they connect. */

import { container, onMain, type CommandHead } from '../definition/definition.ts';
import { helpReply } from '../definition/help.ts';
import { noKeys } from '../definition/keys.ts';

const ofModules = {
  group: 'server',
  keys: noKeys,
  args: [],
  arity: 2,
  complexity: 'O(1)',
} as const satisfies Partial<CommandHead>;

const list = onMain({
  ...ofModules,
  name: 'MODULE|LIST',
  summary: 'Returns the loaded modules, which are always none.',
  since: '4.0.0',
  flags: ['admin', 'noscript'],
  tips: ['nondeterministic_output_order'],
  run({ reply }) {
    reply.arrayHeader(0);
  },
});

const help = onMain({
  ...ofModules,
  name: 'MODULE|HELP',
  summary: 'Describes the subcommands.',
  since: '5.0.0',
  flags: ['loading', 'stale'],
  run({ reply }) {
    helpReply(reply, 'MODULE', [['LIST', 'Returns the loaded modules, which are always none.']]);
  },
});

const modules = container({
  name: 'MODULE',
  summary: 'Container for commands about modules.',
  since: '4.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [list, help],
});

export const serverModules = [modules];
