/**
 * Brings what several commands will look up near the processor, before the first of them runs.
 *
 * A look-up waits for memory twice: for its slot of the index, and for the record; in a large hash, set or sorted set
 * three times more: for the bucket, and for one or two entries. Done one after the other these waits are most of a
 * short command's time; asked for together, the processor waits for many of them at once. (Valkey 8.0 does the same for
 * the commands of a client's pipeline: `prefetchCommands`.) JavaScript has no prefetch, so the words are read in loops
 * short enough that the processor works on many rounds at a time: hashes first, then slots, then records, and so on.
 */

import { halfSipHash } from '#base';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { KeyHasher } from '../records/key-hasher.ts';
import type { Ref } from '../memory/segment.ts';
import { isWarmHead } from '../records/record-head.ts';
import { RankedTable } from '../sorted-set/ranked-table.ts';
import { fieldHintScratch } from '../table/field-hint.ts';
import { PackedTable } from '../table/packed-table.ts';

/** Keys that are looked ahead for at once. */
export const LOOK_AHEAD_MAX = 32;

export class KeyPrefetch {
  readonly #hasher: KeyHasher;
  readonly #databases: readonly Keyspace[];
  readonly #keyspaces: Keyspace[] = [];
  readonly #ats = new Int32Array(LOOK_AHEAD_MAX);
  readonly #lengths = new Int32Array(LOOK_AHEAD_MAX);
  readonly #hashes = new Int32Array(LOOK_AHEAD_MAX);
  readonly #refs = new Int32Array(LOOK_AHEAD_MAX);
  /** 1 for keys whose value must be reported as in memory or not. */
  readonly #isReported = new Uint8Array(LOOK_AHEAD_MAX);
  /** 1 if the value was in memory and had to be reported. */
  readonly #inMemory = new Uint8Array(LOOK_AHEAD_MAX);
  // Of the field or member that the command looks up in the value; none at -1.
  readonly #fieldAts = new Int32Array(LOOK_AHEAD_MAX);
  readonly #fieldLengths = new Int32Array(LOOK_AHEAD_MAX);
  readonly #fieldHashes = new Int32Array(LOOK_AHEAD_MAX);
  readonly #tables: (PackedTable | undefined)[] = [];
  #fields = 0;
  #count = 0;
  #next = 0;
  /** Database of the current key if its value was in memory; otherwise undefined. */
  #found: Keyspace | undefined;
  /** Keys whose hash has none of these bits are sampled: each is looked up, and none is reported. */
  watchedMask = -1;
  /** Number of reported values that were in memory. */
  foundInMemory = 0;
  /** Sum of all words that were read: without a use they would not be read at all. */
  sum = 0;

  constructor(hasher: KeyHasher, databases: readonly Keyspace[]) {
    this.#hasher = hasher;
    this.#databases = databases;
  }

  /** True when callers need to know whether values are in memory. */
  get isAsked(): boolean {
    return this.watchedMask !== -1;
  }

  /** Number of prefetched commands that have not run. */
  get left(): number {
    return this.#count - this.#next;
  }

