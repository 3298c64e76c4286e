/** Numbers of the keys that requests name, in the order in which they are sent. */

import type { RandomNumbers } from './random.ts';
import { Zipf } from './zipf.ts';

/** Distribution of keys; `zipf` has an exponent. */
export type KeyOrder =
  | { readonly kind: 'uniform' | 'sequential' }
  | { readonly kind: 'zipf'; readonly exponent: number };

/** Part of a load that one thread has: its number, and how many there are. */
export interface ThreadShare {
  readonly index: number;
  readonly count: number;
}

/**
 * Returns what gives the next number, from 0 up to, but not reaching, `keys`. In sequence, threads together go through all
 * keys: each has every n-th. By Zipf's law key 0 is the most frequent one.
 */
export function keyNumbers(
  order: KeyOrder,
  keys: number,
  random: RandomNumbers,
  share: ThreadShare,
): () => number {
  switch (order.kind) {
    case 'uniform':
      return () => random.below(keys);
    case 'zipf': {
      const zipf = new Zipf(keys, order.exponent, random);
      return () => zipf.next() - 1;
    }
    case 'sequential': {
      let next = share.index % keys;
      return () => {
        const number = next;
        next = (next + share.count) % keys;
        return number;
      };
    }
  }
}
