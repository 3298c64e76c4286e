/**
 * Splits Redis' snapshot files into keys as their bytes come, without building values.
 *
 * A file is "REDIS", four digits of a version, then one operation after the other, each with a first byte that is an
 * operation code or the type of a key's value; at the end, since version 5, a CRC-64 of all before it. Versions 1 to 12
 * are read, that is what any Redis up to 7.4 writes.
 *
 * Only the current operation is in memory, and no part of it is read twice, however small the pieces are: a value
 * continues where its bytes ended, and other operations wait until the bytes that they need are there.
 */
import { type Bytes, crc64, latin1 } from '#base';
import { demand, MalformedValueError, RdbFileError } from '../format/malformed.ts';
import { RdbReader } from '../format/rdb-reader.ts';
import { RDB_VERSION, RdbOp } from '../format/rdb-type.ts';
import {
  layoutOf,
  MODULE_LAYOUT,
  MODULE_TYPE,
  skipModuleValue,
  ValueSkipper,
} from './skip-value.ts';
import { SplitKeyView, type SplitKey } from './split-key.ts';

const MAGIC = 'REDIS';
const HEAD_BYTES = 9;
const CRC_BYTES = 8;
/** The first version with a checksum. */
const SUMMED_VERSION = 5;

/** Bytes that are taken in before operations are looked for: they stay in the processor's cache meanwhile. */
const SLICE_BYTES = 64 * 1024;
/** Memory for operations as long as none is longer. */
const BUFFER_BYTES = 4 * SLICE_BYTES;
/** Larger memory is given back when it is not needed any more. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;
/** No array is longer. */
const BUFFER_BYTES_MAX = 2 ** 32 - 1;

/** The highest number of a database that anything here has room for. */
const DATABASE_MAX = 2 ** 32 - 1;

/** Types of values of modules, in Redis' numbers; only the newer one says how long it is. */
const MODULE_TYPES = [6, MODULE_TYPE];

/** Target for what a file holds, in its order. What it throws ends the splitting. */
export interface RdbSplitTarget {
  /** Takes a key, which the next one overwrites. */
  key(key: SplitKey): void;
  /** Takes the code of a library of functions. */
  library(code: Bytes): void;
  /** Receives an auxiliary field of the file, such as `redis-ver`, `used-mem`, `repl-id` and `repl-stream-db`. */
  field(name: string, value: string): void;
  /** Takes how many keys of a database follow, and how many of them expire; files need not say it. */
  sizes?(database: number, keys: number, expires: number): void;
  /**
   * Takes the name of a key whose value is a module's, and notes what else cannot be had. Without it, and where no end of
   * something can be found, the splitting ends.
   */
  readonly skipped?: (what: string, key?: Bytes) => void;
}

/** Takes the bytes of a file in pieces that are cut anywhere. After an error it takes no more. */
export class RdbSplitter {
  readonly #target: RdbSplitTarget;
  readonly #key = new SplitKeyView();
  readonly #skipper = new ValueSkipper();
  #stage: 'head' | 'operations' | 'checksum' | 'ended' = 'head';
  #buffer = new Uint8Array(BUFFER_BYTES);
  /** Stretch of the buffer that holds bytes. It begins with the current operation, whose offset in the file is the third. */
  #begin = 0;
  #end = 0;
  #offset = 0;
  /** Bytes that must be there before the current operation is looked at again. */
  #wanted = HEAD_BYTES;
  /** Position of the reader at which the current operation begins. */
  #mark = 0;
  /** From the beginning of the operation: its value, 0 as long as that is not reached, and what was stepped over. */
  #valueBegin = 0;
  #skipped = 0;
  #crc = { high: 0, low: 0 };
  #version = 0;
  #keys = 0;

  constructor(target: RdbSplitTarget) {
    this.#target = target;
  }

  /** True when the whole file has come and its checksum is right. */
  get isEnded(): boolean {
    return this.#stage === 'ended';
  }

  /** The version of the file's format; 0 until its head has come. */
  get version(): number {
    return this.#version;
  }

  /** Number of keys so far. */
  get keys(): number {
    return this.#keys;
  }

  /** Number of bytes of the file so far. */
  get bytes(): number {
    return this.#offset + (this.isEnded ? 0 : this.#buffered);
  }

  /** Bytes of memory for the current operation. */
  get bufferBytes(): number {
    return this.#buffer.length;
  }

  /** Number of steps over parts of values so far, which is in proportion to the file. */
  get steps(): number {
    return this.#skipper.steps;
  }