  begin(): void {
    this.#count = 0;
    this.#next = 0;
    this.#found = undefined;
    // Another key may stand in the place of the last one by now, and is about to be hashed.
    this.#hasher.hint.at = -1;
    if (this.#fields === 0) return;
    this.#fields = 0;
    this.#tables.fill(undefined);
  }

  /** Adds the key that the next command looks up first. A database that does not exist is reported by the look-up. */
  add(database: number, bytes: Uint8Array, at: number, length: number): void {
    const keyspace = this.#databases[database];
    if (keyspace === undefined) {
      this.skip();
      return;
    }
    const nth = this.#count;
    this.#count = nth + 1;
    this.#ats[nth] = at;
    this.#lengths[nth] = length;
    this.#hashes[nth] = this.#hasher.hash(bytes, at, length);
    this.#keyspaces[nth] = keyspace;
    this.#isReported[nth] = 0;
    this.#inMemory[nth] = 0;
    this.#fieldAts[nth] = -1;
  }

  /** Requests a report whether the value of the last key is in memory; its command must access no other value. */
  report(): void {
    const nth = this.#count - 1;
    if (this.#ats[nth]! < 0) return;
    this.#isReported[nth] = Number((this.#hashes[nth]! & this.watchedMask) !== 0);
  }

  /** Adds the field or member that the command of the last key looks up. */
  addField(at: number, length: number): void {
    const nth = this.#count - 1;
    if (this.#ats[nth]! < 0) return;
    this.#fieldAts[nth] = at;
    this.#fieldLengths[nth] = length;
    this.#fields += 1;
  }

  /** Adds a command that cannot be prefetched. */
  skip(): void {
    this.#ats[this.#count] = -1;
    this.#inMemory[this.#count] = 0;
    this.#fieldAts[this.#count] = -1;
    this.#count += 1;
  }

  /** Reads the memory of all added keys, whose bytes are in `bytes`. */
  read(bytes: Uint8Array): void {
    const count = this.#count;
    const refs = this.#refs;
    let sum = 0;
    let found = 0;
    for (let nth = 0; nth < count; nth += 1) {
      refs[nth] =
        this.#ats[nth]! < 0 ? 0 : this.#keyspaces[nth]!.contents.index.guess(this.#hashes[nth]!);
    }
    for (let nth = 0; nth < count; nth += 1) {
      const ref: Ref = refs[nth]!;
      if (ref === 0) continue;
      const { records } = this.#keyspaces[nth]!.contents;
      sum ^= records.word(ref);
      const isFound = isWarmHead(records.head(ref)) ? 0 : this.#isReported[nth]!;
      this.#inMemory[nth] = isFound;
      found += isFound;
    }
    this.foundInMemory += found;
    this.sum = sum;
    if (this.#fields > 0) this.#readFields(bytes);
  }

  /** The next command begins: its key need not be hashed again. */
  take(bytes: Uint8Array): void {
    const nth = this.#next;
    this.#next = nth + 1;
    const { hint } = this.#hasher;
    hint.bytes = bytes;
    hint.at = this.#ats[nth]!;
    hint.length = this.#lengths[nth]!;
    hint.hash = this.#hashes[nth]!;
    this.#found = this.#inMemory[nth] === 1 ? this.#keyspaces[nth] : undefined;
    fieldHintScratch.clear();
    const table = this.#tables[nth];
    if (table === undefined) return;
    const at = this.#fieldAts[nth]!;
    fieldHintScratch.set(
      table.secrets,
      bytes,
      at,
      this.#fieldLengths[nth]!,
      this.#fieldHashes[nth]!,
    );
  }

  /**
   * True when the value of the current key, which is all that its command looks at, was in memory as the command was
   * looked ahead for. It may have been spilled since, or be that of another key with the same hash: who believes it must
   * do well in those cases, too.
   */
  get isInMemory(): boolean {
    return this.#found !== undefined;
  }

  /** Returns whether the value was in memory, if this is the current key. */
  wasInMemory(keyspace: Keyspace, bytes: Uint8Array, at: number, length: number): boolean {
    return keyspace === this.#found && this.#hasher.isHinted(bytes, at, length);
  }

  /** Drops the hints of earlier keys, whose bytes may have been overwritten. */
  rest(): void {
    const { hint } = this.#hasher;
    hint.bytes = undefined;
    hint.at = -1;
    this.#found = undefined;
    fieldHintScratch.clear();
    // No table is kept for a key that may be removed.
    if (this.left === 0) this.begin();
  }

  /** Ends the prefetch: drops all remaining keys and their fields. */
  end(): void {
    this.begin();
    this.rest();
  }

  /** Prefetches the fields of large values. */
  #readFields(bytes: Uint8Array): void {
    const count = this.#count;
    const refs = this.#refs;
    const tables = this.#tables;
    let sum = 0;
    for (let nth = 0; nth < count; nth += 1) {
      const at = this.#fieldAts[nth]!;
      const table = at < 0 ? undefined : this.#tableOf(nth);
      tables[nth] = table;
      refs[nth] = 0;
      if (table === undefined) continue;
      const { secret0, secret1 } = table.secrets;
      const hash = halfSipHash(secret0, secret1, bytes, at, this.#fieldLengths[nth]!);
      this.#fieldHashes[nth] = hash;
      refs[nth] = table.leadOf(hash);
    }
    for (let nth = 0; nth < count; nth += 1) {
      if (refs[nth] !== 0) refs[nth] = tables[nth]!.behind(refs[nth]!);
    }
    for (let nth = 0; nth < count; nth += 1) {
      if (refs[nth] !== 0) sum ^= tables[nth]!.behind(refs[nth]!);
    }
    this.sum ^= sum;
  }

  /** The table that the value of a key is, where it is large enough to be one. */
  #tableOf(nth: number): PackedTable | undefined {
    const ref: Ref = this.#refs[nth]!;
    if (ref === 0) return undefined;
    const keyspace = this.#keyspaces[nth]!;
    // A guess is no reason to fetch a value.
    if (keyspace.isWarm(ref)) return undefined;
    const object = keyspace.object(ref);
    if (object instanceof PackedTable) return object;
    return object instanceof RankedTable ? object.table : undefined;
  }
}
