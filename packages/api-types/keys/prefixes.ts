/** Use and size of keys by configured prefix. */

export interface PrefixesDocument {
  readonly prefixes: readonly PrefixFigures[];
}

/** Figures of the keys with one prefix. */
export interface PrefixFigures {
  /** Empty for the keys with none of the prefixes. */
  readonly prefix: string;
  readonly ops: number;
  readonly hits: number;
  readonly misses: number;
  readonly bytes_in: number;
  readonly bytes_out: number;
  /** Null until they have been counted. */
  readonly keys: number | null;
  readonly memory_bytes: number | null;
}
