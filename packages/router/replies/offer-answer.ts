/** Answer of a shard about the keys that it holds for an offer. */
export interface OfferAnswer {
  readonly shard: number;
  readonly flags: number;
  /** Index of the first existing key of the command, or -1; of a refusal, the index of the key that caused it. */
  readonly firstIndex: number;
  readonly timeoutMs: number;
}
