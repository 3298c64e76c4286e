/** Commands as monitors see them, those of clients and those of the debug pages alike: which are shown, and from where. */

import type { Arguments, CommandEntry } from '#commands';
import type { Client, WatchedOrigin } from '#router';

/** Stands for an argument that is a secret. */
export const REDACTED = '(redacted)';

/** A command while it is routed. Nothing of it may be kept. */
export interface MonitoredCommand {
  readonly client: Client;
  readonly entry: CommandEntry;
  readonly args: Arguments;
  /** Undefined for a command that the client has just sent. */
  readonly origin: WatchedOrigin | undefined;
}

/** True when monitors show the command: not those of administrators. */
export function isMonitored(entry: CommandEntry): boolean {
  // Commands that run scripts have the flag since Redis shows them by itself, ahead of what they call.
  return !entry.has('admin') && (!entry.has('skip_monitor') || entry.script !== undefined);
}

/** Names by which a filter selects the command, in lower case. */
export function namesOf({ lowerName, container }: CommandEntry): readonly string[] {
  return container === undefined ? [lowerName] : [lowerName, container.lowerName];
}

export function databaseOf({ client, origin }: MonitoredCommand): number {
  return typeof origin === 'object' ? origin.database : client.session.database;
}

export function addressOf({ socket }: Client): string {
  const { isUnix, remoteAddress } = socket;
  return isUnix ? `unix:${remoteAddress.replace(/:0$/, '')}` : remoteAddress;
}
