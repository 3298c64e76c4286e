/**
 * A consumer group: how far it has read, its consumers, and the entries that were delivered and are not
 * acknowledged.
 *
 * Such an entry stands in the index of the group, with what is known of its delivery, and in that of its
 * consumer; both change together.
 */

import { assert, type Steps } from '#base';
import { IdIndex, IdPlace } from './id-index.ts';
import type { MemoryTally } from './memory-tally.ts';
import { NamedList } from './named-list.ts';
import type { StreamId } from './stream-id.ts';

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
const PENDING_WORDS = 5;
const NOBODY = -1;

const placeScratch = new IdPlace();
const otherScratch = new IdPlace();

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
      if (this.pending.find(id, placeScratch)) this.pending.remove(placeScratch);
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

  /** Enters an entry that is not pending; when and how often it was delivered is the caller's to set. */
  enter(id: StreamId, into: IdPlace, consumer?: StreamConsumer): void {
    this.pending.insert(id, into);
    this.pending.setWord(into, CONSUMER, consumer?.number ?? NOBODY);
    consumer?.pending.insert(id, otherScratch);
  }

  /** Gives a pending entry to a consumer. */
  assign(at: IdPlace, id: StreamId, consumer: StreamConsumer): void {
    const before = this.consumerAt(at);
    if (before === consumer) return;
    if (before?.pending.find(id, otherScratch) === true) before.pending.remove(otherScratch);
    consumer.pending.insert(id, otherScratch);
    this.pending.setWord(at, CONSUMER, consumer.number);
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
    if (consumer !== undefined) {
      assert(consumer.pending.find(id, otherScratch), 'who has a pending entry knows of it');
      consumer.pending.remove(otherScratch);
    }
    return this.pending.remove(at);
  }

  /** Consumer of a pending entry; undefined only while a group is being built. */
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
    this.#setNumber(at, TIME, unixMs);
    this.#setNumber(at, DELIVERIES, deliveries);
  }

  #forget(consumer: StreamConsumer): void {
    consumer.pending.clear();
    this.#tally.add(-(CONSUMER_OVERHEAD_BYTES + consumer.name.length));
  }

  #number(at: IdPlace, word: number): number {
    return this.pending.word(at, word) * WORD + (this.pending.word(at, word + 1) >>> 0);
  }

  #setNumber(at: IdPlace, word: number, value: number): void {
    this.pending.setWord(at, word, Math.floor(value / WORD));
    this.pending.setWord(at, word + 1, value);
  }
}
