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
  readonly database: number;
  readonly cursor: number;
  /** Number of keys that are wanted. */
  readonly count: number;
}

/** Outcome of such a step; the walk is over with cursor 0. */
export interface SlotWalkStep {
  readonly cursor: number;
  readonly keys: readonly Uint8Array[];
}

/** Has a shard take a step of a walk for the keys of a slot. */
export const walkSlotCall = shardCall<SlotWalk, SlotWalkStep>('walk-slot');

/** Returns the number of keys of a slot, in one database or, for null, in all. */
export const countSlotCall = shardCall<
  { readonly slot: number; readonly database: number | null },
  number
>('count-slot');

/** Place of a walk through the keys of all databases of a shard. */
export interface WalkPlace {
  readonly database: number;
  readonly cursor: number;
}

/** Call of a walk through the keys of a range of slots, with the filters of SCAN, undefined for none. */
export interface SlotScanQuestion {
  readonly first: number;
  readonly last: number;
  readonly database: number;
  readonly place: number;
  readonly count: number;
  readonly pattern: Uint8Array | undefined;
  readonly type: number | undefined;
}

/** Takes a step of such a walk; it is over with `next` 0. */
export const scanSlotsCall = shardCall<
  SlotScanQuestion,
  { readonly next: number; readonly keys: readonly Uint8Array[] }
>('scan-slots');

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

/** Bytes of the keys that a step of a walk has met, by their slots; the walk is over when `next` is null. */
export interface SlotBytesStep {
  readonly next: WalkPlace | null;
  readonly bytes: readonly (readonly [slot: number, bytes: number])[];
}

/** Has a shard take a step of a walk that adds up what its keys cost. */
export const slotBytesCall = shardCall<WalkPlace, SlotBytesStep>('slot-bytes');

/** Step of a scan of a shard's keys for those of several slots, including hidden and expired ones. */
export interface SlotSweep {
  readonly spans: readonly (readonly [first: number, last: number])[];
  readonly place: WalkPlace;
}

/** Outcome of such a step: keys of one database; the scan is over when `next` is null. */
export interface SlotSweepStep {
  readonly next: WalkPlace | null;
  readonly database: number;
  readonly keys: readonly Uint8Array[];
}

/** Has a shard take a step of such a scan. */
export const sweepSlotsCall = shardCall<SlotSweep, SlotSweepStep>('sweep-slots');

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
