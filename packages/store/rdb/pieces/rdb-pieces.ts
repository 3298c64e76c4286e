/**
 * Keys in the form of Redis' snapshots, in pieces of which each can stand behind any other: a piece begins with the
 * database of its first key. Each value has the oldest form that there is for it, so that all can be read since 7.0 but for
 * hashes whose fields expire, which are new in 7.4, and streams with idempotent ids or released entries, new in 8.8.
 */
import type { Bytes, Steps } from '#base';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import type { Ref } from '../../memory/segment.ts';
import { RdbOp } from '../format/rdb-type.ts';
import { RdbWriter } from '../format/rdb-writer.ts';
import { ValueType } from '../../values/value-type.ts';
import {
  keySteps,
  versionFor,
  writeKey,
  writeStringKey,
  writeValue,
} from '../values/write-value.ts';

/** Memory of a value that is kept for the next. */
const VALUE_BYTES_KEPT = 64 * 1024;

export class RdbPieceWriter {
  readonly #writer: RdbWriter;
  #value = new RdbWriter();
  #database = -1;
  count = 0;

  constructor(byteCount = 0) {
    this.#writer = new RdbWriter(byteCount);
  }

  get length(): number {
    return this.#writer.writtenBytes;
  }

  /** Bytes written, good until more are. */
  get written(): Bytes {
    return this.#writer.written;
  }

  /** Begins the next piece. */
  clear(): void {
    this.#writer.clear();
    this.#database = -1;
    this.count = 0;
  }

  /** The code of a library of functions. */
  library(code: Bytes): void {
    this.#writer.byte(RdbOp.function2);
    this.#writer.string(code);
    this.count += 1;
  }

  /** A key with its value, under a database. */
  write(keyspace: Keyspace, ref: Ref, database: number): void {
    if (keyspace.type(ref) === ValueType.string) {
      this.#select(database);
      writeStringKey(this.#writer, keyspace, ref);
    } else {
      this.#writeWithValue(keyspace, ref, database);
    }
    this.count += 1;
  }

  /** Before its key the value has to be known, of which the type depends. */
  #writeWithValue(keyspace: Keyspace, ref: Ref, database: number): void {
    const value = this.#value;
    value.clear();
    writeValue(value, keyspace, ref, versionFor(keyspace, ref));
    this.#select(database);
    writeKey(this.#writer, keyspace, ref, value);
    if (value.writtenBytes > VALUE_BYTES_KEPT) this.#value = new RdbWriter();
  }

  #select(database: number): void {
    if (database === this.#database) return;
    this.#writer.byte(RdbOp.selectDb);
    this.#writer.length(database);
    this.#database = database;
  }

  /** Writes a key with a long value in steps, in pieces of its own that `give` takes. */
  inSteps(
    keyspace: Keyspace,
    ref: Ref,
    database: number,
    give: (piece: Bytes) => void,
  ): Steps<void> {
    const head = new RdbWriter();
    head.byte(RdbOp.selectDb);
    head.length(database);
    return keySteps(head, keyspace, ref, give);
  }
}
