/**
 * Does again what a log says, in the order of the log: the ordinary code of commands, at the time they were run.
 *
 * What belongs to transactions over several shards is noted, so that a shard whose log has ended before one
 * can be given it by another.
 */
import { asBuffer, type Bytes, bytesOfPieces, CommandError, type Pieces } from '#base';
import type { CommandEntry } from '#commands';
import { DATABASE_SHIFT, FrameKind, Request, REQUEST_HEADER_BYTES } from '#link';
import {
  decodeRests,
  hasTransaction,
  PartCollector,
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_HEADER_BYTES,
  RECORD_KIND_MASK,
  RecordKind,
  type RecordPieces,
  type Rest,
  TRANSACTION_BYTES,
} from '#persistence';
import { keyScratch, KeyStateReader, rdb, type Store, valueScratch } from '#store';
import type { LogEnd, TransactionNote } from '../multi-shard/agreement.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import { Frame } from '../frames/frame.ts';
import { HOST_SPANS } from '../frames/frame-spans.ts';
import { MODES } from '../execution/mode.ts';
import { answerPart } from '../execution/part-answer.ts';
import { entryOf, hasSoundSize, idOf, isPlainSet, kindOf, nameOf } from '../log/record-commands.ts';
import { timeOf } from '../log/record-time.ts';
import { RecordPrefetch } from '../log/prefetch-records.ts';
import type { ReplySender } from '../frames/reply-sender.ts';

/** A record cannot be done again. */
export class ReplayError extends Error {
  override readonly name = 'ReplayError';
}

interface ReplayOptions {
  readonly store: Store;
  readonly executor: Executor;
  readonly context: ExecutionContext;
  readonly sender: ReplySender;
  readonly shardIndex: number;
}

/** The record is met before which the log is to end. */
export class ReplayStop extends Error {
  override readonly name = 'ReplayStop';
  /** Bytes of the block that are before it. */
  readonly at: number;
  /** True when the replay ends there because of a given time. */
  readonly isTime: boolean;

  constructor(at: number, isTime: boolean) {
    super('the log ends here');
    this.at = at;
    this.isTime = isTime;
  }
}

/** A transaction over several shards that the log has. */
interface SharedTransaction extends TransactionNote {
  readonly record: RecordPieces;
}

/** Transactions are compared over the shards' logs as far back as this: logs that end at the same moment differ by far fewer. */
const TRANSACTIONS_KEPT = 100_000;
/** And no more bytes of them are kept than this. */
const TRANSACTION_BYTES_KEPT = 64 * 1024 * 1024;

