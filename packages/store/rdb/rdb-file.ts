/**
 * Redis' snapshot files, read from a disk and written. What is written has version 10, which Redis 7.0 reads too, but
 * where a hash has fields that end: only version 12 has those.
 */
import { type Bytes, crc64 } from '#base';
import type { KeyUse } from '../records/access.ts';
import { missingDatabase } from '../keyspace/databases.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import type { ByteRange } from '../values/shared-views.ts';
import {
  EmptyValueError,
  MalformedValueError,
  RdbFileError,
  shownKey,
} from './format/malformed.ts';
import { RdbSplitter } from './split/rdb-splitter.ts';
import { RDB_VERSION, RdbOp } from './format/rdb-type.ts';
import { RdbWriter } from './format/rdb-writer.ts';
import type { ValueLimits } from './values/read-value.ts';
import { SplitKeyLoader, type SplitKey } from './split/split-key.ts';
import { VERSION_OF_7_0, writeKey, writeValue } from './values/write-value.ts';

const MAGIC = 'REDIS';
const CRC_BYTES = 8;

/** Target for the keys of a file. */
interface RdbTarget {
  readonly limits: ValueLimits;
  readonly nowMs: number;
  /** True where what can be read of a damaged file is wanted. */
  readonly skipsDamaged?: boolean;
  /** Access bits for a key; undefined where they are those of a new one. */
  accessOf(use: KeyUse): number | undefined;
  /** Takes the code of a library of functions. */
  library(code: Bytes): void;
  /** The keyspace of a key; undefined where there is no such database. */
  keyspaceOf(database: number, key: ByteRange): Keyspace | undefined;
  /** More keys are in the target, none of which is being read. */
  passed?(): void;
}

/** Contents of a file. */
interface RdbContents {
  readonly version: number;
  readonly keys: number;
  /** Number of keys that had expired. */
  readonly expired: number;
  /** Keys without elements, which are skipped as Redis does. */
  readonly empty: readonly string[];
  /** Keys and other parts that were skipped as they could not be read. */
  readonly damaged: readonly string[];
  /** Libraries of functions. */
  readonly functions: number;
}

/** A file that can be read at any place. */
export interface RdbSource {
  readonly bytes: number;
  /** Fills `into` with the bytes at `at`. */
  read(into: Bytes, at: number): void;
}

/** Keys between two calls of `passed`. */
const PASSED_EVERY = 256;

/** So much of a file is read at once. */
const WINDOW_BYTES = 1024 * 1024;

/**
 * Reads a file into the target, piece by piece; throws an RdbFileError. Its checksum is at its end: until this
 * has returned, what is in the target is not to be believed.
 */
export function readRdbFile(
  source: RdbSource,
  target: RdbTarget,
  windowBytes = WINDOW_BYTES,
): RdbContents {
  return new RdbFileLoader(target).read(source, windowBytes);
}

class RdbFileLoader {
  readonly #target: RdbTarget;
  readonly #loader: SplitKeyLoader;
  readonly #splitter: RdbSplitter;
  readonly #empty: string[] = [];
  readonly #damaged: string[] = [];
  #keys = 0;
  #expired = 0;
  #functions = 0;

