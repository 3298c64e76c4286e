/** Options for adding entries to a stream, and for removing them from its front. */

import type { StreamId } from './stream-id.ts';

/** A node is full at this number of bytes or entries; 0 entries means no limit. */
export interface StreamLimits {
  readonly nodeBytes: number;
  readonly nodeEntries: number;
}

/** References of groups to entries that are to be removed: they stay, they are removed too, or they keep their entries. */
export type References = 'kept' | 'dropped' | 'respected';

/** Part that is to go from the front of a stream. */
export interface Trimming {
  readonly references: References;
  /** First id that stays; if undefined, a number of entries stays. */
  readonly firstKept: StreamId | undefined;
  readonly kept: number;
  /** Only whole nodes. */
  readonly isApproximate: boolean;
  /** Maximum number of entries; 0 for no limit. */
  readonly limit: number;
}
