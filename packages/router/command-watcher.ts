/** Sight of commands for those who want to see all of them: MONITOR, and what clients track. */

import type { Arguments, CommandEntry } from '#commands';
import type { Client } from './clients/client.ts';

/** Call of a script: the database that the script is in, and the sequence of the command that runs it. */
export interface WatchedCall {
  readonly database: number;
  readonly sequence: number;
}

/** Sees the commands that clients send, and those that their scripts call. */
export type CommandWatcher = (
  client: Client,
  entry: CommandEntry,
  args: Arguments,
  call?: WatchedCall,
) => void;
