/** Ports that moving keys to another server needs. */

import type { Bytes, CommandError } from '#base';
import type { MainContext } from '../../contexts/contexts.ts';

export interface MigrationContext extends MainContext {
  readonly migrations: MigrationPort;
}

/** Keys that are to be moved, and the server that is to have them. */
export interface Migration {
  readonly host: string;
  readonly port: number;
  /** Number of the target's database, as text: an integer of 64 bits. */
  readonly database: string;
  /** Longest time without progress of the connection. */
  readonly timeoutMs: number;
  /** Leaves the keys here too. */
  readonly isCopy: boolean;
  /** Overwrites keys of the target. */
  readonly replaces: boolean;
  /** Arguments of AUTH: none, a password, or a user and a password. */
  readonly credentials: readonly Bytes[];
  readonly keys: readonly Bytes[];
}

/**
 * Outcome of a migration: all keys have moved, or none existed; or the phase in which the target failed, its first
 * error reply, or an error of this server. Keys that the target has accepted are moved in any case.
 */
export type MigrationOutcome =
  | 'moved'
  | 'none'
  | { readonly brokenOff: 'connecting' | 'writing' | 'reading' }
  | { readonly answered: string }
  | { readonly error: CommandError };

export interface MigrationPort {
  /** Moves keys. Never rejects. */
  move(migration: Migration): Promise<MigrationOutcome>;
}
