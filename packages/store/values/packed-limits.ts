/** Limits of a listpack, beyond which the value becomes a table. */
export interface PackedLimits {
  entries: number;
  /** Bytes of the longest field, value or member. */
  valueBytes: number;
}
