/** Users: what each may do and has done, and who was denied what. */

/** Counts since the start or CONFIG RESETSTAT. Those of the users add up to the server's. */
export interface UserFigures {
  /** Open connections. */
  readonly connections: number;
  readonly commands: number;
  readonly errors: number;
  /** Time of all commands together. */
  readonly time_us: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  /** Denials by reason: logins that failed, and commands, keys and channels that the user may not have. */
  readonly denied: {
    readonly auth: number;
    readonly command: number;
    readonly key: number;
    readonly channel: number;
  };
  /** Commands that a rate limit has refused. */
  readonly limited: { readonly commands: number; readonly bytes: number };
}

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
  /** The command, key or channel that was denied; of a login that failed, the command. At most 1,024 bytes of it. */
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
  /** Users that there are; more than are told. */
  readonly defined: number;
  /** Counts of users without counts of their own and of those who are gone, together; null when there are none. */
  readonly others: UserFigures | null;
  /** The newest denials, at most 128. */
  readonly denials: readonly DenialReport[];
}
