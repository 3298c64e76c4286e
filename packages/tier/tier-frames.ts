/**
 * Frames between a shard and the tier thread that serves it.
 *
 *   word      meaning
 *   BYTES     bytes of the frame, a multiple of 8
 *   KIND      a number of TierOrder or TierAnswer
 *   NUMBER    of an extent, or of a value
 *   STATUS    of an answer, a number of TierStatus
 *   LENGTH    bytes of the body; negative: its bytes come by message instead
 *   then      the body
 */

export const TierWord = { bytes: 0, kind: 1, number: 2, status: 3, length: 4 } as const;

export const TIER_HEAD_BYTES = 24;

/** Orders of a shard; those of one ring are done in their order, and a read behind all that was ordered before it. */
export const TierOrder = { put: 1, drop: 2, read: 3, readExtent: 4 } as const;

export const TierAnswer = { value: 1, extent: 2 } as const;

export const TierStatus = {
  sound: 0,
  /** The bytes differ from those that were written. */
  damaged: 1,
  /** Nothing is there. */
  missing: 2,
  /** The disk could not be read. */
  unreadable: 3,
} as const;

export function tierFrameBytes(bodyBytes: number): number {
  return (TIER_HEAD_BYTES + bodyBytes + 7) & ~7;
}