  /**
   * Takes a piece; returns how many of its bytes belong to the file: fewer than it has when the file ends within. Throws an
   * RdbFileError, or what the target throws.
   */
  take(piece: Bytes): number {
    let taken = 0;
    while (taken < piece.length && !this.isEnded) {
      const slice = piece.subarray(taken, taken + SLICE_BYTES);
      this.#append(slice);
      taken += slice.length;
      this.#goOn(slice.length);
    }
    return this.isEnded ? taken - this.#giveBack() : taken;
  }

  /** Returns the error for the missing part if no more bytes come. */
  cutOff(): RdbFileError {
    if (this.#stage === 'head') return new RdbFileError('it is no snapshot of Redis');
    if (this.#stage === 'checksum') {
      return new RdbFileError(`it ends at offset ${this.bytes}, in its checksum`);
    }
    return new RdbFileError(
      `it ends at offset ${this.bytes}; the entry at offset ${this.#offset} is longer than the file`,
    );
  }

  get #buffered(): number {
    return this.#end - this.#begin;
  }

  /** Lets the memory go; returns how many of the bytes in it are not of the file. */
  #giveBack(): number {
    const behind = this.#buffered;
    this.#buffer = new Uint8Array(0);
    this.#key.letGo();
    this.#begin = 0;
    this.#end = 0;
    return behind;
  }

  #append(slice: Bytes): void {
    const needed = this.#buffered + slice.length;
    const isTooLarge = this.#buffer.length > KEPT_BYTES_MAX && 2 * needed <= BUFFER_BYTES;
    if (isTooLarge || this.#end + slice.length > this.#buffer.length) this.#makeRoom(needed);
    this.#buffer.set(slice, this.#end);
    this.#end += slice.length;
  }

  /** Moves the current operation to the front: of memory twice as long where it would fill half of it. */
  #makeRoom(needed: number): void {
    if (needed > BUFFER_BYTES_MAX) throw this.#tooLong();
    const rest = this.#buffered;
    const length = Math.min(Math.max(2 * needed, BUFFER_BYTES), BUFFER_BYTES_MAX);
    if (length > this.#buffer.length || this.#buffer.length > KEPT_BYTES_MAX) {
      const buffer = new Uint8Array(length);
      buffer.set(this.#buffer.subarray(this.#begin, this.#end));
      this.#buffer = buffer;
      this.#key.letGo();
    } else {
      this.#buffer.copyWithin(0, this.#begin, this.#end);
    }
    this.#begin = 0;
    this.#end = rest;
  }

  /** Continues reading after `fresh` new bytes, each of which is added to the checksum once. */
  #goOn(fresh: number): void {
    const from = this.#end - fresh;
    const isSummed = this.#stage !== 'checksum';
    if (this.#stage === 'head') this.#readHead();
    if (this.#stage === 'operations' && this.#buffered >= this.#wanted) this.#readOperations();
    if (isSummed) {
      const end = this.#stage === 'checksum' ? this.#begin : this.#end;
      this.#crc = crc64(this.#buffer, from, end - from, this.#crc);
    }
    if (this.#stage === 'checksum' && this.#buffered >= CRC_BYTES) this.#readChecksum();
  }

  #readHead(): void {
    if (this.#buffered < HEAD_BYTES) return;
    this.#version = versionOf(this.#buffer.subarray(0, HEAD_BYTES), this.#target.skipped);
    this.#stage = 'operations';
    this.#wanted = 1;
    this.#moveOn(HEAD_BYTES);
  }

  #readChecksum(): void {
    const stored = Buffer.from(this.#buffer.buffer, this.#begin, CRC_BYTES);
    const low = stored.readUInt32LE(0);
    const high = stored.readUInt32LE(4);
    // Zero: the file was written without a checksum.
    if ((low !== 0 || high !== 0) && (this.#crc.low !== low || this.#crc.high !== high)) {
      const problem = 'its checksum is not that of its bytes: it is damaged';
      if (this.#target.skipped === undefined) throw new RdbFileError(problem);
      this.#target.skipped(problem);
    }
    this.#stage = 'ended';
    this.#moveOn(CRC_BYTES);
  }

  #moveOn(bytes: number): void {
    this.#begin += bytes;
    this.#offset += bytes;
  }

  /** Reads operations as far as there are whole ones. */
  #readOperations(): void {
    const reader = new RdbReader(this.#buffer, this.#begin, this.#buffered);
    this.#mark = 0;
    try {
      if (this.#valueBegin > 0) {
        reader.moveTo(this.#skipped);
        this.#readValue(reader);
        this.#mark = reader.position;
      }
      while (this.#stage === 'operations' && this.#mark < this.#buffered) {
        this.#readOperation(reader);
        this.#mark = reader.position;
      }
      this.#wanted = 1;
    } catch (error) {
      if (!(error instanceof MalformedValueError)) throw error;
      this.#waitFor(reader);
    }
    this.#moveOn(this.#mark);
  }

  /** Records the number of bytes that the current operation needs to continue, if bytes are all it needs. */
  #waitFor(reader: RdbReader): void {
    if (reader.wanted === 0) {
      const at = this.#offset + reader.position;
      throw new RdbFileError(`the value that ends before offset ${at} is invalid`);
    }
    this.#wanted = reader.wanted - this.#mark;
    if (this.#wanted > BUFFER_BYTES_MAX) throw this.#tooLong();
    this.#skipped = this.#skipper.position - this.#mark;
  }

  #tooLong(): RdbFileError {
    const at = this.#offset + this.#mark;
    return new RdbFileError(`it has a value of more than 4 GiB at offset ${at}`);
  }

  #readOperation(reader: RdbReader): void {
    const key = this.#key;
    const code = reader.byte();
    if (code < RdbOp.slotInfo) {
      this.#readKey(reader, code);
      return;
    }
    switch (code) {
      case RdbOp.end:
        this.#stage = this.#version < SUMMED_VERSION ? 'ended' : 'checksum';
        break;
      case RdbOp.selectDb:
        key.database = reader.length();
        demand(key.database <= DATABASE_MAX);
        break;
      case RdbOp.resizeDb:
        this.#readSizes(reader);
        break;
      case RdbOp.slotInfo:
        for (let nth = 0; nth < 3; nth += 1) reader.length();
        break;
      case RdbOp.aux:
        this.#target.field(latin1(reader.string()), latin1(reader.string()));
        break;
      case RdbOp.expireMs:
        key.expireAt = reader.milliseconds();
        break;
      case RdbOp.expireSeconds:
        key.expireAt = reader.raw(4).readUInt32LE() * 1_000;
        break;
      case RdbOp.idle:
        key.idleSeconds = reader.length();
        break;
      case RdbOp.frequency:
        key.frequency = reader.byte();
        break;
      case RdbOp.function2:
        this.#target.library(reader.string());
        break;
      case RdbOp.moduleAux:
        if (this.#target.skipped === undefined) throw this.#foreign('data of a module');
        skipModuleValue(reader);
        this.#target.skipped('data of a module');
        break;
      default:
        throw this.#foreign(`the operation ${code}`);
    }
  }

  #readSizes(reader: RdbReader): void {
    const keys = reader.length();
    const expires = reader.length();
    this.#target.sizes?.(this.#key.database, keys, expires);
  }

  #foreign(what: string): RdbFileError {
    const at = this.#offset + this.#mark;
    return new RdbFileError(`it holds ${what} at offset ${at}, which this server does not have`);
  }

  #readKey(reader: RdbReader, type: number): void {
    const isSkipped = type === MODULE_TYPE && this.#target.skipped !== undefined;
    const layout = isSkipped ? MODULE_LAYOUT : layoutOf(type);
    if (layout === undefined) {
      throw this.#foreign(
        MODULE_TYPES.includes(type) ? 'a value of a module' : `a value of type ${type}`,
      );
    }
    this.#key.type = type;
    reader.skipString();
    this.#skipper.begin(layout);
    this.#valueBegin = reader.position - this.#mark;
    this.#skipper.position = reader.position;
    this.#readValue(reader);
  }

  /** Steps over the value, or what is left of it, and goes back to the key once all of it is there. */
  #readValue(reader: RdbReader): void {
    this.#skipper.run(reader);
    const end = reader.position;
    const key = this.#key;
    reader.moveTo(this.#mark + 1);
    reader.stringPlace(key.key);
    reader.rawPlace(key.value, end - reader.position);
    this.#valueBegin = 0;
    if (key.type === MODULE_TYPE) {
      const { bytes, at, length } = key.key;
      this.#target.skipped?.('a value of a module', bytes.subarray(at, at + length));
    } else {
      this.#keys += 1;
      this.#target.key(key);
    }
    key.clear();
  }
}

function versionOf(bytes: Bytes, skipped: RdbSplitTarget['skipped']): number {
  const head = latin1(bytes);
  if (!/^REDIS\d{4}$/.test(head)) throw new RdbFileError('it is no snapshot of Redis');
  const version = Number(head.slice(MAGIC.length));
  if (version >= 1 && version <= RDB_VERSION) return version;
  const problem = `it has version ${version}; versions 1 to ${RDB_VERSION} can be read`;
  if (skipped === undefined) throw new RdbFileError(problem);
  skipped(problem);
  return version;
}
