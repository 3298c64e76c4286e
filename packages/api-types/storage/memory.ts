/** Resident memory by purpose, growth of used memory, and the biggest keys of a sample. */

export interface MemoryNode {
  readonly name: string;
  readonly bytes: number;
  /** Meaning, in a sentence; null where the name says it. */
  readonly about: string | null;
  /** Parts, whose bytes add up to `bytes`; empty where it is not divided. */
  readonly parts: readonly MemoryNode[];
}

export interface MemoryForecast {
  /** Length of the measurement. */
  readonly seconds: number;
  readonly bytes_per_sec: number;
  /** Unix milliseconds at which used memory reaches the limit; null without a limit, and while it does not grow. */
  readonly full_time_ms: number | null;
}

export interface MemoryDocument {
  readonly time_ms: number;
  readonly used_bytes: number;
  readonly peak_bytes: number;
  /** 0: no limit. */
  readonly limit_bytes: number;
  /** Value of maxmemory-policy. */
  readonly policy: string;
  readonly evicted_keys: number;
  /** Resident memory of the process. */
  readonly resident: MemoryNode;
  /** Null until used memory was measured for a minute. */
  readonly forecast: MemoryForecast | null;
}

export interface SampledKeyReport {
  readonly key: string;
  /** True when the key is not UTF-8, so that each character of `key` stands for a byte. */
  readonly binary: boolean;
  /** True when `key` is only the beginning of a long key. */
  readonly cut: boolean;
  readonly db: number;
  readonly shard: number;
  readonly type: string;
  readonly bytes: number;
}

export interface SampledPrefixReport {
  /** Up to and with the first colon; empty for keys without one. */
  readonly prefix: string;
  readonly binary: boolean;
  readonly sampled_keys: number;
  readonly sampled_bytes: number;
  /** Share of the bytes of all sampled keys. */
  readonly percent: number;
  /** Estimate for all keys with the prefix. */
  readonly bytes: number;
}

export interface MemoryKeysDocument {
  readonly keys: number;
  readonly sampled_keys: number;
  /** True when every key was looked at, so that nothing is an estimate. */
  readonly complete: boolean;
  /** Biggest first. */
  readonly biggest: readonly SampledKeyReport[];
  readonly prefixes: readonly SampledPrefixReport[];
  readonly missing_shards: readonly number[];
}
