import { container, type Command } from '../definition/definition.ts';
import { judgementCommands } from './judgement.ts';
import { userCommands } from './users.ts';

const acl = container({
  name: 'ACL',
  summary: 'Container for commands about users and their permissions.',
  since: '6.0.0',
  complexity: 'Depends on the subcommand.',
  group: 'server',
  arity: -2,
  flags: [],
  subcommands: [...userCommands, ...judgementCommands],
});

export const aclCommands: readonly Command[] = [acl];

export type { AclContext, AclPort, SelectorDetails, UserDetails } from './ports.ts';
