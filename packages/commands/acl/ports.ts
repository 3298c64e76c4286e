/** Ports of the server that the commands about users use. Names, rules and what was denied have a character for each byte. */

import type { UserCounts } from '#stats';
import type { Arguments } from '../arguments/arguments.ts';
import type { MainContext } from '../contexts/contexts.ts';
import type { CommandEntry } from '../definition/command-entry.ts';
import type { CommandTable } from '../definition/command-table.ts';

/** Commands, keys and channels that belong together, as rules. */
export interface SelectorDetails {
  readonly commandRules: string;
  readonly keyRules: string;
  readonly channelRules: string;
}

export interface UserDetails {
  readonly name: string;
  /** Words such as `on` and `nopass`. */
  readonly flags: readonly string[];
  /** Rules of its rate limits; none without limits. */
  readonly limitRules: readonly string[];
  /** SHA-256 of each password, in hexadecimal digits. */
  readonly passwords: readonly string[];
  readonly root: SelectorDetails;
  readonly others: readonly SelectorDetails[];
  /** All rules in one line. */
  readonly description: string;
}

/** An entry of the log of denials. */
export interface DenialDetails {
  readonly id: number;
  readonly count: number;
  readonly reason: string;
  readonly context: string;
  readonly object: string;
  readonly user: string;
  readonly client: string;
  /** Unix milliseconds of the first and last denial. */
  readonly createdMs: number;
  readonly updatedMs: number;
}

export interface AclPort {
  /** Users by the bytes of their names. */
  readonly users: readonly UserDetails[];
  user(name: string): UserDetails | undefined;
  /** Makes a user or changes one, by all rules or none. Throws a CommandError. */
  setUser(name: string, rules: readonly string[]): void;
  /** Deletes users, closes their clients, and returns how many there were. Throws a CommandError. */
  deleteUsers(names: readonly string[]): number;
  /** Replaces all users by those of the file; rejects with a CommandError. */
  load(): Promise<void>;
  /** Writes all users into the file; rejects with a CommandError. */
  save(): Promise<void>;
  /** Returns why a user may not run a command, as a sentence; undefined when it may. */
  denialOf(user: string, entry: CommandEntry, args: Arguments): string | undefined;
  readonly denials: readonly DenialDetails[];
  resetDenials(): void;
  /** Counts by the name of the user; users without counts of their own are one, `(others)`. */
  counts(): ReadonlyMap<string, UserCounts>;
}

/** Context of a handler of this family. */
export interface AclContext extends MainContext {
  readonly commands: CommandTable;
  readonly acl: AclPort;
}
