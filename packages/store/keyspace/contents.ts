/**
 * Contents of a database: its records, the index that finds them, and the indexes of those that expire and of hashes
 * with fields that do.
 *
 * Every record is in the main index; it is in the index of expiring keys exactly when it has an expiry, and in the
 * third exactly when its encoding says so. A record that moves is renamed in all before its old cell is freed.
 */
import { KeyIndex } from '../index/key-index.ts';
import { Ledger, type MemoryCount } from '../memory/memory-count.ts';
import { ENCODING_SHIFT, hasFieldExpiry, TYPE_SHIFT } from '../records/record-head.ts';
import type { HiddenSlots } from './hidden-slots.ts';
import type { KeyHasher } from '../records/key-hasher.ts';
import type { SharedViews } from '../values/shared-views.ts';
import { Records } from '../records/records.ts';
import type { Ref } from '../memory/segment.ts';
import { SlotCounts } from './slot-counts.ts';
import type { WarmTier } from '../warm/warm-tier.ts';

/** Parts of a store that its databases share. */
interface ContentsStore {
  readonly views: SharedViews;
  readonly memory: MemoryCount;
  readonly tier: WarmTier;
  readonly countsSlots: boolean;
  readonly hiddenSlots: HiddenSlots;
}

export class Contents {
  readonly ledger: Ledger;
  readonly records: Records;
  readonly index: KeyIndex;
  readonly volatile: KeyIndex;
  readonly fieldVolatile: KeyIndex;

  /** Undefined if keys are not counted by slot. */
  readonly slots: SlotCounts | undefined;
  readonly #tier: WarmTier;
  readonly #hiddenSlots: HiddenSlots;

  constructor(hasher: KeyHasher, store: ContentsStore) {
    const { views, memory, tier, hiddenSlots } = store;
    if (store.countsSlots) this.slots = new SlotCounts(hiddenSlots);
    this.#tier = tier;
    this.#hiddenSlots = store.hiddenSlots;
    this.ledger = new Ledger(memory);
    const warm = { tier, owner: tier.register() };
    this.records = new Records(hasher, views, this.ledger, warm);
    this.index = new KeyIndex(this.records, this.ledger);
    this.volatile = new KeyIndex(this.records, this.ledger);
    this.fieldVolatile = new KeyIndex(this.records, this.ledger);
  }

  /** Drops everything at once. */
  close(): void {
    this.ledger.close();
    this.#tier.forget(this.records.warmOwner);
  }

  /** Makes room for a record in the indexes it is to be in: entering it cannot fail. */
  reserve(hash: number, old: Ref, expires: boolean, type: number, encoding: number): void {
    if (old === 0) this.index.reserve(hash);
    if (expires) this.volatile.reserve(hash);
    if (hasFieldExpiry((type << TYPE_SHIFT) | (encoding << ENCODING_SHIFT))) {
      this.fieldVolatile.reserve(hash);
    }
  }

  /** Puts a finished record into the indexes, in the place of `old` if that is not 0. */
  enter(hash: number, old: Ref, ref: Ref): void {
    const records = this.records;
    const expires = records.head(ref) < 0;
    const oldExpires = old !== 0 && records.head(old) < 0;
    if (old === 0) {
      this.index.insert(hash, ref);
      this.slots?.change(records.slotOf(ref), 1);
    } else {
      this.index.replace(hash, old, ref);
    }
    if (expires && oldExpires) {
      records.setExpiry(ref, records.expiry(old));
      this.volatile.replace(hash, old, ref);
    } else if (expires) {
      this.volatile.insert(hash, ref);
    } else if (oldExpires) {
      this.volatile.remove(hash, old);
    }
    this.#followFields(hash, old, ref);
    if (old !== 0) records.free(old);
  }

  /**
   * Replaces `ref` by `next`, which has taken over all its memory outside of the cell; frees only the
   * old cell. One may have an expiry and the other not.
   */
  exchange(hash: number, ref: Ref, next: Ref): void {
    const expires = this.records.head(next) < 0;
    const oldExpires = this.records.head(ref) < 0;
    this.index.replace(hash, ref, next);
    if (expires && oldExpires) this.volatile.replace(hash, ref, next);
    else if (expires) this.volatile.insert(hash, next);
    else if (oldExpires) this.volatile.remove(hash, ref);
    this.#followFields(hash, ref, next);
    this.records.heap.free(ref);
  }

  /** Called when a record has changed its encoding in place. */
  reclassify(hash: number, ref: Ref, oldWord: number): void {
    const had = hasFieldExpiry(oldWord);
    const has = hasFieldExpiry(this.records.word(ref));
    if (has && !had) this.fieldVolatile.insert(hash, ref);
    else if (had && !has) this.fieldVolatile.remove(hash, ref);
  }

  /** Takes a record out of the indexes and frees it. */
  remove(hash: number, ref: Ref): void {
    this.slots?.change(this.records.slotOf(ref), -1);
    this.index.remove(hash, ref);
    if (this.records.head(ref) < 0) this.volatile.remove(hash, ref);
    if (hasFieldExpiry(this.records.word(ref))) this.fieldVolatile.remove(hash, ref);
    this.records.free(ref);
  }

  /** True for a key of a slot that is hidden. */
  isHidden(ref: Ref): boolean {
    return this.#hiddenSlots.isAny && this.#hiddenSlots.has(this.records.slotOf(ref));
  }

  /** The record's share of the bytes of the indexes that it is in. */
  indexShare(ref: Ref): number {
    let share = this.index.bytes / this.index.count;
    if (this.records.head(ref) < 0) share += this.volatile.bytes / this.volatile.count;
    if (hasFieldExpiry(this.records.word(ref))) {
      share += this.fieldVolatile.bytes / this.fieldVolatile.count;
    }
    return Math.ceil(share);
  }

  /** Replaces `old`, which may be 0, by `ref` in the index of hashes whose fields expire. */
  #followFields(hash: number, old: Ref, ref: Ref): void {
    const had = old !== 0 && hasFieldExpiry(this.records.word(old));
    const has = hasFieldExpiry(this.records.word(ref));
    if (has && had) this.fieldVolatile.replace(hash, old, ref);
    else if (has) this.fieldVolatile.insert(hash, ref);
    else if (had) this.fieldVolatile.remove(hash, old);
  }
}
