/** Everything that commands on main may use: each member is contributed by one module. */

import type {
  AclContext,
  ClusterContext,
  ConnectionContext,
  DiagnosticsContext,
  MigrationContext,
  PubSubContext,
  ScriptContext,
  ServerContext,
  TransactionContext,
} from '#commands';

/** Context of the handlers of all families of commands on main. */
type HandlerContext = AclContext &
  ClusterContext &
  ConnectionContext &
  DiagnosticsContext &
  MigrationContext &
  PubSubContext &
  ScriptContext &
  ServerContext &
  TransactionContext;

/** Ports and members of the context but those that change with each command: these are the kernel's. */
export type MainPorts = Omit<HandlerContext, 'client' | 'reply'>;

export type PortName = keyof MainPorts;
