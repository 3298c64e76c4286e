/** Request that main may send to shards; the name travels, the types say what is asked and what is answered. */
export interface Topic<Question, Answer> {
  readonly name: string;
  /** Never there: ties the types to the topic. */
  readonly types?: (question: Question) => Answer;
}

/** Both types must be what msgpack can carry: plain objects, lists, numbers, texts, bytes. */
export function topic<Question, Answer>(name: string): Topic<Question, Answer> {
  return { name };
}

/** Sets the counts back that CONFIG RESETSTAT is about. */
export const resetStatisticsTopic = topic<null, null>('reset-statistics');

/** Answered when a shard has applied the settings that it was told before. */
export const settingsAppliedTopic = topic<null, null>('settings-applied');

/** Has a shard move records out of sparse slabs; answers the bytes given back. */
export const PURGE = topic<null, number>('purge');

/** Counts that only a shard itself can take. */
export interface ShardContent {
  readonly keys: number;
  /** In memory, and on the disk tier. */
  readonly hot_keys: number;
  readonly warm_keys: number;
}

/** Has a shard tell what it holds. */
export const SHARD_CONTENT = topic<null, ShardContent>('shard-content');
