/** Reasons for full syncs: why a replica could not resume the stream. */

export type SyncReason = keyof typeof COUNTERS;

export type ReasonCounter = (typeof COUNTERS)[SyncReason];

const COUNTERS = {
  first: 'fullSyncsFirst',
  'data-only': 'fullSyncsDataOnly',
  'old-protocol': 'fullSyncsOldProtocol',
  'no-backlog': 'fullSyncsNoBacklog',
  'other-stream': 'fullSyncsOtherStream',
  'backlog-short': 'fullSyncsBacklogShort',
  ahead: 'fullSyncsAhead',
} as const;

const WORDS: Readonly<Record<SyncReason, string>> = {
  first: 'the replica had no replication id',
  'data-only': 'the replica requested the data only',
  'old-protocol': 'the replica uses SYNC instead of PSYNC',
  'no-backlog': 'there is no backlog',
  'other-stream': 'the replica was following another stream',
  'backlog-short': 'the offset of the replica is no longer in the backlog',
  ahead: 'the offset of the replica is ahead of the server',
};

/** Counter of full synchronisations for a reason. */
export function counterOf(reason: SyncReason): ReasonCounter {
  return COUNTERS[reason];
}

/** The reason in words, as a part of a sentence. */
export function wordsOf(reason: SyncReason): string {
  return WORDS[reason];
}

/** True when a replica requested a partial resync that was not possible. */
export function isRefusal(reason: SyncReason): boolean {
  return reason !== 'first' && reason !== 'data-only' && reason !== 'old-protocol';
}

/** Stream that a replica requests to resume. */
interface ResumedStream {
  readonly isActive: boolean;
  readonly stream: {
    readonly secondId: string;
    isKnownAs(id: string, offset: number): boolean;
  };
  readonly offset: number;
  /** First byte of the backlog, as Redis counts. */
  readonly backlogBegin: number;
}

/** Returns the reason why a replica cannot resume after an offset of a stream; undefined if it can. */
export function reasonFor(
  { isRdbOnly }: { readonly isRdbOnly: boolean },
  id: string,
  from: number,
  { isActive, stream, offset, backlogBegin }: ResumedStream,
): SyncReason | undefined {
  if (id === '?') return isRdbOnly ? 'data-only' : 'first';
  if (!isActive) return 'no-backlog';
  if (!stream.isKnownAs(id, from)) {
    return id.toLowerCase() === stream.secondId ? 'ahead' : 'other-stream';
  }
  if (from < backlogBegin - 1) return 'backlog-short';
  return from > offset ? 'ahead' : undefined;
}
