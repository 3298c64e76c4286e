/**
 * Redis' snapshot files: "REDIS", four digits of a version, then one operation after the other, each with a
 * first byte that is an operation code or the type of a key's value; at the end a CRC-64 of all before it.
 *
 * Versions 5 to 12 are read, that is what Redis 3 to 7.4 write. What is written has version 10, which Redis 7.0
 * reads too, but where a hash has fields that end: only version 12 has those.
 */
import { crc64, type Bytes } from '#base';
import type { Keyspace } from '../keyspace.ts';
import type { Ref } from '../segment.ts';
import { demand, MalformedValueError } from './malformed.ts';
import { RdbReader } from './rdb-reader.ts';
import { RDB_VERSION } from './rdb-type.ts';
import { RdbWriter } from './rdb-writer.ts';
import { readValue, storeFinished, type ValueLimits } from './read-value.ts';
import { writeValue } from './write-value.ts';

/** First bytes that are not the type of a value, in Redis' numbers. */
const Op = {
  slotInfo: 244,
  function2: 245,
  functionEarly: 246,
  moduleAux: 247,
  idle: 248,
  frequency: 249,
  aux: 250,
  resizeDb: 251,
  expireMs: 252,
  expireSeconds: 253,
  selectDb: 254,
  end: 255,
} as const;

const MAGIC = 'REDIS';
const HEAD_BYTES = 9;
const CRC_BYTES = 8;
const VERSION_LEAST = 5;
/** The first version with a checksum. */
const VERSION_WITH_CRC = 5;

/** The file is none that can be read; the message says why and where. */
export class RdbFileError extends Error {
  override readonly name = 'RdbFileError';
}

/** Where the keys of a file go. */
export interface RdbTarget {
  readonly limits: ValueLimits;
  readonly nowMs: number;
  /** Access bits for a key, from seconds of idleness and a frequency, -1 where the file has none. */
  accessOf(idleSeconds: number, frequency: number): number | undefined;
  /** The keyspace of a key; undefined where there is no such database. */
  keyspaceOf(database: number, key: Bytes): Keyspace | undefined;
}

/** What a file held. */
export interface RdbContents {
  readonly version: number;
  readonly keys: number;
  /** Keys whose time was over. */
  readonly expired: number;
  /** Libraries of functions, which are left out. */
  readonly functions: number;
}

/** Reads a whole file into the target; throws an RdbFileError. */
export function readRdbFile(file: Bytes, target: RdbTarget): RdbContents {
  const version = versionOf(file);
  const isChecked = version >= VERSION_WITH_CRC;
  const end = file.length - (isChecked ? CRC_BYTES : 0);
  if (isChecked) demandCrc(file, end);
  const reader = new RdbReader(file, HEAD_BYTES, Math.max(0, end - HEAD_BYTES));
  try {
    return { version, ...new FileReader(file, reader, target).read() };
  } catch (error) {
    if (!(error instanceof MalformedValueError)) throw error;
    throw new RdbFileError(`what stands before offset ${HEAD_BYTES + reader.position} is no value`);
  }
}

function versionOf(file: Bytes): number {
  const head = Buffer.from(file.subarray(0, HEAD_BYTES)).toString('latin1');
  if (!/^REDIS\d{4}$/.test(head)) throw new RdbFileError('it is no snapshot of Redis');
  const version = Number(head.slice(MAGIC.length));
  if (version < VERSION_LEAST || version > RDB_VERSION) {
    const range = `${VERSION_LEAST} to ${RDB_VERSION}`;
    throw new RdbFileError(`it has version ${version}; versions ${range} can be read`);
  }
  return version;
}

function demandCrc(file: Bytes, end: number): void {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (end < HEAD_BYTES) throw new RdbFileError('it ends within its head');
  const low = view.getUint32(end, true);
  const high = view.getUint32(end + 4, true);
  // Zero: its writer was told to count none.
  if (low === 0 && high === 0) return;
  const found = crc64(file, 0, end);
  if (found.low !== low || found.high !== high) {
    throw new RdbFileError('its checksum is not that of its bytes: it is damaged or cut off');
  }
}

class FileReader {
  readonly #file: Bytes;
  readonly #reader: RdbReader;
  readonly #target: RdbTarget;
  #database = 0;
  #expireAt = -1;
  #idle = -1;
  #frequency = -1;
  #keys = 0;
  #expired = 0;
  #functions = 0;

  constructor(file: Bytes, reader: RdbReader, target: RdbTarget) {
    this.#file = file;
    this.#reader = reader;
    this.#target = target;
  }

  read(): Omit<RdbContents, 'version'> {
    while (this.#operation());
    return { keys: this.#keys, expired: this.#expired, functions: this.#functions };
  }

  /** False at the end. */
  #operation(): boolean {
    const reader = this.#reader;
    const code = this.#file[HEAD_BYTES + reader.position];
    demand(code !== undefined);
    if (code < Op.slotInfo) {
      this.#key();
      return true;
    }
    reader.byte();
    switch (code) {
      case Op.end:
        return false;
      case Op.selectDb:
        this.#database = reader.length();
        break;
      case Op.resizeDb:
        reader.length();
        reader.length();
        break;
      case Op.slotInfo:
        for (let nth = 0; nth < 3; nth += 1) reader.length();
        break;
      case Op.aux:
        reader.string();
        reader.string();
        break;
      case Op.expireMs:
        this.#expireAt = reader.milliseconds();
        break;
      case Op.expireSeconds:
        this.#expireAt = Buffer.from(reader.raw(4)).readUInt32LE() * 1_000;
        break;
      case Op.idle:
        this.#idle = reader.length();
        break;
      case Op.frequency:
        this.#frequency = reader.byte();
        break;
      case Op.function2:
        reader.string();
        this.#functions += 1;
        break;
      default: {
        const what = code === Op.moduleAux ? 'data of a module' : `the operation ${code}`;
        throw new RdbFileError(`it holds ${what}, which this server does not have`);
      }
    }
    return true;
  }

  #key(): void {
    const reader = this.#reader;
    const { limits, nowMs } = this.#target;
    const type = reader.byte();
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
    this.#idle = -1;
    this.#frequency = -1;
  }

  #use(keyspace: Keyspace, ref: Ref): void {
    const access = this.#target.accessOf(this.#idle, this.#frequency);
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
      this.#writer.byte(Op.aux);
      this.#writer.string(Buffer.from(name));
      this.#writer.string(Buffer.from(value));
    }
    this.#flush();
  }

  key(database: number, keyspace: Keyspace, ref: Ref): void {
    const writer = this.#writer;
    if (database !== this.#database) {
      writer.byte(Op.selectDb);
      writer.length(database);
      this.#database = database;
    }
    const expireAt = keyspace.expireAt(ref);
    if (expireAt >= 0) {
      writer.byte(Op.expireMs);
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
    this.#writer.byte(Op.end);
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
