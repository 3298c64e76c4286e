/** Sight of commands for those who want to see all of them: MONITOR, and what clients track. */

import type { Arguments, CommandEntry } from '#commands';
import type { Client } from './clients/client.ts';

/** Call of a script: the database that the script is in, and the sequence of the command that runs it. */
export interface WatchedCall {
  readonly database: number;
  readonly sequence: number;
}

/** Origin of a command that its client has not just sent: a call of a script, or EXEC, which runs queued commands. */
export type WatchedOrigin = WatchedCall | 'transaction';

/** Sees the commands that clients send, those that their scripts call, and queued ones when EXEC runs them. */
export type CommandWatcher = (
  client: Client,
  entry: CommandEntry,
  args: Arguments,
  origin?: WatchedOrigin,
) => void;

/** Watchers of commands. Mostly there are none, and then a command costs one look at `isOn`. */
export class CommandWatchers {
  /** True while at least one wants to see the commands. */
  isOn = false;
  #watchers: readonly CommandWatcher[] = [];

  /** Shows a watcher the commands from now on, if it does not see them already. */
  add(watcher: CommandWatcher): void {
    if (!this.#watchers.includes(watcher)) this.#watchers = [...this.#watchers, watcher];
    this.isOn = true;
  }

  delete(watcher: CommandWatcher): void {
    this.#watchers = this.#watchers.filter((each) => each !== watcher);
    this.isOn = this.#watchers.length > 0;
  }

  readonly see: CommandWatcher = (client, entry, args, origin) => {
    for (const watcher of this.#watchers) watcher(client, entry, args, origin);
  };
}
