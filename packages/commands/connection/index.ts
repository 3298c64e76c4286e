import { container, type Command } from '../definition/definition.ts';
import { clientListCommands } from './client-list.ts';
import { clientStateCommands } from './client-state.ts';
import { sessionCommands } from './session.ts';
import { trackingCommands } from './tracking.ts';

const client = container({
  name: 'CLIENT',
  summary: 'Container for commands about client connections.',
  since: '2.4.0',
  complexity: 'Depends on the subcommand.',
  group: 'connection',
  arity: -2,
  flags: [],
  subcommands: [...clientStateCommands, ...trackingCommands, ...clientListCommands],
});

export const connectionCommands: readonly Command[] = [...sessionCommands, client];

export { clientFields, clientLine, flagsOf } from './client-report.ts';
export type { AuthenticationPort, ClientsPort, ConnectionContext, TracksPort } from './ports.ts';
export type { TraceParent } from '../contexts/trace-context.ts';
export type { TrackingOptions, TrackingState } from '../contexts/tracking-state.ts';
