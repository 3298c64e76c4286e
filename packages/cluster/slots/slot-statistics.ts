/** Statistics of slots, put together of what the shards count. */

import type { SlotStatistics } from '#commands';
import type { SlotKeys } from './slot-keys.ts';

interface Wanted {
  readonly first: number;
  readonly last: number;
  /** True for slots of this node's group: others are not reported. */
  readonly isOwn: (slot: number) => boolean;
  /** True if time and bytes are counted and reported. */
  readonly hasCosts: boolean;
}

export async function slotStatistics(
  source: Pick<SlotKeys, 'figures' | 'bytes'>,
  { first, last, isOwn, hasCosts }: Wanted,
): Promise<readonly SlotStatistics[]> {
  const figures = new Map(
    (await source.figures(first, last)).map(([slot, ...counts]) => [slot, counts] as const),
  );
  const bytes = hasCosts ? await source.bytes() : undefined;
  const statistics: SlotStatistics[] = [];
  for (let slot = first; slot <= last; slot += 1) {
    if (!isOwn(slot)) continue;
    const [keys, us, inputBytes, outputBytes] = figures.get(slot) ?? [0, 0, 0, 0];
    const costs = bytes && { us, inputBytes, outputBytes, memoryBytes: bytes[slot]! };
    statistics.push({ slot, keys, costs });
  }
  return statistics;
}
