/** Settings of a primary, the stream that it may follow itself, and its counts. */

/** Settings that a primary reads, each time anew. */
export interface PrimarySettings {
  readonly backlogBytes: number;
  /** Seconds for which the backlog is kept without replicas; 0 = always. */
  readonly backlogTtlSecs: number;
  readonly pingPeriodSecs: number;
  readonly timeoutSecs: number;
  readonly syncDelaySecs: number;
  /** From so many waiting replicas on nobody is waited for; 0 = always as long as the delay. */
  readonly syncMaxReplicas: number;
  /** Seconds of lag up to which a replica counts; 0 = the count of good replicas is not kept. */
  readonly maxLagSecs: number;
  readonly minReplicas: number;
}

/** Stream of another server that this one follows, and hands on to its own replicas. */
export interface FollowedStream {
  /** True at a place at which another may begin to follow: within no command, and no transaction. */
  readonly mayCut: boolean;
  /** Database that the stream is in. */
  readonly database: number;
}

/** Counts since the start, or since they were set back. */
export interface SyncCounts {
  full: number;
  partialOk: number;
  partialFailed: number;
}
