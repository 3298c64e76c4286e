/**
 * One database, as commands see it: keys are found, read, written, and expire when they are met.
 *
 * Large because commands know a database by this one object: what it stands on is in `Contents`, and most of its methods
 * are a look at that.
 */
import { assert, KeyFate } from '#base';
import { accessAfterUse, decayedCounter, idleSince, USAGE_KINDS } from '../records/access.ts';
import { Contents } from './contents.ts';
import type { KeyIndex } from '../index/key-index.ts';
import { VALUE_BYTES_MAX } from '../memory/limits.ts';
import {
  ACCESS_MASK,
  ENCODING_MASK,
  ENCODING_SHIFT,
  FREEZE_BIT,
  HAS_EXPIRY,
  hasFieldExpiry,
  headOf,
  isWarmHead,
  PLACE_MASK,
  PLACE_OBJECT,
  PLACE_WARM,
  TYPE_MASK,
  TYPE_SHIFT,
  withValue,
} from '../records/record-head.ts';
import type { KeyHasher } from '../records/key-hasher.ts';
import type { ByteRange, ValueView } from '../values/shared-views.ts';
import { blobOf, meanExpiry, type Records } from '../records/records.ts';
import type { Ref } from '../memory/segment.ts';
import type { StoreContext } from './store-context.ts';
import { PLAIN, type SetOptions } from './set-options.ts';
import { ValueType } from '../values/value-type.ts';
import { PackedTable } from '../table/packed-table.ts';
import { resizeValue, switchExpiry } from '../records/value-size.ts';
import { hasCodec } from '../values/codecs.ts';
import { unspillValue } from './unspill.ts';

export class Keyspace {
  readonly #store: StoreContext;
  readonly #hasher: KeyHasher;
  readonly #number: number;
  #contents: Contents;
  #records: Records;
  #index: KeyIndex;
  #volatile: KeyIndex;
  /** The record last found or made, and its hash, so that what follows need not hash again. */
  #lastRef: Ref = 0;
  #lastHash = 0;

  constructor(
    store: StoreContext,
    hasher: KeyHasher,
    number: number,
    contents = new Contents(hasher, store),
  ) {
    this.#store = store;
    this.#hasher = hasher;
    this.#number = number;
    this.#contents = contents;
    this.#records = this.#contents.records;
    this.#index = this.#contents.index;
    this.#volatile = this.#contents.volatile;
  }

  /** Number of keys, including expired ones that were not removed yet. */
  get size(): number {
    return this.#index.count;
  }

  /** Number of served keys: without those of hidden slots. */
  get servedSize(): number {
    return this.#index.count - (this.#contents.slots?.hiddenKeys ?? 0);
  }

  /** True for a key of a hidden slot, which no listing reports. */
  isHidden(ref: Ref): boolean {
    return this.#contents.isHidden(ref);
  }

  /** Keys that have an expiry. */
  get expires(): number {
    return this.#volatile.count;
  }

