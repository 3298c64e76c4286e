/**
 * Redis' snapshot files: "REDIS", four digits of a version, then one operation after the other, each with a
 * first byte that is an operation code or the type of a key's value; at the end a CRC-64 of all before it.
 *
 * Versions 5 to 12 are read, that is what Redis 3 to 7.4 write. What is written has version 10, which Redis 7.0
 * reads too, but where a hash has fields that end: only version 12 has those.
 */
import { crc64, type Bytes } from '#base';
import type { KeyUse } from '../records/access.ts';
import type { Keyspace } from '../keyspace/keyspace.ts';
import type { Ref } from '../memory/segment.ts';
import { MalformedValueError } from './malformed.ts';
import { RdbReader } from './rdb-reader.ts';
import { RDB_VERSION, RdbOp } from './rdb-type.ts';
import { RdbWriter } from './rdb-writer.ts';
import { readValue, storeFinished, type ValueLimits } from './read-value.ts';
import { writeValue } from './write-value.ts';

const MAGIC = 'REDIS';
const HEAD_BYTES = 9;
const CRC_BYTES = 8;
/** The first version with a checksum. */
const VERSION_LEAST = 5;

/** The file is none that can be read; the message says why and where. */
export class RdbFileError extends Error {
  override readonly name = 'RdbFileError';
}

/** Target for the keys of a file. */
interface RdbTarget {
  readonly limits: ValueLimits;
  readonly nowMs: number;
  /** Access bits for a key; undefined where they are those of a new one. */
  accessOf(use: KeyUse): number | undefined;
  /** Takes the code of a library of functions. */
  library(code: Bytes): void;
  /** The keyspace of a key; undefined where there is no such database. */
  keyspaceOf(database: number, key: Bytes): Keyspace | undefined;
}

/** Contents of a file. */
interface RdbContents {
  readonly version: number;
  readonly keys: number;
  /** Keys whose time was over. */
  readonly expired: number;
  /** Libraries of functions. */
  readonly functions: number;
}

/** A file that can be read at any place. */
export interface RdbSource {
  readonly bytes: number;
  /** Fills `into` with what stands at `at`. */
  read(into: Bytes, at: number): void;
}

/** So much of a file is in memory at once, or as much as its largest value needs. */
const WINDOW_BYTES = 4 * 1024 * 1024;
/** No array is longer. */
const WINDOW_BYTES_MAX = 2 ** 32 - 1;

/**
 * Reads a file into the target, piece by piece; throws an RdbFileError. Its checksum is at its end: until this
 * has returned, what is in the target is not to be believed.
 */
export function readRdbFile(
  source: RdbSource,
  target: RdbTarget,
  windowBytes = WINDOW_BYTES,
): RdbContents {
  const head = new Uint8Array(Math.min(HEAD_BYTES, source.bytes));
  source.read(head, 0);
  const version = versionOf(head);
  const window = new FileWindow(source, windowBytes);
  const found = new FileReader(window, target).read();
  demandEnd(source, window);
  return { version, ...found };
}

function versionOf(bytes: Bytes): number {
  const head = Buffer.from(bytes).toString('latin1');
  if (!/^REDIS\d{4}$/.test(head)) throw new RdbFileError('it is no snapshot of Redis');
  const version = Number(head.slice(MAGIC.length));
  if (version < VERSION_LEAST || version > RDB_VERSION) {
    const range = `${VERSION_LEAST} to ${RDB_VERSION}`;
    throw new RdbFileError(`it has version ${version}; versions ${range} can be read`);
  }
  return version;
}

/** Behind all operations only the checksum stands. Every version that is read has one. */
function demandEnd(source: RdbSource, { position, crc }: FileWindow): void {
  const rest = source.bytes - position;
  if (rest < CRC_BYTES)
    throw new RdbFileError(`it ends at offset ${source.bytes}, in its checksum`);
  if (rest > CRC_BYTES) {
    throw new RdbFileError(`${rest - CRC_BYTES} bytes stand behind its end`);
  }
  const stored = Buffer.alloc(CRC_BYTES);
  source.read(stored, position);
  const low = stored.readUInt32LE(0);
  const high = stored.readUInt32LE(4);
  // Zero: its writer was told to count none.
  if (low === 0 && high === 0) return;
  if (crc.low !== low || crc.high !== high) {
    throw new RdbFileError('its checksum is not that of its bytes: it is damaged');
  }
}

/** The stretch of a file that is in memory. It begins with what is read next, and moves on. */
class FileWindow {
  readonly #source: RdbSource;
  #bytes: Bytes;
  /** Number of bytes in the array that are of the file, and the position in the file at which they begin. */
  #length = 0;
  #begin = 0;
  #crc = { high: 0, low: 0 };
  reader: RdbReader;

