/**
 * A shard's log, up to the ring of the disk thread: records of changes. The frame of a command that changed something
 * is copied; if its effect depends on chance, on settings, or on lent keys, the effect is logged. While the disk thread
 * is behind, records wait in private memory. Replies wait for the write in periodic mode, for its fsync in sync mode;
 * in async mode the shard waits only when that memory is full.
 */
import {
  type Bytes,
  bytesOfPieces,
  type Clock,
  copyToShared,
  type Pieces,
  unreachable,
} from '#base';
import type { ShardSettings } from '#commands';
import {
  frameBytes,
  HOST_WORDS,
  type LinkMemory,
  type LogProgress,
  Request,
  REQUEST_HEADER_BYTES,
  type RingWriter,
} from '#link';
import {
  type DurabilityMode,
  hasTransaction,
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_KIND_MASK,
  RECORD_TRANSFERRED,
  RecordKind,
  TRANSACTION_BYTES,
  withoutRests,
} from '#persistence';
import { recordOf, type EffectWord } from './effect-record.ts';
import { setTime } from './record-time.ts';
import type { Frame } from '../frames/frame.ts';

/** Offset at which the body of a transaction's record begins. */
export const TRANSACTION_START_BYTES = REQUEST_HEADER_BYTES + TRANSACTION_BYTES;

/** Records that wait in private memory take no more than this; then the shard waits for the disk. */
const BEHIND_BYTES_MAX = 64 * 1024 * 1024;
const ROOM_WAIT_MS = 100;

/** Options of a journal: where the records go. */
interface JournalOptions {
  readonly memory: LinkMemory;
  readonly ring: RingWriter;
  readonly progress: LogProgress;
  readonly clock: Clock;
  /** Returns the epoch: the number of the life of the server that the log is of. */
  readonly epoch: () => number;
  /** Wakes the disk thread. */
  readonly wake: () => void;
  /**
   * Writes published records in this thread, and syncs them if requested; false if the disk thread has to do it. Only
   * possible while all of it is plain records.
   */
  readonly writeHere: (syncs: boolean) => boolean;
  /** Gives away a record that is too large for the ring, in its pieces; it arrives before its place in the ring. */
  readonly transfer: (pieces: Pieces) => void;
}

/** Head of a record: its kind, database and time; its transaction and epoch, if it has any. */
interface RecordHead {
  readonly kind: number;
  readonly database: number;
  readonly nowMs: number;
  readonly transaction?: number;
  readonly epoch?: number;
}

