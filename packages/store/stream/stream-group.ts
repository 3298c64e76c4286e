/**
 * A consumer group: how far it has read, its consumers, and the entries that were delivered and are not
 * acknowledged.
 *
 * Such an entry stands in the index of the group, with what is known of its delivery, and in that of its
 * consumer; both change together.
 */

import { assert, type Steps } from '#base';
import { DeliveryOrder } from './delivery-order.ts';
import { IdIndex, IdPlace } from './id-index.ts';
import type { MemoryTally } from './memory-tally.ts';
import { NamedList } from './named-list.ts';
import { StreamId } from './stream-id.ts';

/** `entriesRead` of a group whose number of read entries is unknown. */
export const UNKNOWN_READ = -1;
/** `activeMs` of a consumer that was never given anything. */
export const NEVER = -1;

const WORD = 2 ** 32;
/** Bytes that Node keeps for a group and a consumer, without their names and indexes (measured). */
const GROUP_OVERHEAD_BYTES = 900;
const CONSUMER_OVERHEAD_BYTES = 400;

const CONSUMER = 0;
const TIME = 1;
const DELIVERIES = 3;
/** Place among deliveries of the same millisecond; 0 while the group keeps no order of deliveries. */
const RANK = 5;
const PENDING_WORDS = 6;
const NOBODY = -1;

/** The most deliveries that are counted: 2^63 - 1, which as a double is 2^63. It stands for entries that failed for good. */
export const DELIVERIES_MAX = 2 ** 63;
const DELIVERIES_MAX_HIGH = 0x7fffffff;

const placeScratch = new IdPlace();
const otherScratch = new IdPlace();
const idScratch = new StreamId();

export class StreamConsumer {
  readonly name: string;
  /** Number by which the group's index knows the consumer. */
  readonly number: number;
  /** Ids of the entries that it has to acknowledge. */
  readonly pending: IdIndex;
  /** Unix milliseconds of the consumer's last request, and of the last one that returned entries. */
  seenMs: number;
  activeMs = NEVER;

  constructor(name: string, number: number, tally: MemoryTally, nowMs: number) {
    this.name = name;
    this.number = number;
    this.pending = new IdIndex(0, tally);
    this.seenMs = nowMs;
  }
}

export class StreamGroup {
  readonly name: string;
  readonly lastId: StreamId;
  entriesRead: number;
  readonly consumers = new NamedList<StreamConsumer>();
  /** Every entry that is not acknowledged. */
  readonly pending: IdIndex;
  readonly #tally: MemoryTally;
  readonly #byNumber: (StreamConsumer | undefined)[] = [];
  readonly #vacant: number[] = [];
  /** Number of pending entries without a consumer. */
  #released = 0;
  /** Undefined until somebody asks for it. */
  #order: DeliveryOrder | undefined;

  constructor(name: string, lastId: StreamId, entriesRead: number, tally: MemoryTally) {
    this.name = name;
    this.lastId = lastId.copy();
    this.entriesRead = entriesRead;
    this.pending = new IdIndex(PENDING_WORDS, tally);
    this.#tally = tally;
    tally.add(GROUP_OVERHEAD_BYTES + name.length);
  }

  /** Copies the consumers and pending entries of another group into this empty one. */
  *copyFrom(group: StreamGroup): Steps<void> {
    yield* this.pending.copyFrom(group.pending);
    for (const consumer of group.#byNumber) {
      this.#byNumber.push(consumer && (yield* this.#copyConsumer(consumer)));
    }
    for (const number of group.#vacant) this.#vacant.push(number);
    this.#released = group.#released;
    if (group.#order === undefined) return;
    this.#order = new DeliveryOrder(this.#tally);
    yield* this.#order.copyFrom(group.#order);
  }

  *#copyConsumer({
    name,
    number,
    pending,
    seenMs,
    activeMs,
  }: StreamConsumer): Steps<StreamConsumer> {
    const copy = this.#enroll(name, number, seenMs);
    copy.activeMs = activeMs;
    yield* copy.pending.copyFrom(pending);
    return copy;
  }

  /** Removes the group's memory from the counts. */
  dispose(): void {
    for (const consumer of this.consumers.sorted) this.#forget(consumer);
    this.pending.clear();
    this.#order?.clear();
    this.#tally.add(-(GROUP_OVERHEAD_BYTES + this.name.length));
  }

  /** A new consumer, whose name is not there. */
  createConsumer(name: string, nowMs: number): StreamConsumer {
    const number = this.#vacant.pop() ?? this.#byNumber.length;
    const consumer = this.#enroll(name, number, nowMs);
    this.#byNumber[number] = consumer;
    return consumer;
  }

  #enroll(name: string, number: number, nowMs: number): StreamConsumer {
    const consumer = new StreamConsumer(name, number, this.#tally, nowMs);
    this.consumers.add(consumer);
    this.#tally.add(CONSUMER_OVERHEAD_BYTES + name.length);
    return consumer;
  }

  /** Removes a consumer and its pending entries. */
  removeConsumer(consumer: StreamConsumer): void {
    const { pending } = consumer;
    const id = this.lastId.copy();
    for (let more = pending.first(otherScratch); more; more = pending.next(otherScratch)) {
      pending.readId(otherScratch, id);
      if (this.pending.find(id, placeScratch)) this.#remove(placeScratch);
    }
    this.#forget(consumer);
    this.consumers.remove(consumer);
    this.#byNumber[consumer.number] = undefined;
    this.#vacant.push(consumer.number);
  }

  /** Assigns an entry to a consumer (first delivery or claim). */
  deliver(id: StreamId, consumer: StreamConsumer, nowMs: number): void {
    if (this.pending.find(id, placeScratch)) this.assign(placeScratch, id, consumer);
    else this.enter(id, placeScratch, consumer);
    this.setDelivery(placeScratch, nowMs, 1);
  }

