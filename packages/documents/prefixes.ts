/** Use and size of keys by configured prefix. */

export interface PrefixesDocument {
  readonly prefixes: readonly PrefixFigures[];
}

/** Of the keys with one prefix. */
export interface PrefixFigures {
  /** Empty for the keys with none of the prefixes. */
  readonly prefix: string;
  readonly ops: number;
  readonly hits: number;
  readonly misses: number;
  readonly input_bytes: number;
  readonly output_bytes: number;
  /** Null until they have been counted. */
  readonly keys: number | null;
  readonly memory_bytes: number | null;
}