  constructor(source: RdbSource, bytes: number) {
    this.#source = source;
    this.#bytes = new Uint8Array(Math.max(bytes, HEAD_BYTES));
    this.reader = new RdbReader(this.#bytes, 0, 0);
    this.#fill();
    this.reader.skip(HEAD_BYTES);
  }

  /** Position of the reader in the file. */
  get position(): number {
    return this.#begin + this.reader.position;
  }

  /** The checksum of all up to there. */
  get crc(): { readonly high: number; readonly low: number } {
    return crc64(this.#bytes, 0, this.reader.position, this.#crc);
  }

  /**
   * Goes back to `mark`, a place in the window, and makes the window begin there and reach as far as the reader has
   * asked for. False where the file ends before that.
   */
  extend(mark: number): boolean {
    const needed = this.reader.wanted - mark;
    if (this.#begin + mark + needed > this.#source.bytes) return false;
    this.#crc = crc64(this.#bytes, 0, mark, this.#crc);
    const rest = this.#bytes.subarray(mark, this.#length);
    if (needed > this.#bytes.length) {
      // What is asked for is seldom the last of a value that does not fit.
      const bytes = Math.min(Math.max(needed, 2 * this.#bytes.length), WINDOW_BYTES_MAX);
      if (needed > bytes) throw new RdbFileError('it has a value of more than 4 GiB');
      this.#bytes = new Uint8Array(bytes);
    }
    this.#bytes.set(rest);
    this.#begin += mark;
    this.#length = rest.length;
    this.#fill();
    return true;
  }

  #fill(): void {
    const at = this.#begin + this.#length;
    const count = Math.min(this.#bytes.length - this.#length, this.#source.bytes - at);
    this.#source.read(this.#bytes.subarray(this.#length, this.#length + count), at);
    this.#length += count;
    this.reader = new RdbReader(this.#bytes, 0, this.#length);
  }
}

class FileReader {
  readonly #window: FileWindow;
  readonly #target: RdbTarget;
  #database = 0;
  #expireAt = -1;
  #idleSeconds = -1;
  #frequency = -1;
  #keys = 0;
  #expired = 0;
  #functions = 0;

  constructor(window: FileWindow, target: RdbTarget) {
    this.#window = window;
    this.#target = target;
  }

  read(): Omit<RdbContents, 'version'> {
    while (this.#next());
    return { keys: this.#keys, expired: this.#expired, functions: this.#functions };
  }

  /** An operation does all or nothing: one that has met the end of the window is tried again in a longer one. */
  #next(): boolean {
    for (;;) {
      const mark = this.#window.reader.position;
      try {
        return this.#operation();
      } catch (error) {
        if (!(error instanceof MalformedValueError)) throw error;
        const { position, reader } = this.#window;
        if (reader.wanted === 0) {
          throw new RdbFileError(`what stands before offset ${position} is no value`);
        }
        if (!this.#window.extend(mark)) {
          throw new RdbFileError(`what stands before offset ${position} is longer than the file`);
        }
      }
    }
  }

  /** False at the end. */
  #operation(): boolean {
    const { reader } = this.#window;
    const code = reader.byte();
    if (code < RdbOp.slotInfo) {
      this.#key(reader, code);
      return true;
    }
    switch (code) {
      case RdbOp.end:
        return false;
      case RdbOp.selectDb:
        this.#database = reader.length();
        break;
      case RdbOp.resizeDb:
        reader.length();
        reader.length();
        break;
      case RdbOp.slotInfo:
        for (let nth = 0; nth < 3; nth += 1) reader.length();
        break;
      case RdbOp.aux:
        reader.string();
        reader.string();
        break;
      case RdbOp.expireMs:
        this.#expireAt = reader.milliseconds();
        break;
      case RdbOp.expireSeconds:
        this.#expireAt = Buffer.from(reader.raw(4)).readUInt32LE() * 1_000;
        break;
      case RdbOp.idle:
        this.#idleSeconds = reader.length();
        break;
      case RdbOp.frequency:
        this.#frequency = reader.byte();
        break;
      case RdbOp.function2:
        this.#target.library(reader.string());
        this.#functions += 1;
        break;
      default: {
        const what = code === RdbOp.moduleAux ? 'data of a module' : `the operation ${code}`;
        throw new RdbFileError(`it holds ${what}, which this server does not have`);
      }
    }
    return true;
  }

  #key(reader: RdbReader, type: number): void {
    const { limits, nowMs } = this.#target;
    const key = Uint8Array.from(reader.string());
    const keyspace = this.#target.keyspaceOf(this.#database, key);
    if (keyspace === undefined) {
      throw new RdbFileError(
        `it has keys in database ${this.#database}: set server.databases to ${this.#database + 1} or more`,
      );
    }
    const value = readValue(reader, keyspace, limits, type);
    const expireAt = this.#expireAt;
    this.#expireAt = -1;
    if (expireAt >= 0 && expireAt <= nowMs) {
      this.#expired += 1;
    } else {
      const ref = storeFinished(keyspace, { bytes: key, at: 0, length: key.length }, value);
      this.#use(keyspace, expireAt < 0 ? ref : keyspace.setExpireAt(ref, expireAt));
      this.#keys += 1;
    }
    this.#idleSeconds = -1;
    this.#frequency = -1;
  }

  #use(keyspace: Keyspace, ref: Ref): void {
    const use = { idleSeconds: this.#idleSeconds, frequency: this.#frequency };
    const access = this.#target.accessOf(use);
    if (access !== undefined) keyspace.setAccess(ref, access);
  }
}

/** The version that Redis 7.0 reads. */
const VERSION_OF_7_0 = 10;

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
    const expireAt = keyspace.expireAt(ref);
    if (expireAt >= 0) {
      writer.byte(RdbOp.expireMs);
      writer.milliseconds(expireAt);
    }
    const value = new RdbWriter();
    writeValue(value, keyspace, ref, this.#version);
    const { written } = value;
    writer.byte(written[0]!);
    const { bytes, at, length } = keyspace.key(ref);
    writer.string(bytes, at, length);
    for (let nth = 1; nth < written.length; nth += 1) writer.byte(written[nth]!);
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
