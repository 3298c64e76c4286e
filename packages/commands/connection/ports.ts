/** Ports of the server that commands about connections use. */

import type { ClusterPort } from '../cluster/ports.ts';
import type { ClientPort, MainContext } from '../contexts/contexts.ts';
import type { TrackingOptions } from '../contexts/tracking-state.ts';

export interface ClientsPort {
  /** Returns all clients, by id, oldest first. */
  all(): readonly ClientPort[];
  byId(id: number): ClientPort | undefined;
  /** Closes a connection at once. */
  kill(client: ClientPort): void;
  /** Holds back all commands, or those that write, until a moment (unix ms). */
  pause(mode: 'all' | 'write', untilMs: number): void;
  unpause(): void;
  /** Ends the wait of a client that `canUnblock`, and says when it has ended. */
  unblock(client: ClientPort, withError: boolean, ended: (isDone: boolean) => void): void;
}

export interface AuthenticationPort {
  /** True when the default user has a password, or none is good. */
  readonly hasPassword: boolean;
  /** True when there is such a user. */
  isUser(name: string): boolean;
  /** Logs the client in that sends the command named; false when user and password do not fit. */
  login(name: string, password: string, command: string): boolean;
}

export interface TracksPort {
  /** Enables tracking for a client, or changes its options. */
  enable(client: ClientPort, options: TrackingOptions): void;
  disable(client: ClientPort): void;
}

/** Context of a handler of this family. */
export interface ConnectionContext extends MainContext {
  readonly clients: ClientsPort;
  readonly authentication: AuthenticationPort;
  readonly tracks: TracksPort;
  /** Undefined where the server is in no cluster. */
  readonly cluster: ClusterPort | undefined;
  readonly databaseCount: number;
  readonly redisVersion: string;
  /** Availability zone of the server; empty for none. */
  readonly availabilityZone: string;
  readonly replication: { readonly role: { readonly role: 'master' | 'slave' } };
  /** Forgets all state of the connection but its id and authentication. */
  resetClient(): void;
}
