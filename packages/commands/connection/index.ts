import { container, type Command } from '../definition.ts';
import { clientListCommands } from './client-list.ts';
import { clientStateCommands } from './client-state.ts';
import { sessionCommands } from './session.ts';

const client = container({
  name: 'CLIENT',
  summary: 'Groups the commands about client connections.',
  since: '2.4.0',
  complexity: 'Depends on the subcommand.',
  group: 'connection',
  arity: -2,
  flags: [],
  subcommands: [...clientStateCommands, ...clientListCommands],
});

export const connectionCommands: readonly Command[] = [...sessionCommands, client];

export { clientLine, flagsOf } from './client-report.ts';
export type { AuthenticationPort, ClientsPort, ConnectionContext } from './ports.ts';