  /**
   * Enters an entry that is not pending, without a consumer if none is given; when and how often it was delivered is
   * the caller's to set.
   */
  enter(id: StreamId, into: IdPlace, consumer?: StreamConsumer): void {
    this.pending.insert(id, into);
    this.pending.setWord(into, CONSUMER, consumer?.number ?? NOBODY);
    this.pending.setWord(into, RANK, 0);
    if (consumer === undefined) this.#released += 1;
    else consumer.pending.insert(id, otherScratch);
  }

  /** Gives a pending entry to a consumer. */
  assign(at: IdPlace, id: StreamId, consumer: StreamConsumer): void {
    const before = this.consumerAt(at);
    if (before === consumer) return;
    if (before === undefined) this.#released -= 1;
    else if (before.pending.find(id, otherScratch)) before.pending.remove(otherScratch);
    consumer.pending.insert(id, otherScratch);
    this.pending.setWord(at, CONSUMER, consumer.number);
  }

  /** Takes a pending entry from its consumer; it stays pending until a consumer claims it. */
  disown(at: IdPlace, id: StreamId): void {
    const consumer = this.consumerAt(at);
    if (consumer === undefined) return;
    if (consumer.pending.find(id, otherScratch)) consumer.pending.remove(otherScratch);
    this.pending.setWord(at, CONSUMER, NOBODY);
    this.#released += 1;
  }

  /** Number of pending entries that consumers have released (XNACK): they have no consumer. */
  get releasedCount(): number {
    return this.#released;
  }

  /** Ids of released entries in the order of their release. */
  releasedIds(): StreamId[] {
    const ids: StreamId[] = [];
    if (this.#released === 0) return ids;
    const { deliveryOrder, pending } = this;
    const at = new IdPlace();
    const own = new IdPlace();
    let more = deliveryOrder.first(at);
    for (; more && ids.length < this.#released; more = deliveryOrder.next(at)) {
      const id = new StreamId();
      deliveryOrder.readId(at, id);
      if (pending.find(id, own) && this.consumerAt(own) === undefined) ids.push(id);
    }
    return ids;
  }

  /** Removes an entry; returns true if it was pending. */
  acknowledge(id: StreamId): boolean {
    if (!this.pending.find(id, placeScratch)) return false;
    this.release(placeScratch, id);
    return true;
  }

  /** Takes a pending entry out; the place is that of the next one then. */
  release(at: IdPlace, id: StreamId): boolean {
    const consumer = this.consumerAt(at);
    if (consumer === undefined) {
      this.#released -= 1;
    } else {
      assert(consumer.pending.find(id, otherScratch), 'who has a pending entry knows of it');
      consumer.pending.remove(otherScratch);
    }
    return this.#remove(at);
  }

  /** Consumer of a pending entry; undefined for a released one, and while a group is being built. */
  consumerAt(at: IdPlace): StreamConsumer | undefined {
    return this.#byNumber[this.pending.word(at, CONSUMER)];
  }

  /** Returns the time at which a pending entry was delivered last. */
  deliveredMs(at: IdPlace): number {
    return this.#number(at, TIME);
  }

  deliveries(at: IdPlace): number {
    return this.#number(at, DELIVERIES);
  }

  setDelivery(at: IdPlace, unixMs: number, deliveries: number): void {
    this.#leaveOrder(at);
    this.#setNumber(at, TIME, unixMs);
    this.#setNumber(at, DELIVERIES, deliveries);
    if (this.#order === undefined) return;
    this.pending.readId(at, idScratch);
    this.pending.setWord(at, RANK, this.#order.add(unixMs, idScratch));
    // Ranks begin again when they are used up.
    if (this.#order.isFull) this.#dropOrder();
  }

  /**
   * Pending entries in the order of their last delivery: released ones first, as their time is 0. It is built when it is
   * asked for first, in O(N*log(N)) for N pending entries, and kept from then on.
   */
  get deliveryOrder(): DeliveryOrder {
    this.#order ??= this.#buildOrder();
    return this.#order;
  }

  /** Keeps the order of deliveries from now on. */
  keepDeliveryOrder(): void {
    this.#order ??= this.#buildOrder();
  }

  #buildOrder(): DeliveryOrder {
    const { pending } = this;
    const order = new DeliveryOrder(this.#tally);
    order.build(
      pending,
      (at) => this.deliveredMs(at),
      (at, rank) => {
        pending.setWord(at, RANK, rank);
      },
    );
    return order;
  }

  #dropOrder(): void {
    this.#order?.clear();
    this.#order = undefined;
  }

  #leaveOrder(at: IdPlace): void {
    this.#order?.remove(this.deliveredMs(at), this.pending.word(at, RANK));
  }

  /** Removes a pending entry from the group's indexes. */
  #remove(at: IdPlace): boolean {
    this.#leaveOrder(at);
    return this.pending.remove(at);
  }

  #forget(consumer: StreamConsumer): void {
    consumer.pending.clear();
    this.#tally.add(-(CONSUMER_OVERHEAD_BYTES + consumer.name.length));
  }

  #number(at: IdPlace, word: number): number {
    return this.pending.word(at, word) * WORD + (this.pending.word(at, word + 1) >>> 0);
  }

  #setNumber(at: IdPlace, word: number, value: number): void {
    const isMost = value >= DELIVERIES_MAX;
    this.pending.setWord(at, word, isMost ? DELIVERIES_MAX_HIGH : Math.floor(value / WORD));
    this.pending.setWord(at, word + 1, isMost ? -1 : value);
  }
}
