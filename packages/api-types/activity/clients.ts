/** Connected clients. */

export interface ClientReport {
  readonly id: number;
  readonly addr: string;
  readonly name: string;
  readonly user: string;
  readonly lib_name: string;
  readonly lib_ver: string;
  readonly age_secs: number;
  readonly idle_secs: number;
  readonly flags: string;
  readonly db: number;
  readonly commands_total: number;
  readonly bytes_recv: number;
  readonly bytes_sent: number;
  readonly output_buffer_bytes: number;
  /** In lower case, with its subcommand as `client|list`; null before the first. */
  readonly last_command: string | null;
  /** Commands without a reply yet: the last command runs, or waits, while there are any. */
  readonly pending_commands: number;
  /** Wait of a blocking command, or of a command held back by CLIENT PAUSE; null while there is none. */
  readonly blocked: BlockedReport | null;
  /** Bytes received and not yet executed. */
  readonly query_buffer_bytes: number;
  /** Bytes of commands queued by MULTI. */
  readonly multi_buffer_bytes: number;
  readonly memory_bytes: number;
  /** Commands queued by MULTI; null outside a transaction. */
  readonly queued_commands: number | null;
  readonly watched_keys: number;
  /** Channels and patterns. */
  readonly subscriptions: number;
  /** Version of the protocol. */
  readonly resp: number;
  /** Version and cipher; null without TLS. */
  readonly tls: string | null;
}

export interface BlockedReport {
  readonly by: 'key' | 'reply' | 'pause';
  /** Unix milliseconds; null where it is not known. */
  readonly since_time_ms: number | null;
  /** First key that is waited for; null when it waits for none. */
  readonly key: string | null;
  /** True when the key is not UTF-8, so that each character of `key` stands for a byte. */
  readonly binary: boolean;
  /** True when `key` is only the beginning of a long key. */
  readonly cut: boolean;
  /** Number of keys that are waited for. */
  readonly keys: number;
}

export interface ClientsDocument {
  readonly clients: readonly ClientReport[];
}
