/** Merge of the walks of several shards into one piece of SCAN's walk through all of them. */

import {
  encodeBulks,
  NO_BULKS,
  readBulks,
  replyBulks,
  type Bulks,
} from '../../definition/bulk-list.ts';
import type { Merge } from '../../definition/merge.ts';
import { PieceReader } from '../../definition/parts.ts';
import { nextCursor } from '../../elements/scan-cursor.ts';

/** Progress of one shard's walk. */
export interface Walked {
  /** Position at which the shard resumes; 0 if it is complete or has not started. */
  readonly next: number;
  /** Number of keys that one call is to look at. */
  readonly count: number;
  /** Number of keys that the shard has looked at, with those that were left out. */
  readonly looked: number;
  readonly keys: Bulks;
}

/** Progress of a shard before the one that the cursor names. */
export const NOT_YET: Walked = { next: 0, count: 0, looked: 0, keys: NO_BULKS };
/** Progress of a shard behind the one that the cursor names, with more keys than one call looks at. */
export const TOO_MANY: Walked = { next: 0, count: 0, looked: 2 ** 32 - 1, keys: NO_BULKS };

const WORD_BYTES = 4;
const HEAD_BYTES = 3 * WORD_BYTES;

export const joinedWalks: Merge<Walked> = {
  policy: 'special',
  part: {
    encode({ next, count, looked, keys }, to) {
      const head = Buffer.allocUnsafe(HEAD_BYTES);
      head.writeUInt32LE(next, 0);
      head.writeUInt32LE(count, WORD_BYTES);
      head.writeUInt32LE(looked, 2 * WORD_BYTES);
      to.raw(head);
      encodeBulks(keys, to);
    },
    decode(pieces) {
      const reader = new PieceReader(pieces);
      const next = reader.word();
      const count = reader.word();
      const looked = reader.word();
      return { next, count, looked, keys: readBulks(reader) };
    },
  },
  combine(parts, reply) {
    const first = parts.findIndex(({ count }) => count > NOT_YET.count);
    const { count } = parts[first]!;
    let end = first;
    let looked = 0;
    let next = 0;
    do {
      const part = parts[end]!;
      looked += part.looked;
      next = part.next;
      end += 1;
    } while (next === 0 && end < parts.length && looked + parts[end]!.looked <= count);
    const taken = parts.slice(first, end);
    reply.arrayHeader(2);
    reply.bulkInteger(nextCursor(next, end - 1, parts.length));
    const keys = taken.map((part) => part.keys);
    replyBulks(keys, reply);
  },
};
