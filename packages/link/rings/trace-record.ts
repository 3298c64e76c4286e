/**
 * One traced request as main sends it to the ops thread: doubles, and after them the bytes of arguments.
 *
 *   double        what
 *   0             the frame's size in bytes and the record's doubles, as two words
 *   1 ...         RecordAt
 *   16 ...        for each argument that is kept: its bytes here, and how long it was (-1: a secret)
 *   then          for each shard: its index, how many parts, then a `times` body from queueUs on
 *   then          the bytes of the arguments
 *
 * Drafts are used again and again, so that tracing everything makes no garbage on main.
 */

import { type Bytes, copyBytes } from '#base';
import { TIMES_HEAD, TIMES_PART, TimesAt, type ShardTimes } from './trace-times.ts';

/** Doubles of a record. */
export const RecordAt = {
  startUs: 1,
  endUs: 2,
  /** Number of the connection. */
  connection: 3,
  /** Index of the command in the table. */
  command: 4,
  /** Index of the error's code in ERROR_CODES, or -1. */
  error: 5,
  keyCount: 6,
  /** Microseconds for which main itself executed the command; negative when it did not. */
  mainUs: 7,
  /** Bits of RecordFlag. */
  flags: 8,
  /** 16 bytes of the trace's id, 8 of the request's span, 8 of its parent's. */
  ids: 9,
  /** Number of arguments that the command had; then how many are kept. */
  argumentCount: 13,
  keptCount: 14,
  shardCount: 15,
} as const;

export const RecordFlag = {
  /** Part of a sampled trace; otherwise it is recorded only for the log. */
  sampled: 1,
  /** Several shards each answered a part. */
  gathered: 2,
  /** An application's span is the parent. */
  hasParent: 4,
  /** The log is to have a line of it. */
  logged: 8,
  /** Spans that are made beside those of every trace: the settings at the time of the request. */
  scatterGatherSpans: 16,
  shardSpans: 32,
  persistenceSpans: 64,
  /** A snapshot of a number of keys, instead of a request. */
  snapshot: 128,
} as const;

const HEAD = 16;
const SHARD_HEAD = 2;
const ID_BYTES = 32;
/** Maximum number of arguments that are kept, and of bytes of each. */
const ARGUMENTS_MAX = 31;
const ARGUMENT_BYTES_MAX = 128;
const SECRET = -1;
const START_DOUBLES = HEAD + 2 * ARGUMENTS_MAX + 64;

/** Source of arguments. */
interface ArgumentSource {
  readonly source: Bytes;
  readonly count: number;
  at(index: number): number;
  length(index: number): number;
}

/** A record while its request is under way. */
export class TraceDraft {
  doubles = new Float64Array(START_DOUBLES);
  readonly text = new Uint8Array(ARGUMENTS_MAX * ARGUMENT_BYTES_MAX);
  /** Used doubles of `doubles`; then used bytes of `text`. */
  count = HEAD;
  textBytes = 0;
  #ids = this.#idWords();

  /** Six words of trace and span; two more, of the parent, are set by `setParent`. */
  get ids(): Uint32Array {
    return this.#ids;
  }

  /** Starts a new record with the command's arguments. */
  begin(args: ArgumentSource, secrets: readonly number[]): void {
    const { doubles } = this;
    const { count } = args;
    const kept = Math.min(count, ARGUMENTS_MAX);
    let end = 0;
    for (let index = 0; index < kept; index += 1) {
      const length = args.length(index);
      const isSecret = secrets.length > 0 && secrets.includes(index);
      const bytes = isSecret ? 0 : Math.min(length, ARGUMENT_BYTES_MAX);
      copyBytes(args.source, args.at(index), this.text, end, bytes);
      end += bytes;
      doubles[HEAD + 2 * index] = bytes;
      doubles[HEAD + 2 * index + 1] = isSecret ? SECRET : length;
    }
    doubles[RecordAt.error] = -1;
    doubles[RecordAt.mainUs] = -1;
    doubles[RecordAt.flags] = 0;
    doubles[RecordAt.argumentCount] = count;
    doubles[RecordAt.keptCount] = kept;
    doubles[RecordAt.shardCount] = 0;
    this.textBytes = end;
    this.count = HEAD + 2 * kept;
  }

  /** Adds times of a shard: `length` doubles of a `times` body. */
  addShard(shard: number, times: Float64Array, at: number, length: number): void {
    const needed = this.count + SHARD_HEAD + length;
    if (needed > this.doubles.length) this.#grow(needed);
    const { doubles } = this;
    let end = this.count;
    doubles[end] = shard;
    doubles[end + 1] = (length - TIMES_HEAD) / TIMES_PART;
    end += SHARD_HEAD;
    for (let index: number = TimesAt.queueUs; index < length; index += 1) {
      doubles[end] = times[at + index]!;
      end += 1;
    }
    this.count = end;
    doubles[RecordAt.shardCount] = doubles[RecordAt.shardCount]! + 1;
  }

  #grow(needed: number): void {
    const larger = new Float64Array(2 * needed);
    larger.set(this.doubles);
    this.doubles = larger;
    this.#ids = this.#idWords();
  }

  #idWords(): Uint32Array {
    return new Uint32Array(this.doubles.buffer, 8 * RecordAt.ids, ID_BYTES / 4);
  }
}

