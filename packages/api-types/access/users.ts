/** Users: what each may do and has done, and who was denied what. */

import type { UserPath } from '#quantities';

type Group<Path extends string> = Path extends `${infer Name}.${string}` ? Name : Path;
type Within<Name extends string> = UserPath extends infer Path
  ? Path extends `${Name}.${infer Field}`
    ? Field
    : never
  : never;

/**
 * Counts since the start or CONFIG RESETSTAT, which are the rows of USER_QUANTITIES: numbers, or those by the reason of denials
 * and by the rate limit that has refused. Those of the users add up to the server's.
 */
export type UserFigures = {
  readonly [Path in UserPath as Group<Path>]: Path extends `${infer Name}.${string}`
    ? Readonly<Record<Within<Name>, number>>
    : number;
};

export interface UserReport extends Nullable<UserFigures> {
  readonly name: string;
  /** As ACL GETUSER answers them: `on` or `off`, `nopass`, whether payloads are sanitized. */
  readonly flags: readonly string[];
  /** All rules in one line, as ACL LIST shows them; passwords are hidden. */
  readonly rules: string;
  readonly rules_in_words: readonly string[];
  /** Limits over all connections of the user; null where there is none. */
  readonly limits: {
    readonly commands_per_sec: number | null;
    readonly bytes_per_sec: number | null;
  };
  /** Ids of its clients, the oldest first; of more than 100, those alone. */
  readonly clients: readonly number[];
}

/** Null for a user that has no counts of its own, since there are too many: it is counted with the others. */
type Nullable<T> = { readonly [name in keyof T]: T[name] | null };

/** An entry of the log of denials (ACL LOG). */
export interface DenialReport {
  readonly id: number;
  readonly reason: 'auth' | 'command' | 'key' | 'channel';
  readonly context: 'toplevel' | 'multi' | 'lua';
  /** The denied command, key or channel; of a login that failed, the command. At most 1,024 bytes of it. */
  readonly object: string;
  readonly user: string;
  /** Alike denials that are this entry. */
  readonly count: number;
  /** The client of the latest of them, as CLIENT LIST shows it. */
  readonly client: string;
  readonly created_time_ms: number;
  readonly updated_time_ms: number;
}

export interface UsersDocument {
  /** Users; the default user first, then those that have sent most commands. */
  readonly users: readonly UserReport[];
  /** Number of configured users, of which only a part is returned. */
  readonly defined: number;
  /** Counts of users without their own counts and of deleted users together; null if there are none. */
  readonly others: UserFigures | null;
  /** The newest denials, at most 128. */
  readonly denials: readonly DenialReport[];
}