export class Replay {
  readonly #options: ReplayOptions;
  readonly #ahead: RecordPrefetch;
  /** Records of an incomplete group. */
  #group: RecordPieces[] = [];
  /** Incomplete long record. */
  readonly #long = new PartCollector();
  /** The transactions met last, oldest first from `#kept`. */
  #transactions: SharedTransaction[] = [];
  #transactionBytes = 0;
  #forgotten = 0;
  #segment = 0;
  /** Transactions of the segment. */
  #inSegment = 0;
  #timeMs = 0;
  #stopAt: number | undefined;
  #untilMs = Infinity;
  /** True when the log may have to end before its end. */
  #isLimited = false;
  records = 0;
  /** Leaves out what cannot be done again: keys are lost. */
  skipsRefused = false;
  /** Number of records left out because they could not be done again. */
  refusedRecords = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#ahead = new RecordPrefetch(options.store.keyPrefetch);
  }

  /** Forgets everything; what follows ends before the transaction `stopAt`, and before the first record after `untilMs`. */
  reset(stopAt?: number, untilMs = Infinity): void {
    this.#stopAt = stopAt;
    this.#untilMs = untilMs;
    this.#isLimited = stopAt !== undefined || untilMs < Infinity;
    this.#group = [];
    this.#transactions = [];
    this.#transactionBytes = 0;
    this.#forgotten = 0;
    this.#segment = 0;
    this.#inSegment = 0;
    this.#timeMs = 0;
    this.records = 0;
    this.refusedRecords = 0;
    this.#options.context.scripts.flushLibraries();
  }

  /** Begins a segment: the records that follow are of it. */
  beginSegment(number: number): void {
    this.#segment = number;
    this.#inSegment = 0;
  }

  /** End of the log, to be compared with those of others. */
  get end(): LogEnd {
    return {
      notes: this.#transactions.map(({ record: _, ...note }) => note),
      forgotten: this.#forgotten,
      segment: this.#segment,
      transactions: this.#inSegment,
      timeMs: this.#timeMs,
    };
  }

  /** The records of those transactions, in the order of the log. */
  recordsOf(ids: ReadonlySet<number>): readonly RecordPieces[] {
    return this.#transactions.filter(({ id }) => ids.has(id)).map(({ record }) => record);
  }

  /** Does the records of a block again; its bytes begin at a multiple of 8. Throws a ReplayStop where they end. */
  block(block: Bytes): void {
    const words = new Int32Array(block.buffer, block.byteOffset, block.byteLength >>> 2);
    // Slices are kept beyond the block, and those of a Buffer would be no copies.
    const bytes = new Uint8Array(block.buffer, block.byteOffset, block.byteLength);
    const record = new Frame(bytes, words, 0);
    try {
      for (let at = 0; at < block.length; at += record.byteCount) {
        record.word = at >> 2;
        this.#ahead.take(record);
        if (!hasSoundSize(record)) throw new ReplayError('a record has no size that can be');
        if (kindOf(record) === RecordKind.part) this.#longRecord(record);
        else this.#inLog(record, []);
      }
    } finally {
      this.#ahead.end();
    }
  }

  /** Takes a piece of a long record, which is replayed with its last piece. */
  #longRecord({ bytes, words, word }: Frame): void {
    const at = word << 2;
    if (this.#long.isEmpty && this.#isLimited) {
      const head = new Frame(bytes, words, word + (RECORD_HEADER_BYTES >> 2));
      // A log that is to end before the record ends before the first of its parts.
      this.#demandWithin(head, at);
    }
    const record = this.#long.take(bytes, at);
    if (record === undefined) return;
    const [first, ...rest] = record;
    this.#inLog(frameOf(first), rest);
  }

  /** Processes a record of the log, which continues in `rest`. */
  #inLog(record: Frame, rest: Pieces): void {
    const { words, word } = record;
    const kindWord = words[word + Record.kind]!;
    const kind = kindWord & RECORD_KIND_MASK;
    if ((kindWord & RECORD_GROUPED) !== 0) {
      this.#group.push(keptOf(record, rest));
      return;
    }
    if (this.#isLimited) this.#demandWithin(record, word << 2);
    if (kind === RecordKind.commit || kind === RecordKind.sharedCommit) this.#endGroup();
    if (kind !== RecordKind.commit) this.record(record, rest);
  }

  /** Forgets what is left of a group: it was never whole. Returns how many records that were. */
  dropGroup(): number {
    const dropped = this.#group.length + (this.#long.drop() ? 1 : 0);
    this.#group = [];
    return dropped;
  }

  /** Throws a ReplayStop when the log is to end before this record; a group ends as a whole. */
  #demandWithin(record: Frame, at: number): void {
    const kind = kindOf(record);
    const isCommit = kind === RecordKind.commit || kind === RecordKind.sharedCommit;
    const records = isCommit ? [...this.#group.map(([first]) => frameOf(first)), record] : [record];
    const isStop = records.some(
      (each) => hasTransaction(kindOf(each)) && idOf(each) === this.#stopAt,
    );
    if (isStop) throw new ReplayStop(at, false);
    if (records.some((each) => timeOf(each) > this.#untilMs)) throw new ReplayStop(at, true);
  }

  #endGroup(): void {
    const group = this.#group;
    this.#group = [];
    for (const [first, ...rest] of group) this.record(frameOf(first), rest);
  }

  /** Loads the libraries of functions that a snapshot has. */
  libraries(payload: Bytes): void {
    const { scripts } = this.#options.context;
    const codes = rdb.functionsOf(payload, 0, payload.length);
    scripts.restoreLibraries(
      codes.map((code) => asBuffer(code).toString('latin1')),
      'flush',
    );
  }

  /** Does again what another log has and this one lacks. */
  given([first, ...rest]: RecordPieces): void {
    this.record(frameOf(first.slice()), rest);
  }

  /** Replays one record, which continues in `rest`. */
  record(record: Frame, rest: Pieces = []): void {
    const { store } = this.#options;
    const { words, word, bytes } = record;
    const kind = kindOf(record);
    const begin = word << 2;
    this.#setTime(timeOf(record));
    this.records += 1;
    const bodyAt = begin + REQUEST_HEADER_BYTES + (hasTransaction(kind) ? TRANSACTION_BYTES : 0);
    // The first piece of several ends with the memory that it is in.
    const bodyEnd = rest.length > 0 ? bytes.length : bodyAt + words[word + Record.bodyBytes]!;
    switch (kind) {
      case RecordKind.command:
      case RecordKind.share:
      case RecordKind.each:
        this.#command(record, kind);
        break;
      case RecordKind.removed:
      case RecordKind.states:
        for (const states = new KeyStateReader(bytes, bodyAt, bodyEnd); states.next();) {
          states.install(store);
        }
        break;
      case RecordKind.fieldsExpired:
        for (const states = new KeyStateReader(bytes, bodyAt, bodyEnd); states.next();) {
          store.expireFieldsIn(states.database, states.key);
        }
        break;
      case RecordKind.transaction:
        this.#transaction(record, bodyAt, bodyEnd, rest);
        break;
      case RecordKind.sharedCommit:
        this.#note(record, 2 ** this.#options.context.shardCount - 1, [], true);
        break;
      default:
        throw new ReplayError(`a record has the unknown kind ${kind}`);
    }
  }

  #setTime(nowMs: number): void {
    const { store, context } = this.#options;
    this.#timeMs = nowMs;
    store.clock = Math.floor(nowMs / 1_000) & 0xff_ffff;
    context.turn.time.set(nowMs);
  }

  #transaction(record: Frame, bodyAt: number, bodyEnd: number, rest: Pieces): void {
    const { store, shardIndex } = this.#options;
    const { rests, end } = decodeRests(record.bytes, bodyAt);
    let shards = 0;
    for (const states = new KeyStateReader(record.bytes, end, bodyEnd, rest); states.next();) {
      shards |= 1 << states.owner;
      if (states.owner !== shardIndex) continue;
      const { effect } = states;
      if (effect === undefined) states.install(store);
      else if (this.#isThere(states)) this.record(frameOf(effect));
    }
    this.#note(record, shards, rests, false, rest);
    this.#inSegment += 1;
  }

  /**
   * True when a command may be replayed: the key to which it adds may have been removed by an earlier record of the
   * log.
   */
  #isThere({ database, key }: KeyStateReader): boolean {
    return (
      key.length === 0 || this.#options.store.databaseOfKeys(database).lookUp(key, key.length) !== 0
    );
  }

  #command(record: Frame, kind: number): void {
    const { executor, context, sender, store } = this.#options;
    const { words, word } = record;
    if (kind === RecordKind.command && isPlainSet(record)) {
      this.#set(record);
      return;
    }
    const spans = kind === RecordKind.command ? Request.spans : HOST_SPANS;
    const entry = entryOf(record, spans);
    if (entry === undefined) {
      const name = nameOf(record, spans);
      throw new ReplayError(`the command ${name} is unknown to this version`);
    }
    words[word + Request.command] = entry.id;
    const kindWord = words[word + Record.kind]!;
    const database = kindWord >>> RECORD_DATABASE_SHIFT;
    store.databaseOfKeys(database);
    const frameKind = kind === RecordKind.share ? FrameKind.share : FrameKind.command;
    words[word + Request.kind] = frameKind | (database << DATABASE_SHIFT);
    executor.point(record, spans);
    sender.begin(0, 0);
    if (entry.route === 'everyShard' || kind === RecordKind.share) this.#part(entry);
    else executor.execute(entry, kind === RecordKind.each ? MODES.ownKeysNoWait : MODES.noWait);
    const { errorText } = sender.writer;
    sender.abandon();
    words[word + Record.kind] = kindWord;
    context.turn.takeWait();
    if (errorText !== null) this.#refused(entry, errorText);
    if (kind === RecordKind.share) this.#note(record, this.#sharers(record, entry), []);
  }

  /** SET without options is most of most logs: what it does to the store, and nothing around it. */
  #set({ bytes, words, word }: Frame): void {
    const { store } = this.#options;
    const spans = word + Request.spans;
    const bodyAt = (spans + 6) << 2;
    const keyAt = bodyAt + words[spans + 2]!;
    const valueAt = bodyAt + words[spans + 4]!;
    const keyspace = store.databaseOfKeys(words[word + Record.kind]! >>> RECORD_DATABASE_SHIFT);
    keyspace.set(
      keyScratch.point(bytes, keyAt, words[spans + 3]!),
      valueScratch.point(bytes, valueAt, words[spans + 5]!),
    );
  }

  #part(entry: CommandEntry): void {
    const { executor, context, sender } = this.#options;
    sender.writer.clearError();
    try {
      answerPart(entry, context, executor.args);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.#refused(entry, error.message);
    }
  }

  #refused(entry: CommandEntry, text: string): void {
    if (!this.skipsRefused) throw new ReplayError(`${entry.name} answers an error now: ${text}`);
    this.refusedRecords += 1;
  }

  /** The shards that do a share of a command. */
  #sharers(record: Frame, { command }: CommandEntry): number {
    const { context } = this.#options;
    if (command.route !== 'byKey') return 2 ** context.shardCount - 1;
    let shards = 0;
    const { bytes, words, word } = record;
    const count = words[word + Record.argumentCount]!;
    const bodyAt = (word + HOST_SPANS + 2 * count) << 2;
    for (let index = 1; index < count; index += command.keyStride) {
      const at = bodyAt + words[word + HOST_SPANS + 2 * index]!;
      const length = words[word + HOST_SPANS + 2 * index + 1]!;
      shards |= 1 << context.ownerOf(bytes, at, length);
    }
    return shards;
  }

  #note(
    frame: Frame,
    shards: number,
    rests: readonly Rest[],
    needsAll = false,
    behind: Pieces = [],
  ): void {
    const record = keptOf(frame, behind);
    this.#transactions.push({
      id: idOf(frame),
      shards,
      rests,
      needsAll,
      timeMs: this.#timeMs,
      segment: this.#segment,
      before: this.#inSegment,
      record,
    });
    this.#transactionBytes += bytesOfPieces(record);
    if (
      this.#transactions.length > 2 * TRANSACTIONS_KEPT ||
      this.#transactionBytes > 2 * TRANSACTION_BYTES_KEPT
    ) {
      const dropped = this.#transactions.splice(0, this.#transactions.length >>> 1);
      for (const { id } of dropped) this.#forgotten = Math.max(this.#forgotten, id);
      this.#transactionBytes = this.#transactions.reduce(
        (sum, { record: kept }) => sum + bytesOfPieces(kept),
        0,
      );
    }
  }
}

/** A record that is kept when its block is not; of a long one the memory is its own. */
function keptOf({ bytes, word, byteCount }: Frame, rest: Pieces): RecordPieces {
  const at = word << 2;
  return rest.length > 0 ? [bytes, ...rest] : [bytes.slice(at, at + byteCount)];
}

/** Returns a copy of a record as a frame. */
function frameOf(record: Bytes): Frame {
  return new Frame(
    record,
    new Int32Array(record.buffer, record.byteOffset, record.length >>> 2),
    0,
  );
}
