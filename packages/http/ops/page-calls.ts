/** Reports that only the debug pages request of main, beside those for programs. */

import type { CommandLogKind } from '#base';
import type {
  DiskOutcomesReport,
  HotKeysDocument,
  HotWindowDocument,
  LatencyHistoryReport,
  MemoryKeysDocument,
  RemovedKeyReport,
  MonitorDocument,
  MonitorEnd,
  MonitorOptions,
  SettingCheck,
} from '#api-types';

/** Null when it is done; else why it is not, in the words of the command that does the same. */
export type ActionAnswer = string | null;

/** The change, or the reason why it cannot be made. */
export type SettingCheckAnswer =
  | { readonly problem: ''; readonly check: SettingCheck }
  | { readonly problem: string; readonly check: null };

export interface MonitorStart {
  readonly id: string;
  /** Address of the browser or program that starts it. */
  readonly addr: string;
  readonly options: MonitorOptions;
}

/** The started monitor, or the reason why it cannot be started. */
export type MonitorStartAnswer =
  | { readonly problem: ''; readonly document: MonitorDocument }
  | { readonly problem: string; readonly document: null };

export interface HotKeysOptions {
  readonly metrics: readonly ('cpu' | 'net')[];
  readonly count: number;
  readonly durationMs: number;
  readonly sample: number;
}

export interface PageCalls {
  'latency-history': { question: null; answer: readonly LatencyHistoryReport[] };
  /** Null without a session. */
  'hot-keys': { question: null; answer: HotKeysDocument | null };
  'hot-window': { question: null; answer: HotWindowDocument };
  /** Null while nothing is kept on disk. */
  'disk-outcomes': { question: null; answer: DiskOutcomesReport | null };
  /** Number of keys that each shard looks at. */
  'key-samples': { question: { count: number }; answer: MemoryKeysDocument };
  'hot-keys-start': { question: HotKeysOptions; answer: ActionAnswer };
  'hot-keys-stop': { question: null; answer: ActionAnswer };
  'hot-keys-reset': { question: null; answer: ActionAnswer };
  'kill-client': { question: { id: number }; answer: ActionAnswer };
  /** Returns the number of clients that were disconnected. */
  'kill-clients': { question: { ids: readonly number[] }; answer: number };
  'check-setting': { question: { name: string; value: string }; answer: SettingCheckAnswer };
  'set-setting': { question: { name: string; value: string }; answer: ActionAnswer };
  'kill-script': { question: { shard: number; run: number }; answer: ActionAnswer };
  'slowlog-reset': { question: { kind: CommandLogKind }; answer: ActionAnswer };
  'key-fates-reset': { question: null; answer: ActionAnswer };
  'monitor-start': { question: MonitorStart; answer: MonitorStartAnswer };
  /** Null without such a monitor. */
  'monitor-lines': {
    question: { readonly id: string; readonly after: number };
    answer: MonitorDocument | null;
  };
  /** Null without such a monitor. */
  'monitor-stop': {
    question: { readonly id: string; readonly by: MonitorEnd };
    answer: MonitorDocument | null;
  };
  'latency-reset': { question: null; answer: ActionAnswer };
}

/** Request for removed keys. */
export interface RemovedKeysQuestion {
  /** Infinity: all. */
  readonly count: number;
  /** Key to report alone, with the emptying of its database; null for all keys. */
  readonly of: { readonly db: number; readonly key: Uint8Array } | null;
}

export interface RemovedKeysAnswer {
  readonly removed_keys: readonly RemovedKeyReport[];
  /** Removed keys that are kept. */
  readonly kept: number;
  readonly missing_shards: readonly number[];
}
