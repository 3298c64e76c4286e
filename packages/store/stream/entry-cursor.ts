/**
 * Goes through the entries of a stream in the order of their ids, or backwards.
 *
 * It is good until the stream's entries change. Who stands at an entry may read its fields one by one:
 * `field`, then `value`.
 */

import { Listpack } from '../listpack/listpack.ts';
import { IdPlace } from './id-index.ts';
import { MemoryTally } from './memory-tally.ts';
import { NodeLog } from './node-log.ts';
import { EntryFlag, readEntryId } from './stream-node.ts';
import { StreamId } from './stream-id.ts';

const NO_LOG = new NodeLog(new MemoryTally());

export class EntryCursor {
  /** The current entry's. */
  readonly id = new StreamId();
  fieldCount = 0;
  /** Points at the field's name after `nextField`. */
  readonly field = new Listpack();
  /** Points at the value after `nextField`. */
  readonly value = new Listpack();
  /** The node of the current entry. */
  readonly place = new IdPlace();
  readonly #first = new StreamId();
  readonly #last = new StreamId();
  readonly #node = new StreamId();
  #log = NO_LOG;
  #isBackward = false;
  /** True when `place` is that of a node still to be walked. */
  #hasNode = false;
  #isInNode = false;
  #masterCount = 0;
  #masterAt = 0;
  #flagsAt = 0;
  #flags = 0;
  /** Elements of the current entry behind what was read. */
  #unread = 0;

  /** Begins a walk through the entries from `first` to `last`, both with them; `next` steps to each. */
  open(log: NodeLog, first: StreamId, last: StreamId, isBackward = false): this {
    this.#log = log;
    this.#first.set(first);
    this.#last.set(last);
    this.#isBackward = isBackward;
    this.#isInNode = false;
    const { index } = log;
    const { place } = this;
    const start = isBackward ? last : first;
    const isFound = index.seekBack(start, place);
    if (!isFound && !isBackward) index.first(place);
    this.#hasNode = index.isThere(place) && (isFound || !isBackward);
    return this;
  }

  letGo(): void {
    this.#log = NO_LOG;
    this.field.letGo();
    this.value.letGo();
  }

  /** Steps to the next entry that is not deleted; false when there is none. */
  next(): boolean {
    return this.#isBackward ? this.#stepBack() : this.#step();
  }

  /** Goes to the next field of the entry; its name and value are to be read then. */
  nextField(): void {
    const { value, field } = this;
    if ((this.#flags & EntryFlag.sameFields) !== 0) {
      if (field.position < 0) field.position = this.#masterAt;
      else field.next();
      if (this.#unread !== this.fieldCount) value.next();
      this.#unread -= 1;
      return;
    }
    if (this.#unread !== 2 * this.fieldCount) value.next();
    field.point(value.bytes, value.start);
    field.position = value.position;
    value.next();
    this.#unread -= 2;
  }

  /** Offset of the flags of the current entry, in the memory of `value`. */
  get flagsAt(): number {
    return this.#flagsAt;
  }

  #step(): boolean {
    const { value } = this;
    for (;;) {
      if (!this.#isInNode) {
        if (!this.#hasNode) return false;
        this.#enterNode();
        value.position = this.#masterAt;
        for (let left = this.#masterCount; left > 0; left -= 1) value.next();
        this.#unread = 0;
      } else {
        this.#skipEntry();
      }
      // The end of the names, or how many elements an entry had.
      while (value.next()) {
        this.#readHead();
        if ((this.#flags & EntryFlag.deleted) === 0 && this.id.compare(this.#first) >= 0) {
          return this.id.compare(this.#last) <= 0;
        }
        this.#skipEntry();
      }
      this.#isInNode = false;
      this.#hasNode = this.#log.index.next(this.place);
    }
  }

  #stepBack(): boolean {
    const { value } = this;
    for (;;) {
      if (!this.#isInNode) {
        if (!this.#hasNode) return false;
        this.#enterNode();
        value.last();
      } else {
        value.position = this.#flagsAt;
        value.prev();
      }
      for (let count = value.integer; count > 0; count = value.integer) {
        for (let left = count; left > 0; left -= 1) value.prev();
        this.#readHead();
        if ((this.#flags & EntryFlag.deleted) === 0 && this.id.compare(this.#last) <= 0) {
          return this.id.compare(this.#first) >= 0;
        }
        value.position = this.#flagsAt;
        value.prev();
      }
      this.#isInNode = false;
      this.#hasNode = this.#log.index.prev(this.place);
    }
  }

  #enterNode(): void {
    const log = this.#log;
    log.read(this.place);
    log.index.readId(this.place, this.#node);
    const { value } = this;
    value.point(log.bytes, log.at).first();
    value.next();
    value.next();
    this.#masterCount = value.integer;
    value.next();
    this.#masterAt = value.position;
    this.#isInNode = true;
  }

  /** Reads what comes before the fields, from the flags on. */
  #readHead(): void {
    const { value, field } = this;
    this.#flagsAt = value.position;
    this.#flags = value.integer;
    value.next();
    readEntryId(value, this.#node, this.id);
    if ((this.#flags & EntryFlag.sameFields) !== 0) {
      this.fieldCount = this.#masterCount;
      this.#unread = this.fieldCount;
      field.point(value.bytes, value.start);
    } else {
      this.fieldCount = value.integer;
      this.#unread = 2 * this.fieldCount;
      value.next();
    }
  }

  /** Goes to the last element of the entry. */
  #skipEntry(): void {
    const isSame = (this.#flags & EntryFlag.sameFields) !== 0;
    const all = isSame ? this.fieldCount : 2 * this.fieldCount;
    // Where fields were read, the cursor is still at the last value.
    const isAtFirst = this.#unread === all;
    for (let left = isAtFirst ? all : this.#unread + 1; left > 0; left -= 1) this.value.next();
  }
}
