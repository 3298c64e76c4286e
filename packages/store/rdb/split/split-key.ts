/** Keys of a snapshot whose values are still as the file has them, and how they are stored. */
import type { KeyUse } from '../../records/access.ts';
import type { Keyspace } from '../../keyspace/keyspace.ts';
import type { ByteRange } from '../../values/shared-views.ts';
import { Span } from '../../values/span.ts';
import { demand } from '../format/malformed.ts';
import { RdbReader } from '../format/rdb-reader.ts';
import { readValue, storeFinished, type ValueLimits } from '../values/read-value.ts';

/** Value of an absent expiry, idle time or frequency. */
const UNKNOWN = -1;

/** A key with its value in the form of the file. */
export interface SplitKey extends KeyUse {
  readonly database: number;
  /** In Unix milliseconds; -1 when the key never expires. */
  readonly expireAt: number;
  /** The type of the value, as the file has it. */
  readonly type: number;
  readonly key: ByteRange;
  /** The bytes of the file after the type and the key. */
  readonly value: ByteRange;
}

/** A key that the next one overwrites. */
export class SplitKeyView implements SplitKey {
  database = 0;
  expireAt = UNKNOWN;
  idleSeconds = UNKNOWN;
  frequency = UNKNOWN;
  type = 0;
  readonly key = new Span();
  readonly value = new Span();

  /** Clears the properties of a single key. */
  clear(): void {
    this.expireAt = UNKNOWN;
    this.idleSeconds = UNKNOWN;
    this.frequency = UNKNOWN;
  }

  /** Points at no memory: what was pointed at last may be large. */
  letGo(): void {
    this.key.letGo();
    this.value.letGo();
  }
}

/** Settings for how keys are stored. */
interface SplitKeyLoaderOptions {
  readonly limits: ValueLimits;
  readonly nowMs: number;
  /** True where keys are stored whose time is over, as a replica does, which waits for its primary to remove them. */
  readonly keepsExpired?: boolean;
  /** Access bits for a key; undefined where they are those of a new one. */
  accessOf(use: KeyUse): number | undefined;
}

/** Stores keys, one after the other. It holds on to the memory of the last one: make one for each batch. */
export class SplitKeyLoader {
  readonly #options: SplitKeyLoaderOptions;
  #reader = new RdbReader(new Uint8Array(0), 0, 0);
  /** Memory of the reader. */
  #bytes: Uint8Array | undefined;

  constructor(options: SplitKeyLoaderOptions) {
    this.#options = options;
  }

  /**
   * Builds the value and stores it under its key; what was there goes. False when the time of the key is over and it was
   * not stored. Throws a MalformedValueError, and then nothing has changed.
   */
  load(keyspace: Keyspace, split: SplitKey): boolean {
    const { limits, nowMs, keepsExpired = false } = this.#options;
    const { expireAt } = split;
    const reader = this.#readerOf(split.value);
    const value = readValue(reader, keyspace, limits, split.type);
    demand(reader.position === split.value.at + split.value.length);
    if (expireAt >= 0 && expireAt <= nowMs && !keepsExpired) return false;
    let ref = storeFinished(keyspace, split.key, value);
    if (expireAt >= 0) ref = keyspace.setExpireAt(ref, expireAt);
    const access = this.#options.accessOf(split);
    if (access !== undefined) keyspace.setAccess(ref, access);
    return true;
  }

  /** Values that stand in the same memory have one reader. */
  #readerOf({ bytes, at, length }: ByteRange): RdbReader {
    if (bytes !== this.#bytes) {
      this.#reader = new RdbReader(bytes, 0, bytes.length);
      this.#bytes = bytes;
    }
    this.#reader.moveTo(at, at + length);
    return this.#reader;
  }
}