export class Journal {
  /** True while changes are logged; false while recovery does them again, and where nothing is kept. */
  isOn = false;
  /** Durability that replies wait for: the sync of their writes, their write, or nothing. */
  mode: DurabilityMode = 'async';
  /** True when replies are sent in periodic mode even though the log cannot record their changes. */
  answersUnkept = false;
  readonly #options: JournalOptions;
  readonly #frameBytesMax: number;
  #epoch = 0;
  #isGrouping = false;
  #hasGrouped = false;
  /** Records that found the ring full, in order, and in their pieces: the first has the head. */
  #behind: Pieces[] = [];
  #behindBytes = 0;
  /** View for the double of a record's time: in a ring's memory it is not always at a multiple of 8, so by bytes. */
  readonly #view: DataView;
  /** True when something was published that no reply has waited for. */
  #isUnsettled = false;
  /** True when some unsettled records come from commands; keys removed by expiry are confirmed by no reply. */
  #hasCommands = false;
  /** Position in the ring where the last record ends that only the disk thread can write; undefined when it has. */
  #forDiskThread: number | undefined;
  /** Records of the kind `transaction` in the segment so far. */
  transactions = 0;
  /** Microseconds of the last wait for a sync. */
  waitedUs = 0;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#frameBytesMax = options.ring.capacity >> 2;
    this.#view = new DataView(options.memory.bytes.buffer);
  }

  /** Starts logging, in an empty segment. */
  begin(): void {
    this.#epoch = this.#options.epoch();
    this.transactions = 0;
    this.isOn = true;
  }

  /** Nothing is logged from now on. What was logged is the disk thread's, or lost where it cannot be written. */
  leave(): void {
    this.isOn = false;
    if (this.drain()) return;
    this.#behind = [];
    this.#behindBytes = 0;
  }

  /** Logs the command of a frame; `kind` determines its replay. */
  command(frame: Frame, kind: number, nowMs: number): void {
    const { memory, ring } = this.#options;
    const epoch = this.#epoch;
    this.#hasCommands = true;
    // What came by message is as long as it is; a record ends at a multiple of 8.
    const length = frame.byteCount;
    const size = frameBytes(length);
    const from = frame.word << 2;
    const transaction = hasTransaction(kind) ? frame.words[frame.word + Record.transaction]! : 0;
    const database = frame.words[frame.word + Request.kind]! >>> RECORD_DATABASE_SHIFT;
    const head = { kind, database, nowMs, transaction, epoch };
    const fits = this.#behind.length === 0 && size <= this.#frameBytesMax;
    const at = fits ? ring.reserve(size) : -1;
    if (at < 0) {
      const copy = new Uint8Array(size);
      copy.set(frame.bytes.subarray(from, from + length));
      this.#fill(new DataView(copy.buffer), 0, size, head);
      this.#wait([copy]);
      return;
    }
    copyToShared(memory, at, frame.bytes, from, length);
    this.#fill(this.#view, at, size, head);
    ring.commit(size);
  }

  /** Logs a command with the same effect; returns the number of bytes. */
  effect(words: readonly EffectWord[], database: number, nowMs: number): number {
    const record = recordOf(words);
    this.#add(record, { kind: RecordKind.command, database, nowMs });
    return record.length;
  }

  /** Encodes effects as a record, for the body of another one. */
  effectRecord(words: readonly EffectWord[], database: number, nowMs: number): Bytes {
    const record = recordOf(words);
    const head = { kind: RecordKind.command, database, nowMs };
    this.#fill(new DataView(record.buffer), 0, record.length, head);
    return record;
  }

  /** Logs states of keys; for `removed` and `fieldsExpired`, states of absent keys. */
  states(kind: number, states: Bytes, nowMs: number): void {
    const record = new Uint8Array(frameBytes(REQUEST_HEADER_BYTES + states.length));
    record.set(states, REQUEST_HEADER_BYTES);
    new DataView(record.buffer).setInt32(4 * Record.bodyBytes, states.length, true);
    this.#add(record, { kind, database: 0, nowMs });
  }

  /** Logs what a transaction over several shards rests on, and has changed on all of them. */
  transaction(transaction: number, [first, ...rest]: Pieces, nowMs: number): void {
    const body = first ?? unreachable('a transaction has changed something');
    const record = new Uint8Array(TRANSACTION_START_BYTES + body.length);
    record.set(body, TRANSACTION_START_BYTES);
    this.transactionRecord(transaction, [record, ...rest.map((piece) => piece.slice())], nowMs);
  }

  /**
   * Encodes effects as a transaction record whose body starts after TRANSACTION_START_BYTES. All pieces are
   * transferred.
   */
  transactionRecord(
    transaction: number,
    pieces: readonly [Bytes, ...Bytes[]],
    nowMs: number,
  ): void {
    this.#hasCommands = true;
    const size = bytesOfPieces(pieces);
    // Small records are written to the ring as one.
    const isLarge = size > this.#frameBytesMax;
    const padding = new Uint8Array(frameBytes(size) - size);
    const record = isLarge ? pieces[0] : Buffer.concat([...pieces, padding]);
    const view = new DataView(record.buffer, record.byteOffset);
    view.setInt32(4 * Record.bodyBytes, size - TRANSACTION_START_BYTES, true);
    const epoch = this.#epoch;
    const head = { kind: RecordKind.transaction, database: 0, nowMs, transaction, epoch };
    this.#fill(view, 0, frameBytes(size), head);
    this.#wait(isLarge ? pieces : [record]);
    this.transactions += 1;
  }

  /** A record of an earlier life: what it rested on is there. */
  again([record, ...rest]: readonly [Bytes, ...Bytes[]]): void {
    const copy = record.slice();
    const view = new DataView(copy.buffer);
    const kindWord = view.getInt32(4, true);
    view.setInt32(4, kindWord & ~RECORD_GROUPED, true);
    if ((kindWord & RECORD_KIND_MASK) === RecordKind.transaction) {
      withoutRests(copy, REQUEST_HEADER_BYTES + TRANSACTION_BYTES);
      this.transactions += 1;
    }
    this.#wait([copy, ...rest]);
  }

  /** Begins a group: the records that follow count all together or not at all. */
  beginGroup(): void {
    this.#isGrouping = true;
    this.#hasGrouped = false;
  }

  endGroup(nowMs: number): void {
    this.#isGrouping = false;
    if (!this.#hasGrouped) return;
    const head = { kind: RecordKind.commit, database: 0, nowMs };
    this.#add(new Uint8Array(REQUEST_HEADER_BYTES), head);
  }

  /** Ends a group on all shards: it is valid once all of them have ended it. */
  endSharedGroup(transaction: number, nowMs: number): void {
    this.#isGrouping = false;
    this.#hasGrouped = false;
    const epoch = this.#epoch;
    this.#add(new Uint8Array(REQUEST_HEADER_BYTES + TRANSACTION_BYTES), {
      kind: RecordKind.sharedCommit,
      database: 0,
      nowMs,
      transaction,
      epoch,
    });
  }

  /** Continues the log in the segment of that number. */
  cut(number: number): void {
    const record = new Uint8Array(REQUEST_HEADER_BYTES + 4 * HOST_WORDS);
    const isUnsettled =
      this.#isUnsettled || this.#options.ring.hasUnpublished || this.#behind.length > 0;
    this.#add(record, { kind: RecordKind.cut, database: 0, nowMs: 0, transaction: number });
    this.transactions = 0;
    this.flush();
    // No reply waits for the cut itself.
    this.#isUnsettled = isUnsettled;
  }

  /** Lets the disk thread see what there is. */
  flush(): void {
    if (this.#publish()) this.#options.wake();
  }

  /** Publishes waiting records; returns false if there were none. */
  #publish(): boolean {
    const { ring } = this.#options;
    if (this.#behind.length > 0) this.#catchUp();
    if (!ring.hasUnpublished) return false;
    ring.publish();
    this.#isUnsettled = true;
    return true;
  }

  /** Waits until all that was logged is in its file; false when it cannot be written. */
  drain(): boolean {
    const { ring, progress } = this.#options;
    this.flush();
    while (this.#behind.length > 0 || ring.backlog > 0) {
      if (progress.hasFailed) return false;
      ring.waitForRoom(ROOM_WAIT_MS);
      this.flush();
    }
    return !progress.hasFailed;
  }

  apply(settings: Pick<ShardSettings, 'string'>): void {
    this.mode = settings.string('persistence.durability-mode') as DurabilityMode;
    this.answersUnkept = settings.string('persistence.wal-failure-policy') === 'continue';
  }

  /** True when the next `settle` has something to write. */
  get mustSettle(): boolean {
    if (this.mode === 'async') return false;
    return this.#isUnsettled || this.#options.ring.hasUnpublished || this.#behind.length > 0;
  }

  /** True when replies will wait for a sync. */
  get holdsReplies(): boolean {
    return this.mode === 'sync' && this.mustSettle;
  }

  /** Waits for what replies wait for in this mode; false when what was logged cannot be written. */
  settle(): boolean {
    this.waitedUs = 0;
    if (this.mode === 'async') {
      this.flush();
      return true;
    }
    this.#publish();
    if (!this.#isUnsettled) return true;
    const isSafe = (this.mode === 'sync' ? this.#sync() : this.#write()) || !this.#hasCommands;
    // A loss is reported once, by the replies that wait here, and not to later readers.
    this.#isUnsettled = false;
    this.#hasCommands = false;
    return isSafe;
  }

  #sync(): boolean {
    const { clock, progress, writeHere } = this.#options;
    const startUs = clock.nowUs();
    const isHere = this.#isPlain && writeHere(true);
    const isSafe = isHere ? !progress.hasFailed : this.#waitForDiskThread();
    this.waitedUs = clock.nowUs() - startUs;
    return isSafe;
  }

  /** Writes logged records to the kernel, where they survive a kill of the process. */
  #write(): boolean {
    const { progress, writeHere, wake } = this.#options;
    if (this.#isPlain && writeHere(false)) return this.answersUnkept || !progress.hasFailed;
    wake();
    return this.drain() || this.answersUnkept;
  }

  /** True when what the disk thread has not taken are plain records, all in the ring. */
  get #isPlain(): boolean {
    if (this.#behind.length > 0) return false;
    if (this.#forDiskThread === undefined) return true;
    if (!this.#options.ring.isTaken(this.#forDiskThread)) return false;
    this.#forDiskThread = undefined;
    return true;
  }

  #waitForDiskThread(): boolean {
    const { progress, ring, wake } = this.#options;
    wake();
    while (this.#behind.length > 0 && !progress.hasFailed) {
      ring.waitForRoom(ROOM_WAIT_MS);
      this.flush();
    }
    return progress.waitFor(ring.published);
  }

  #add(record: Bytes, head: RecordHead): void {
    this.#hasCommands ||=
      head.kind !== RecordKind.removed && head.kind !== RecordKind.fieldsExpired;
    this.#fill(new DataView(record.buffer), 0, record.length, head);
    this.#wait([record]);
  }

  #fill(view: DataView, at: number, size: number, head: RecordHead): void {
    let flags = 0;
    if (this.#isGrouping) {
      this.#hasGrouped = true;
      flags = RECORD_GROUPED;
    }
    view.setInt32(at, size, true);
    view.setInt32(at + 4, head.kind | flags | (head.database << RECORD_DATABASE_SHIFT), true);
    view.setInt32(at + 8, 0, true);
    view.setInt32(at + 12, 0, true);
    setTime(view, at, head.nowMs);
    const isNumbered = hasTransaction(head.kind) || head.kind === RecordKind.cut;
    if (head.transaction === undefined || !isNumbered) return;
    view.setInt32(at + 4 * Record.transaction, head.transaction, true);
    view.setInt32(at + 4 * Record.epoch, head.epoch ?? 0, true);
  }

  /** Queues a record after the waiting ones, which is rarely needed. */
  #wait(pieces: Pieces): void {
    this.#behind.push(pieces);
    this.#behindBytes += bytesOfPieces(pieces);
    this.#catchUp();
    const { ring, wake } = this.#options;
    while (this.#behindBytes > BEHIND_BYTES_MAX) {
      this.#publish();
      wake();
      ring.waitForRoom(ROOM_WAIT_MS);
      this.#catchUp();
    }
  }

  #catchUp(): void {
    let done = 0;
    while (done < this.#behind.length && this.#put(this.#behind[done]!)) done += 1;
    if (done === this.#behind.length) this.#behind = [];
    else if (done > 0) this.#behind = this.#behind.slice(done);
  }

  #put(pieces: Pieces): boolean {
    const { ring, memory, transfer } = this.#options;
    const [record] = pieces as readonly [Bytes];
    const length = bytesOfPieces(pieces);
    const isLarge = length > this.#frameBytesMax;
    const size = isLarge ? REQUEST_HEADER_BYTES : length;
    const at = ring.reserve(size);
    if (at < 0) return false;
    memory.bytes.set(isLarge ? record.subarray(0, size) : record, at);
    if (isLarge) {
      transfer(pieces);
      this.#view.setInt32(at, size, true);
      this.#view.setInt32(at + 4, this.#view.getInt32(at + 4, true) | RECORD_TRANSFERRED, true);
    }
    ring.commit(size);
    const kind = this.#view.getInt32(at + 4 * Record.kind, true) & RECORD_KIND_MASK;
    if (isLarge || kind === RecordKind.cut) this.#forDiskThread = ring.written;
    this.#behindBytes -= length;
    return true;
  }
}
