/** Drawing one key from all shards, fairly, though each draws for itself. */

import type { Bytes } from '#base';
import type { Merge } from '../../definition/merge.ts';
import { PieceReader } from '../../definition/parts.ts';

export interface Draw {
  /** Empty memory with a negative score stands for a shard without keys. */
  key: Bytes;
  /** A random number, the n-th root of one in [0, 1) where the shard has n keys. */
  score: number;
}

export const NO_DRAW: Draw = { key: Buffer.alloc(0), score: -1 };

const SCORE_BYTES = 8;

/** The key with the highest score: a shard with n keys wins n times as often as one with one. */
export const highestDraw: Merge<Draw> = {
  policy: 'special',
  part: {
    encode({ key, score }, to) {
      const head = Buffer.allocUnsafe(SCORE_BYTES);
      head.writeDoubleLE(score);
      to.raw(head);
      to.raw(key);
    },
    decode(pieces) {
      const reader = new PieceReader(pieces);
      return { score: reader.double(), key: reader.rest() };
    },
  },
  combine(parts, reply) {
    let best = NO_DRAW;
    for (const part of parts) if (part.score > best.score) best = part;
    if (best.score < 0) reply.nil();
    else reply.bulk(best.key);
  },
};