  /** Average expiry of keys that have one, in Unix milliseconds; 0 when there are none. */
  get meanExpiry(): number {
    return meanExpiry(this.#records.expirySum, this.expires);
  }

  /**
   * Number of keys of a cluster slot, including expired ones that were not removed yet; undefined if they are not
   * counted.
   */
  keysOfSlot(slot: number): number | undefined {
    return this.#contents.slots?.of(slot);
  }

  /** Hashes with fields that expire. */
  get fieldExpires(): number {
    return this.#contents.fieldVolatile.count;
  }

  /** For this package only: the records and all indexes, replaced by flush and swap. */
  get contents(): Contents {
    return this.#contents;
  }

  /** The live record of a key, or 0. An expired one is removed. Counts as an access. */
  find(key: Uint8Array, at: number, length: number): Ref {
    const ref = this.peek(key, at, length);
    if (ref !== 0 && !this.#store.noTouch) this.#touch(ref);
    return ref;
  }

  /** Finds a key without counting an access. */
  peek(key: Uint8Array, at: number, length: number): Ref {
    const hash = this.#hasher.hash(key, at, length);
    const ref = this.#index.find(hash, key, at, length);
    if (ref === 0) return 0;
    this.#remember(hash, ref);
    return this.#records.head(ref) < 0 ? this.#unlessExpired(ref) : ref;
  }

  /** The hash of a key: of one that is at hand it need not be made. */
  hash(key: Uint8Array, at: number, length: number): number {
    return this.#hasher.hash(key, at, length);
  }

  /** The record of a key, expired or not, without any effect; or 0. */
  lookUp(key: Uint8Array, length: number, at = 0): Ref {
    return this.lookUpHashed(this.#hasher.hash(key, at, length), key, length, at);
  }

  /** Finds a key whose hash is known, without counting an access. */
  lookUpHashed(hash: number, key: Uint8Array, length: number, at: number): Ref {
    return this.#index.find(hash, key, at, length);
  }

  /** A number of ValueType. */
  type(ref: Ref): number {
    return (this.#records.word(ref) >>> TYPE_SHIFT) & TYPE_MASK;
  }

  /** Four bits that mean something to the owner of the type. */
  encoding(ref: Ref): number {
    return (this.#records.word(ref) >>> ENCODING_SHIFT) & ENCODING_MASK;
  }

  setEncoding(ref: Ref, encoding: number): void {
    const word = this.#records.word(ref);
    const rest = word & ~(ENCODING_MASK << ENCODING_SHIFT);
    this.#records.setWord(ref, rest | (encoding << ENCODING_SHIFT));
    if (hasFieldExpiry(word) !== hasFieldExpiry(this.#records.word(ref))) {
      this.#contents.reclassify(this.#hashOf(ref), ref, word);
    }
  }

  /** The bytes of the key, in the store's shared view. */
  key(ref: Ref): ValueView {
    return this.#records.viewKey(ref);
  }

  /** The bytes of the value, in the store's shared view. They may be written in place. */
  value(ref: Ref): ValueView {
    return this.#records.viewValue(ref);
  }

  /** Bytes of the value; 0 for an object. */
  length(ref: Ref): number {
    if (this.isWarm(ref) && this.type(ref) === ValueType.string) return this.warmSize(ref);
    return this.#records.valueLength(ref);
  }

  /** Creates a record or overwrites it. */
  set(keyAt: ByteRange, valueAt: ByteRange, options: SetOptions = PLAIN): Ref {
    const { bytes: key, at: keyFrom, length: keyLength } = keyAt;
    const { bytes: value, at: valueFrom, length: valueLength } = valueAt;
    const { type, encoding, expireAt, isGiven } = options;
    assert(valueLength <= VALUE_BYTES_MAX, 'a value of at most a GiB');
    const records = this.#records;
    const hash = this.#hasher.hash(key, keyFrom, keyLength);
    const old = this.#findLive(hash, key, keyFrom, keyLength);
    const hasExpiry = expireAt >= 0 || (options.keepTtl && old !== 0 && records.head(old) < 0);
    const word = this.#firstWord(old, type, encoding);
    const head = withValue(headOf(keyLength, hasExpiry), valueLength);
    if (old !== 0 && !isGiven && records.overwrite(old, head, value, valueFrom, valueLength)) {
      const oldWord = records.word(old);
      records.setWord(old, word);
      this.#contents.reclassify(hash, old, oldWord);
      if (expireAt >= 0) records.setExpiry(old, expireAt);
      return old;
    }
    const isInline = (head & PLACE_MASK) === 0;
    const blob = blobOf(isInline || isGiven, value, valueFrom, valueLength);
    this.#contents.reserve(hash, old, hasExpiry, type, encoding);
    const ref = records.create(word, head, key, keyFrom, keyLength);
    if (isInline) records.writeInline(ref, value, valueFrom, valueLength);
    else records.setNumber(ref, records.addBlob(blob, valueLength));
    this.#contents.enter(hash, old, ref);
    this.#remember(hash, ref);
    if (expireAt >= 0) records.setExpiry(ref, expireAt);
    return ref;
  }

  /** Resizes a value; new bytes are zero. The record may move; write through `value`. */
  resize(ref: Ref, length: number): Ref {
    const own = this.isWarm(ref) ? this.unspill(ref) : ref;
    const next = resizeValue(this.#records, own, length);
    return next === own ? own : this.#exchange(own, next);
  }

  /** Creates or overwrites with a JavaScript value; `bytes` is its owner's count of its size. */
  setObject(keyAt: ByteRange, object: unknown, bytes: number, options: SetOptions): Ref {
    const { bytes: key, at: keyFrom, length: keyLength } = keyAt;
    const { type, encoding, expireAt } = options;
    const records = this.#records;
    const hash = this.#hasher.hash(key, keyFrom, keyLength);
    const old = this.#findLive(hash, key, keyFrom, keyLength);
    const hasExpiry = expireAt >= 0 || (options.keepTtl && old !== 0 && records.head(old) < 0);
    const word = this.#firstWord(old, type, encoding);
    const head = headOf(keyLength, hasExpiry) | PLACE_OBJECT;
    this.#contents.reserve(hash, old, hasExpiry, type, encoding);
    const ref = records.create(word, head, key, keyFrom, keyLength);
    records.setNumber(ref, records.addObject(object, bytes));
    this.#contents.enter(hash, old, ref);
    this.#remember(hash, ref);
    if (expireAt >= 0) records.setExpiry(ref, expireAt);
    return ref;
  }

  /** The JavaScript value, or undefined when the value is bytes. */
  object(ref: Ref): unknown {
    if (this.isWarm(ref)) return this.#records.loan(ref).object;
    return this.isObject(ref) ? this.#records.objects.thing(this.#records.number(ref)) : undefined;
  }

  isObject(ref: Ref): boolean {
    const place = this.#records.head(ref) & PLACE_MASK;
    if (place !== PLACE_WARM) return place === PLACE_OBJECT;
    return hasCodec(this.type(ref), this.encoding(ref));
  }

  /** Adjusts the count of an object's size. */
  addObjectBytes(ref: Ref, delta: number): void {
    assert(this.isObject(ref), 'an object is counted');
    if (this.isWarm(ref)) this.#records.loan(ref).objectBytes += delta;
    else this.#records.addObjectBytes(this.#records.number(ref), delta);
  }

  /** True when the value is in the warm tier, with or without a loan. */
  isWarm(ref: Ref): boolean {
    return isWarmHead(this.#records.head(ref));
  }

  /** For this package only: replaces a record by one that has taken over all its memory. */
  standIn(ref: Ref, next: Ref): void {
    this.#exchange(ref, next);
  }

  /** Moves a warm value back to memory; returns the record, which has moved. */
  unspill(ref: Ref): Ref {
    return this.#exchange(ref, unspillValue(this.#contents.records, this.#store.tier, ref));
  }

  /** Gives a warm key another name, which no key has; the value stays where it is. */
  renameWarm(ref: Ref, { bytes, at, length }: ByteRange): void {
    const { tier, freezeBit } = this.#store;
    const records = this.#records;
    const hash = this.#hasher.hash(bytes, at, length);
    const hasExpiry = records.head(ref) < 0;
    this.#contents.reserve(hash, 0, hasExpiry, this.type(ref), this.encoding(ref));
    const word = (records.word(ref) & ~FREEZE_BIT) | freezeBit;
    const next = records.create(word, headOf(length, hasExpiry) | PLACE_WARM, bytes, at, length);
    const number = records.number(ref);
    records.setNumber(next, number);
    records.setWarmSize(next, records.warmSize(ref));
    if (hasExpiry) records.setExpiry(next, records.expiry(ref));
    this.#contents.enter(hash, 0, next);
    tier.retain(number >>> 0);
    this.removeRef(ref, KeyFate.moved);
    tier.rename(number >>> 0, bytes.slice(at, at + length));
  }

  /** Place of a warm value in the tier. */
  warmNumber(ref: Ref): number {
    return this.#records.number(ref) >>> 0;
  }

  /** Size of a warm value: bytes of a string, else elements. */
  warmSize(ref: Ref): number {
    return this.#records.warmSize(ref);
  }

  /** Ends the loan of a warm value, unless a command waits for it or it was changed. */
  endLoan(ref: Ref): void {
    const { loans } = this.#store.tier;
    const number = this.warmNumber(ref);
    const loan = loans.get(number);
    if (loan !== undefined && !loan.isWritten && loan.awaited === 0) loans.delete(number);
  }

  /** A warm value has another place in the tier. */
  moveWarm(ref: Ref, number: number): void {
    this.#records.setNumber(ref, number | 0);
  }

  /** Returns the expiry of the record in Unix milliseconds, or -1. */
  expireAt(ref: Ref): number {
    return this.#records.head(ref) < 0 ? this.#records.expiry(ref) : -1;
  }

  /** Sets when the record expires, or with -1 that it does not. The record may move. */
  setExpireAt(ref: Ref, unixMs: number): Ref {
    const next = this.#setExpireAt(ref, unixMs);
    if (this.#store.reportsEnds && unixMs >= 0) {
      const { bytes, at, length } = this.key(next);
      this.#store.events.endSet(this.#number, bytes, at, length);
    }
    return next;
  }

  #setExpireAt(ref: Ref, unixMs: number): Ref {
    const records = this.#records;
    const head = records.head(ref);
    if (head < 0 && unixMs >= 0) {
      records.setExpiry(ref, unixMs);
      return ref;
    }
    if (head >= 0 && unixMs < 0) return ref;
    this.#contents.volatile.reserve(this.#hashOf(ref));
    const next = this.#exchange(ref, switchExpiry(records, ref, head ^ HAS_EXPIRY));
    if (unixMs >= 0) records.setExpiry(next, unixMs);
    return next;
  }

  /** Removes a key; false when there was none, or only an expired one. */
  remove(key: Uint8Array, at: number, length: number, fate: number = KeyFate.deleted): boolean {
    const ref = this.peek(key, at, length);
    if (ref !== 0) this.removeRef(ref, fate);
    return ref !== 0;
  }

  /** Removes a record and reports the reason, a number of KeyFate. */
  removeRef(ref: Ref, fate: number = KeyFate.deleted): void {
    const { bytes, at, length } = this.#records.viewKey(ref);
    this.#store.fates.gone(this.#number, fate, bytes, at, length);
    this.takeOut(ref);
  }

  /** Removes a record whose key was moved elsewhere. */
  takeOut(ref: Ref): void {
    const hash = this.#hashOf(ref);
    this.#lastRef = 0;
    this.#contents.remove(hash, ref);
  }

  /** Current 24 access bits. */
  access(ref: Ref): number {
    return this.#records.word(ref) & ACCESS_MASK;
  }

  setAccess(ref: Ref, bits: number): void {
    this.#records.setWord(ref, (this.#records.word(ref) & ~ACCESS_MASK) | (bits & ACCESS_MASK));
  }

  /** Seconds since the last access, or change under LRM policies; it means something under every policy but the LFU ones. */
  idleSeconds(ref: Ref): number {
    return idleSince(this.access(ref), this.#store.clock);
  }

  /** Access counter under LFU policies, after its decay since the last access. */
  frequency(ref: Ref): number {
    return decayedCounter(this.access(ref), this.#store);
  }

  /** Kind of key usage that the eviction policy uses and that snapshot files contain; undefined for other policies. */
  get usageKind(): 'idle' | 'frequency' | undefined {
    return USAGE_KINDS[this.#store.policy];
  }

  /** All bytes that the key costs, with its share of the indexes. */
  recordBytes(ref: Ref): number {
    return this.#records.bytesOf(ref) + this.#contents.indexShare(ref);
  }

  /** Visits about `count` records from a cursor; returns the next, 0 at the end. `visit` must not write. */
  scan(cursor: number, count: number, visit: (ref: Ref) => void): number {
    return this.#index.scan(cursor, count, visit);
  }

  /** Visits the keys with an expiry, like `scan`. */
  scanVolatile(cursor: number, count: number, visit: (ref: Ref) => void): number {
    return this.#volatile.scan(cursor, count, visit);
  }

  /** Creates an empty table with an unpredictable hash seed. */
  createTable(hasValues: boolean): PackedTable {
    return new PackedTable(this.#hasher, hasValues);
  }

  /** A record by chance, or 0: of all, or of those with an expiry. It may be an expired one. */
  randomRef(isVolatile = false): Ref {
    return (isVolatile ? this.#volatile : this.#index).random(this.#store.random);
  }

  /** Drops everything at once: nothing is walked, and the collector takes the memory later. */
  clear(): void {
    this.#contents.close();
    this.#adopt(new Contents(this.#hasher, this.#store));
  }

  /** Exchanges what two databases hold. */
  static exchange(source: Keyspace, target: Keyspace): void {
    const contents = source.#contents;
    source.#adopt(target.#contents);
    target.#adopt(contents);
  }

  /** For a freeze: the current database, which stays readable after a flush or swap. */
  standing(): Keyspace {
    return new Keyspace(this.#store, this.#hasher, this.#number, this.#contents);
  }

  /** Gives a record another cell of its class and frees the old one. */
  relocate(ref: Ref): void {
    this.#exchange(ref, this.#records.moveCell(ref, this.#records.heap.classAt(ref)));
  }

  /** Removes an expired record and notifies the store's listeners. */
  expire(ref: Ref, fate: number): void {
    const { bytes, at, length } = this.#records.viewKey(ref);
    this.removeRef(ref, fate);
    this.#store.stats.add('expired', 1);
    // The freed cell keeps the key's bytes until something is written.
    this.#store.events.expired(this.#number, bytes, at, length);
  }

  #adopt(contents: Contents): void {
    this.#contents = contents;
    this.#records = contents.records;
    this.#index = contents.index;
    this.#volatile = contents.volatile;
    this.#lastRef = 0;
  }

  /** Notes that a command has changed a key, for policies of the last change. */
  noteChange(key: Uint8Array, at: number, length: number): void {
    const ref = this.lookUp(key, length, at);
    if (ref !== 0) this.setAccess(ref, this.#store.clock & ACCESS_MASK);
  }

  #touch(ref: Ref): void {
    if (this.#store.keepsChanges) return;
    const before = this.access(ref);
    const access = accessAfterUse(before, this.#store);
    // Most reads fall into the second of the last one: the line need not become dirty.
    if (access !== before) this.setAccess(ref, access);
  }

  #unlessExpired(ref: Ref): Ref {
    if (this.#isLive(ref)) return ref;
    if (!this.#store.lazyExpireDisabled) this.expire(ref, KeyFate.expiredLazy);
    return 0;
  }

  /** The record that a write overwrites. An expired one is removed first, or taken as it is. */
  #findLive(hash: number, key: Uint8Array, at: number, length: number): Ref {
    const ref = this.#index.find(hash, key, at, length);
    if (ref === 0 || this.#records.head(ref) >= 0) return ref;
    if (this.#isLive(ref)) return ref;
    if (this.#store.lazyExpireDisabled) {
      this.#lastRef = 0;
      return this.setExpireAt(ref, -1);
    }
    this.#remember(hash, ref);
    this.expire(ref, KeyFate.expiredLazy);
    return 0;
  }

  /** True when a key with an expiry is visible to commands. */
  #isLive(ref: Ref): boolean {
    return this.#records.expiry(ref) >= this.#store.nowMs || this.#store.seesExpired;
  }

  #firstWord(old: Ref, type: number, encoding: number): number {
    const store = this.#store;
    const access = accessAfterUse(old === 0 ? -1 : this.access(old), store);
    return store.freezeBit | (type << TYPE_SHIFT) | (encoding << ENCODING_SHIFT) | access;
  }

  #remember(hash: number, ref: Ref): void {
    this.#lastRef = ref;
    this.#lastHash = hash;
  }

  /** Replaces a record by its rebuilt version, and returns that. */
  #exchange(ref: Ref, next: Ref): Ref {
    const hash = this.#hashOf(ref);
    this.#contents.exchange(hash, ref, next);
    this.#remember(hash, next);
    return next;
  }

  #hashOf(ref: Ref): number {
    return ref === this.#lastRef ? this.#lastHash : this.#records.hashOf(ref);
  }
}
