/** Answer of a shard about the keys that it holds for an offer. */
export interface OfferAnswer {
  readonly shard: number;
  readonly flags: number;
  /** Index of the first of the command's keys that is there, or -1; of a refusal, the index where it fails. */
  readonly firstIndex: number;
  readonly timeoutMs: number;
}
