/** CLAIM of XREADGROUP: pending entries that have been idle for a minimum time, the longest idle ones first. */

import { IdPlace, type Stream, type StreamConsumer, type StreamGroup, StreamId } from '#store';
import type { ShardContext } from '../../contexts/contexts.ts';
import { replyEntryAt } from '../entries/entries.ts';
import type { ClaimRows } from './deliveries.ts';

const idScratch = new StreamId();
const placeScratch = new IdPlace();
const pendingPlaceScratch = new IdPlace();

/**
 * Returns the Unix millisecond of the oldest delivery of an entry that is in the stream, 0 for a released one; undefined
 * if there is none. Entries that are pending and deleted are passed over, as claims of them have nothing to deliver.
 */
export function oldestDelivery(stream: Stream, group: StreamGroup): number | undefined {
  const { deliveryOrder } = group;
  let more = deliveryOrder.first(placeScratch);
  for (; more; more = deliveryOrder.next(placeScratch)) {
    deliveryOrder.readId(placeScratch, idScratch);
    if (stream.has(idScratch)) return deliveryOrder.msAt(placeScratch);
  }
  return undefined;
}

interface IdleClaim {
  readonly stream: Stream;
  readonly group: StreamGroup;
  readonly consumer: StreamConsumer;
  readonly idleMs: number;
  /** Maximum number of entries; 0 for no limit. */
  readonly count: number;
  /** Claims to replicate; undefined without replicas. */
  readonly rows: ClaimRows | undefined;
}

/** Claims idle entries and replies with each, without a header; returns their number. */
export function claimIdle({ reply, nowMs }: ShardContext, claim: IdleClaim): number {
  const { stream, group, consumer, idleMs, count, rows } = claim;
  const { deliveryOrder, pending } = group;
  // What is claimed goes to the end, and must not be met again there.
  const { lastRank } = deliveryOrder;
  let claimed = 0;
  let more = deliveryOrder.first(placeScratch);
  while (more && (count === 0 || claimed < count)) {
    const unixMs = deliveryOrder.msAt(placeScratch);
    const rank = deliveryOrder.rankAt(placeScratch);
    const idle = Math.max(nowMs - unixMs, 0);
    if (idle < idleMs || rank > lastRank) break;
    deliveryOrder.readId(placeScratch, idScratch);
    pending.find(idScratch, pendingPlaceScratch);
    const deliveries = group.deliveries(pendingPlaceScratch);
    if (replyEntryAt(reply, stream, idScratch, { idleMs: idle, deliveries })) {
      group.assign(pendingPlaceScratch, idScratch, consumer);
      group.setDelivery(pendingPlaceScratch, nowMs, deliveries + 1);
      consumer.activeMs = nowMs;
      rows?.add(idScratch, nowMs, deliveries + 1);
      claimed += 1;
    }
    more = deliveryOrder.seekAfter(unixMs, rank, placeScratch);
  }
  return claimed;
}