  constructor(target: RdbTarget) {
    this.#target = target;
    this.#loader = new SplitKeyLoader(target);
    this.#splitter = new RdbSplitter({
      key: (split) => {
        this.#load(split);
        if (this.#splitter.keys % PASSED_EVERY === 0) target.passed?.();
      },
      library: (code) => {
        target.library(code);
        this.#functions += 1;
      },
      field: () => undefined,
      ...(target.skipsDamaged && {
        skipped: (what: string, key?: Bytes) => {
          this.#damaged.push(key === undefined ? what : `key ${shownKey(key)}: ${what}`);
        },
      }),
    });
  }

  read(source: RdbSource, windowBytes: number): RdbContents {
    try {
      split(source, this.#splitter, windowBytes);
    } catch (error) {
      const isKept = error instanceof RdbFileError && this.#splitter.version > 0;
      if (!isKept || !this.#target.skipsDamaged) throw error;
      this.#damaged.push(`the rest: ${error.message}`);
    }
    return {
      version: this.#splitter.version,
      keys: this.#keys,
      expired: this.#expired,
      empty: this.#empty,
      damaged: this.#damaged,
      functions: this.#functions,
    };
  }

  #load(key: SplitKey): void {
    try {
      const keyspace = this.#keyspaceOf(key);
      if (this.#loader.load(keyspace, key)) this.#keys += 1;
      else this.#expired += 1;
    } catch (error) {
      if (error instanceof EmptyValueError) this.#empty.push(nameOf(key));
      else if (!this.#target.skipsDamaged) throw named(error, key);
      else if (error instanceof RdbFileError) this.#damaged.push(error.message);
      else this.#damaged.push(named(error, key).message);
    }
  }

  #keyspaceOf({ database, key }: SplitKey): Keyspace {
    const keyspace = this.#target.keyspaceOf(database, key);
    if (keyspace !== undefined) return keyspace;
    throw new RdbFileError(`it has ${missingDatabase(database)}`);
  }
}

function nameOf({ key: { bytes, at, length } }: SplitKey): string {
  return shownKey(bytes.subarray(at, at + length));
}

/** Makes an error of the file of one that a value has; throws one that no value has. */
function named(error: unknown, key: SplitKey): RdbFileError {
  if (error instanceof RdbFileError) return error;
  if (!(error instanceof MalformedValueError)) throw error;
  return new RdbFileError(`the value of key ${nameOf(key)} in database ${key.database} is damaged`);
}

function split(source: RdbSource, splitter: RdbSplitter, windowBytes: number): void {
  const window = new Uint8Array(Math.min(windowBytes, source.bytes));
  let at = 0;
  while (at < source.bytes && !splitter.isEnded) {
    const piece = window.subarray(0, Math.min(window.length, source.bytes - at));
    source.read(piece, at);
    at += splitter.take(piece);
  }
  if (!splitter.isEnded) throw splitter.cutOff();
  if (at < source.bytes) throw new RdbFileError(`${source.bytes - at} bytes follow its end`);
}

/** Makes a file that any Redis since 7.0 reads, or since 7.4 where hashes have fields that end. */
export class RdbFileWriter {
  #writer = new RdbWriter();
  #database = -1;
  #crc = { high: 0, low: 0 };
  readonly #put: (bytes: Bytes) => void;
  readonly #version: number;

  /** `put` takes the bytes of the file in order; they are its own. */
  constructor(
    put: (bytes: Bytes) => void,
    hasFieldExpiry: boolean,
    fields: readonly (readonly [string, string])[],
  ) {
    this.#put = put;
    this.#version = hasFieldExpiry ? RDB_VERSION : VERSION_OF_7_0;
    for (const character of Buffer.from(`${MAGIC}00${this.#version}`)) this.#writer.byte(character);
    for (const [name, value] of fields) {
      this.#writer.byte(RdbOp.aux);
      this.#writer.string(Buffer.from(name));
      this.#writer.string(Buffer.from(value));
    }
    this.#flush();
  }

  /** A library of functions, by its code; before all keys. */
  library(code: Bytes): void {
    this.#writer.byte(RdbOp.function2);
    this.#writer.string(code);
    this.#flush();
  }

  key(database: number, keyspace: Keyspace, ref: Ref): void {
    const writer = this.#writer;
    if (database !== this.#database) {
      writer.byte(RdbOp.selectDb);
      writer.length(database);
      this.#database = database;
    }
    const value = new RdbWriter();
    writeValue(value, keyspace, ref, this.#version);
    writeKey(writer, keyspace, ref, value);
    this.#flush();
  }

  end(): void {
    this.#writer.byte(RdbOp.end);
    this.#flush();
    const footer = Buffer.alloc(CRC_BYTES);
    footer.writeUInt32LE(this.#crc.low, 0);
    footer.writeUInt32LE(this.#crc.high, 4);
    this.#put(footer);
  }

  #flush(): void {
    const bytes = this.#writer.written.slice();
    this.#crc = crc64(bytes, 0, bytes.length, this.#crc);
    this.#writer = new RdbWriter();
    this.#put(bytes);
  }
}