/** One part of a command's execution. */
export interface PartTimes {
  /** A number of TracedPart. */
  readonly part: number;
  readonly detail: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** Work of one shard for a request. */
export interface ShardWork extends ShardTimes {
  readonly shard: number;
  readonly parts: readonly PartTimes[];
}

/** An argument, or the beginning of it. */
export interface KeptArgument {
  readonly bytes: Bytes;
  /** Length of the whole argument; -1 for a secret, whose bytes are not here. */
  readonly length: number;
}

export interface SpanSwitches {
  readonly scatterGather: boolean;
  readonly shard: boolean;
  readonly persistence: boolean;
}

/** A record as the ops thread reads it; fields are those of RecordAt. */
export interface TraceRecord {
  readonly startUs: number;
  readonly endUs: number;
  readonly connection: number;
  readonly command: number;
  readonly error: number;
  readonly keyCount: number;
  readonly mainUs: number | undefined;
  readonly isSampled: boolean;
  readonly isGathered: boolean;
  /** It is no request: a snapshot was written. */
  readonly isSnapshot: boolean;
  readonly hasParent: boolean;
  readonly isLogged: boolean;
  /** Spans that are made beside those of every trace. */
  readonly spans: SpanSwitches;
  /** 32 bytes. */
  readonly ids: Bytes;
  readonly argumentCount: number;
  readonly args: readonly KeptArgument[];
  readonly shards: readonly ShardWork[];
}

/**
 * A record over a copy of its bytes, which is all that it keeps: what is asked of it is read then. Most records are
 * dropped before anybody asks for their arguments or parts.
 */
export class KeptRecord implements TraceRecord {
  readonly #doubles: Float64Array;
  readonly #bytes: Bytes;
  readonly #count: number;

  /** `bytes` begin with the record's `count` doubles. */
  constructor(bytes: Bytes, count: number) {
    this.#doubles = new Float64Array(bytes.buffer, bytes.byteOffset, count);
    this.#bytes = bytes;
    this.#count = count;
  }

  get startUs(): number {
    return this.#doubles[RecordAt.startUs]!;
  }

  get endUs(): number {
    return this.#doubles[RecordAt.endUs]!;
  }

  get connection(): number {
    return this.#doubles[RecordAt.connection]!;
  }

  get command(): number {
    return this.#doubles[RecordAt.command]!;
  }

  get error(): number {
    return this.#doubles[RecordAt.error]!;
  }

  get keyCount(): number {
    return this.#doubles[RecordAt.keyCount]!;
  }

  get mainUs(): number | undefined {
    const us = this.#doubles[RecordAt.mainUs]!;
    return us < 0 ? undefined : us;
  }

  get isSampled(): boolean {
    return this.#has(RecordFlag.sampled);
  }

  get isGathered(): boolean {
    return this.#has(RecordFlag.gathered);
  }

  get isSnapshot(): boolean {
    return this.#has(RecordFlag.snapshot);
  }

  get hasParent(): boolean {
    return this.#has(RecordFlag.hasParent);
  }

  get isLogged(): boolean {
    return this.#has(RecordFlag.logged);
  }

  get spans(): SpanSwitches {
    return {
      scatterGather: this.#has(RecordFlag.scatterGatherSpans),
      shard: this.#has(RecordFlag.shardSpans),
      persistence: this.#has(RecordFlag.persistenceSpans),
    };
  }

  get ids(): Bytes {
    const at = 8 * RecordAt.ids;
    return this.#bytes.subarray(at, at + ID_BYTES);
  }

  get argumentCount(): number {
    return this.#doubles[RecordAt.argumentCount]!;
  }

  get args(): readonly KeptArgument[] {
    const kept = this.#doubles[RecordAt.keptCount]!;
    return readArguments(this.#doubles, this.#bytes, kept, 8 * this.#count);
  }

  get shards(): readonly ShardWork[] {
    const kept = this.#doubles[RecordAt.keptCount]!;
    return readShards(this.#doubles, HEAD + 2 * kept, this.#doubles[RecordAt.shardCount]!);
  }

  #has(flag: number): boolean {
    return (this.#doubles[RecordAt.flags]! & flag) !== 0;
  }
}

function readArguments(
  doubles: Float64Array,
  bytes: Bytes,
  kept: number,
  textAt: number,
): KeptArgument[] {
  const args: KeptArgument[] = [];
  let at = textAt;
  for (let index = 0; index < kept; index += 1) {
    const length = doubles[HEAD + 2 * index]!;
    args.push({
      bytes: bytes.subarray(at, at + length),
      length: doubles[HEAD + 2 * index + 1]!,
    });
    at += length;
  }
  return args;
}

function readShards(doubles: Float64Array, from: number, count: number): ShardWork[] {
  const shards: ShardWork[] = [];
  let at = from;
  for (let nth = 0; nth < count; nth += 1) {
    const partCount = doubles[at + 1]!;
    const times = at + SHARD_HEAD - TimesAt.queueUs;
    const partsAt = times + TIMES_HEAD;
    shards.push({
      shard: doubles[at]!,
      queueUs: doubles[times + TimesAt.queueUs]!,
      startUs: doubles[times + TimesAt.startUs]!,
      endUs: doubles[times + TimesAt.endUs]!,
      error: doubles[times + TimesAt.error]!,
      parts: Array.from({ length: partCount }, (_, part) => {
        const place = partsAt + TIMES_PART * part;
        return {
          part: doubles[place]!,
          detail: doubles[place + 1]!,
          startUs: doubles[place + 2]!,
          endUs: doubles[place + 3]!,
        };
      }),
    });
    at = partsAt + TIMES_PART * partCount;
  }
  return shards;
}
