/** Removed keys by reason. */

export interface KeyFatesDocument {
  /** State and settings of the recording of key fates; they are counted in any case. */
  readonly recording: {
    readonly enabled: boolean;
    readonly setting: string;
    readonly max_len: number;
    readonly overwritten: boolean;
    readonly overwritten_setting: string;
  };
  /** Number of removed keys by reason, since the start or CONFIG RESETSTAT. */
  readonly counts: Readonly<Record<string, number>>;
  /** Removed keys that are kept; null when main was late. */
  readonly kept: number | null;
  /** Newest first; null when main was late. */
  readonly removed_keys: readonly RemovedKeyReport[] | null;
  /** Shards that did not answer in time; none was asked when main was late. */
  readonly missing_shards: readonly number[];
}

/** A removed key, or all keys of a flushed database on one shard. */
export interface RemovedKeyReport {
  readonly id: number;
  readonly time_ms: number;
  readonly db: number;
  readonly shard: number;
  readonly reason: string;
  /** Its beginning, where it is long; null for a database. */
  readonly key: string | null;
  /** True when the key is not UTF-8, each character of `key` is then one byte. */
  readonly binary: boolean;
  /** True when `key` is only the beginning of the key. */
  readonly cut: boolean;
  /** Bytes of the whole key; null for a database. */
  readonly key_bytes: number | null;
  /** 1, or all of the database on that shard. */
  readonly keys: number;
  /** Null, as who sent it: the shard did it by itself. */
  readonly command: string | null;
  readonly client_id: number | null;
  readonly client_addr: string | null;
  readonly client_name: string | null;
  readonly user: string | null;
}
