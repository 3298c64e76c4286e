/**
 * Interface of the store for the shared state of a cluster. Keys are relative to the cluster's prefix; a revision
 * counts all changes of the coordinator, so it orders them.
 */

/** A document with the revision that wrote it. */
export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly revision: number;
}

/** A change of a document; without a value it was deleted. */
export interface Change {
  readonly key: string;
  readonly value: string | undefined;
  readonly revision: number;
}

/** Condition of a transaction: the document was written by that revision; with 0 there is none. */
export interface Guard {
  readonly key: string;
  readonly revision: number;
}

/** Write of a transaction; without a value the document is deleted. */
export interface Write {
  readonly key: string;
  readonly value: string | undefined;
  /** The document goes with this node's lease. */
  readonly isLeased?: boolean;
}

/** Outcome of a transaction: whether its conditions held, and the coordinator's revision behind it. */
export interface Outcome {
  readonly isDone: boolean;
  readonly revision: number;
}

/** Everything there is, as of one revision. */
export interface Reading {
  readonly entries: readonly Entry[];
  readonly revision: number;
  /** Identity of who has answered: revisions of another are of no meaning beside its own. */
  readonly source: string;
}

/** Takes the news of a watch, in order. */
export interface WatchSink {
  changed(changes: readonly Change[], revision: number): void;
  /** The watch was interrupted, and resumes, perhaps at another coordinator, or one that was restored. */
  resumed(): void;
  /** The watch has ended, and may have missed changes: everything must be read again. */
  ended(reason: string): void;
}

/** Reasons for which the coordinator is of no use now. */
export class CoordinatorError extends Error {
  override readonly name = 'CoordinatorError';
}

export interface Coordinator {
  read(): Promise<Reading>;
  /** Watches everything from a revision on; returns how to end it. */
  watch(from: number, sink: WatchSink): () => void;
  commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome>;
  /** Takes a lease in place of the one before; answers the milliseconds that it lives. */
  grant(ttlMs: number): Promise<number>;
  /** Renews the lease; returns its remaining lifetime in milliseconds, 0 if it has expired. */
  keepAlive(): Promise<number>;
  /** Gives the lease back, and with it all documents that go with it. */
  revoke(): Promise<void>;
  close(): void;
}
