/** Request that main can send to shards: the name is sent, the types are those of the request and the reply. */
export interface ShardCall<Question, Answer> {
  readonly name: string;
  /** Never there: ties the types to the topic. */
  readonly types?: (question: Question) => Answer;
}

/** Both types must be what msgpack can carry: plain objects, lists, numbers, texts, bytes. */
export function shardCall<Question, Answer>(name: string): ShardCall<Question, Answer> {
  return { name };
}

/** Sets the counts back that CONFIG RESETSTAT is about. */
export const resetStatisticsCall = shardCall<null, null>('reset-statistics');

/** Returns once a shard has applied all settings sent before. */
export const settingsAppliedCall = shardCall<null, null>('settings-applied');

/** Has a shard move records out of sparse slabs; answers the bytes given back. */
export const PURGE = shardCall<null, number>('purge');

/** Result of staging keys in a shard: the number of keys, and a problem with them, if any. */
export interface Staged {
  readonly keys: number;
  /** Names of keys that were skipped, as their collections have no elements. */
  readonly empty: readonly string[];
  readonly problem: string | null;
}

/** Drops the staged data of a shard. */
export const dropStagedCall = shardCall<null, null>('drop-staged');

/** Step of a walk through a shard's keys, for those of one slot. */
export interface SlotWalk {
  readonly slot: number;
  readonly cursor: number;
  /** Keys that are wanted; 0 to count them alone. */
  readonly count: number;
}

/** Outcome of such a step; the walk is over with cursor 0. */
export interface SlotWalkStep {
  readonly cursor: number;
  readonly found: number;
  readonly keys: readonly Uint8Array[];
}

/** Has a shard take a step of a walk for the keys of a slot. */
export const walkSlotCall = shardCall<SlotWalk, SlotWalkStep>('walk-slot');

/** Figures of a slot: its number, keys, microseconds, bytes of requests and of replies. */
export type SlotFigures = readonly [
  slot: number,
  keys: number,
  us: number,
  inputBytes: number,
  outputBytes: number,
];

/** Returns the statistics of a shard's slots in a range, without empty ones. */
export const slotFiguresCall = shardCall<
  { readonly first: number; readonly last: number },
  readonly SlotFigures[]
>('slot-figures');

/** Bytes of the keys that a step of a walk has met, by their slots; the walk is over with cursor 0. */
export interface SlotBytesStep {
  readonly cursor: number;
  readonly bytes: readonly (readonly [slot: number, bytes: number])[];
}

/** Has a shard take a step of a walk that adds up what its keys cost. */
export const slotBytesCall = shardCall<{ readonly cursor: number }, SlotBytesStep>('slot-bytes');
/** Step of a scan of a shard's keys for those of several slots, including hidden and expired ones. */
export interface SlotSweep {
  readonly spans: readonly (readonly [first: number, last: number])[];
  readonly cursor: number;
}

/** Has a shard take a step of such a walk. */
export const sweepSlotsCall = shardCall<SlotSweep, Omit<SlotWalkStep, 'found'>>('sweep-slots');

/** Returns the number of keys that a shard has written for the last slot migration. */
export const movedKeysCall = shardCall<null, number>('moved-keys');

/** Counts that only a shard itself can take. */
export interface ShardContent {
  readonly keys: number;
  /** In memory, and on the disk tier. */
  readonly hot_keys: number;
  readonly warm_keys: number;
}

/** Returns the contents of a shard. */
export const SHARD_CONTENT = shardCall<null, ShardContent>('shard-content');

/** Reply of a shard, a published answer in its place, or neither. */
interface Report {
  readonly shard: number;
  readonly missing: boolean;
  readonly publishedMs?: number;
}

/** Shards that did not reply: their answers are missing, or those that they published last. */
export function lateShards(reports: readonly Report[]): readonly number[] {
  return reports
    .filter((report) => report.missing || report.publishedMs !== undefined)
    .map(({ shard }) => shard);
}
