/** Merges of the parts that several shards answer into one reply. A merge is data with a name. */

import type { Bytes } from '#base';
import type { ReplyWriter } from '#resp';
import { bulksPart, replyBulks, type Bulks } from './bulk-list.ts';
import { bytesListPart, integerPart, nothingPart, type PartCodec } from './parts.ts';

/** Destinations of the pieces of a split command. */
export interface SplitPlan {
  /** For each key of the command, in its order, which part (index into `parts`) holds its answer. */
  readonly partOfKey: readonly number[];
}

export interface Merge<Part> {
  /**
   * Redis' name for it, in COMMAND's `response_policy` tip. No tip is given for the default: arrays
   * that are put together, by key where there are keys.
   */
  readonly policy:
    | 'default'
    | 'all_succeeded'
    | 'one_succeeded'
    | 'agg_sum'
    | 'agg_min'
    | 'agg_max'
    | 'agg_logical_and'
    | 'agg_logical_or'
    | 'special';
  /** Codec of a part on its way from a shard to main. */
  readonly part: PartCodec<Part>;
  combine(parts: readonly Part[], reply: ReplyWriter, plan: SplitPlan): void;
}

/** Adds integers up. */
export const sum: Merge<number> = {
  policy: 'agg_sum',
  part: integerPart,
  combine(parts, reply) {
    let total = 0;
    for (const part of parts) total += part;
    reply.integer(total);
  },
};

/** OK, since a part that failed is an error before it comes here. */
export const allOk: Merge<null> = {
  policy: 'all_succeeded',
  part: nothingPart,
  combine(_parts, reply) {
    reply.ok();
  },
};

/** Puts each key's answer back where the client asked for it. */
export const inKeyOrder: Merge<readonly (Bytes | null)[]> = {
  policy: 'default',
  part: bytesListPart,
  combine(parts, reply, { partOfKey }) {
    const taken = new Array<number>(parts.length).fill(0);
    reply.arrayHeader(partOfKey.length);
    for (const at of partOfKey) {
      const nth = taken[at] ?? 0;
      taken[at] = nth + 1;
      const answer = parts[at]?.[nth] ?? null;
      if (answer === null) reply.nil();
      else reply.givenBulk(answer);
    }
  },
};

/** One array of everything, in no promised order. */
export const concatenated: Merge<Bulks> = {
  policy: 'default',
  part: bulksPart,
  combine: replyBulks,
};
