/** Reports that only the debug pages request of main, beside those for programs. */

import type { HotKeysDocument, HotWindowDocument, LatencyHistoryReport } from '#api-types';

/** Null when it is done; else why it is not, in the words of the command that does the same. */
export type ActionAnswer = string | null;

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
  'hot-keys-start': { question: HotKeysOptions; answer: ActionAnswer };
  'hot-keys-stop': { question: null; answer: ActionAnswer };
  'hot-keys-reset': { question: null; answer: ActionAnswer };
  'kill-client': { question: { id: number }; answer: ActionAnswer };
  'set-setting': { question: { name: string; value: string }; answer: ActionAnswer };
  'slowlog-reset': { question: null; answer: ActionAnswer };
  'key-fates-reset': { question: null; answer: ActionAnswer };
  'latency-reset': { question: null; answer: ActionAnswer };
}
