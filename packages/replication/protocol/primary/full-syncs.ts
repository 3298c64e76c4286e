/**
 * Full synchronisations: all keys as they were at one place of the order, sent to several replicas at once while the shards
 * write them, or put into a file first, for replicas that want its length ahead. The shards write no more than the slowest
 * replica, or the file, takes.
 */

import { randomBytes } from 'node:crypto';
import type { Bytes, LogFields } from '#base';
import type { FeedOrder } from '#link';
import { rdb } from '#store';
import { FileSends } from './file-sends.ts';
import { PieceOrder, type ShardPiece } from './piece-order.ts';
import type { Replica, SyncFilter } from './replica.ts';
import { Stream } from './stream.ts';
import { SyncFileWriter, type SyncFile, type SyncPiece } from './sync-file.ts';

/** Maximum number of bytes in flight of each shard. */
const CREDIT_BYTES = 1024 * 1024;
/** Credit is given back when so much of it is used. */
const GRANT_BYTES_MIN = 128 * 1024;
/** Length of an end mark. */
const MARK_BYTES = 20;
/** The end of a file, and eight bytes in the place of a checksum: none. */
const RDB_END = Uint8Array.of(255, 0, 0, 0, 0, 0, 0, 0, 0);

interface FullSyncsOptions {
  readonly shards: number;
  order(order: FeedOrder): void;
  grant(shard: number, number: number, byteCount: number): void;
  /** True while keys can be frozen: no snapshot is being written. */
  mayFreeze(): boolean;
  /** Fields that a file begins with. */
  details(): readonly (readonly [string, string])[];
  /** Makes a temporary file. */
  openFile(): Promise<SyncFile>;
  nowMs(): number;
  wake(): void;
  /** The stream position of a full sync is known: its replicas are notified. */
  began(replicas: readonly Replica[]): void;
  /** Keys are frozen no more. */
  thawed(): void;
  /** Called when replicas start to receive the full sync from its file. */
  sending(replicas: readonly Replica[]): void;
  /** A replica has been sent all of it. */
  sent(replica: Replica): void;
  log(event: string, message: string, fields: LogFields): void;
}

/** Bytes of a shard that end at an offset. */
interface Charge {
  readonly end: number;
  readonly shard: number;
  readonly byteCount: number;
}

/** One full synchronisation. */
interface FullSync {
  readonly number: number;
  readonly replicas: Replica[];
  readonly offsets: Map<Replica, number>;
  readonly stream: Stream;
  /** Writer of the file of the sync; undefined if it is sent directly. */
  readonly file: SyncFileWriter | undefined;
  readonly order: PieceOrder;
  readonly mark: Bytes;
  readonly charges: Charge[];
  readonly used: number[];
  readonly beganMs: number;
  /** Pieces received before the position of the sync in the stream is known. */
  early: ShardPiece[];
  shardsLeft: number;
  /** True once all shards have reached its cut. */
  isPlaced: boolean;
  /** True if the sync was abandoned, but the shards have not ended it. */
  isAbandoned: boolean;
  fault: string | undefined;
}

export class FullSyncs {
  readonly #options: FullSyncsOptions;
  readonly #fileSends: FileSends;
  #current: FullSync | undefined;

  constructor(options: FullSyncsOptions) {
    this.#options = options;
    this.#fileSends = new FileSends(options);
  }

  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** Bytes that are kept for replicas which have not taken them. */
  get heldBytes(): number {
    const sync = this.#current;
    const ofCurrent =
      sync === undefined
        ? 0
        : sync.stream.byteCount + sync.order.waitingBytes + (sync.file?.heldBytes ?? 0);
    return ofCurrent + this.#fileSends.heldBytes;
  }

  /** True when none is under way, and one can begin. */
  get mayBegin(): boolean {
    return !this.isActive && this.#options.mayFreeze();
  }

  /** True when there is something to give to a connection that takes more. */
  get hasWork(): boolean {
    if (this.#fileSends.hasWork) return true;
    const sync = this.#current;
    if (sync === undefined || !sync.isPlaced || sync.isAbandoned) return false;
    for (const [replica, offset] of sync.offsets) {
      if (offset < sync.stream.end && replica.hasRoom) return true;
    }
    return false;
  }

  /** Starts a full sync with a new number, for replicas with equal requirements. */
  begin(number: number, replicas: readonly Replica[], filter: SyncFilter, isInFile: boolean): void {
    const { shards } = this.#options;
    const mark = Buffer.from(randomBytes(MARK_BYTES).toString('hex'));
    const sync: FullSync = {
      number,
      replicas: [...replicas],
      offsets: new Map(isInFile ? [] : replicas.map((replica) => [replica, 0])),
      stream: new Stream(),
      file: isInFile ? this.#newFile(() => sync) : undefined,
      order: new PieceOrder(({ shard, bytes }) => {
        this.#put(sync, { shard, bytes });
      }),
      mark,
      charges: [],
      used: Array.from({ length: shards }, () => 0),
      beganMs: this.#options.nowMs(),
      early: [],
      shardsLeft: shards,
      isPlaced: false,
      isAbandoned: false,
      fault: undefined,
    };
    this.#current = sync;
    const slots = replicas[0]?.slotLink?.spans ?? null;
    this.#options.order({ kind: 'cut', number, credit: CREDIT_BYTES, filter, slots });
  }

  #newFile(sync: () => FullSync): SyncFileWriter {
    return new SyncFileWriter({
      open: () => this.#options.openFile(),
      written: ({ shard, bytes }) => {
        if (shard !== undefined) sync().used[shard]! += bytes.length;
        this.#grant(sync());
      },
      ended: (file, byteCount) => {
        this.#sendFile(sync(), file, byteCount);
      },
      failed: (error) => {
        this.#fail(sync(), `its file cannot be written: ${error.message}`);
      },
    });
  }

  /** Called when all shards have reached the cut of a full sync: later commands of the stream are not part of it. */
  placed(number: number): void {
    const sync = this.#current;
    if (sync?.number !== number) return;
    sync.isPlaced = true;
    if (sync.isAbandoned) {
      this.#endIfWritten(sync);
      return;
    }
    this.#options.began(sync.replicas);
    if (sync.file === undefined) {
      sync.stream.write(Buffer.from(`$EOF:${Buffer.from(sync.mark).toString()}\r\n`));
    }
    new rdb.RdbFileWriter(
      (bytes) => {
        this.#put(sync, { shard: undefined, bytes });
      },
      false,
      this.#options.details(),
    );
    for (const piece of sync.early.splice(0)) sync.order.take(piece);
    this.#endIfWritten(sync);
  }

  /** Takes a piece of a shard: the last is empty, or says why the shard has failed. */
  take(number: number, piece: ShardPiece, isFault: boolean): void {
    const sync = this.#current;
    if (sync?.number !== number) return;
    const { bytes } = piece;
    if (bytes.length === 0 || isFault) {
      sync.shardsLeft -= 1;
      if (isFault) this.#fail(sync, Buffer.from(bytes).toString());
      if (sync.shardsLeft === 0) this.#options.thawed();
      this.#endIfWritten(sync);
      return;
    }
    if (sync.isAbandoned) return;
    if (sync.isPlaced) sync.order.take(piece);
    else sync.early.push(piece);
  }

  /** Puts bytes behind all others. */
  #put(sync: FullSync, piece: SyncPiece): void {
    if (sync.file !== undefined) {
      sync.file.write(piece);
      return;
    }
    const { shard, bytes } = piece;
    sync.stream.write(bytes);
    if (shard === undefined) return;
    sync.charges.push({ end: sync.stream.end, shard, byteCount: bytes.length });
  }

  #fail(sync: FullSync, fault: string): void {
    sync.fault ??= fault;
    for (const replica of [...sync.replicas]) {
      replica.link.close(`full sync failed: ${fault}`);
    }
    this.#abandon(sync);
  }

  #endIfWritten(sync: FullSync): void {
    if (sync.shardsLeft > 0 || !sync.isPlaced) return;
    if (sync.isAbandoned) {
      this.#forget(sync);
      return;
    }
    this.#put(sync, { shard: undefined, bytes: RDB_END });
    if (sync.file === undefined) sync.stream.write(sync.mark);
    else sync.file.end();
  }

  #forget(sync: FullSync): void {
    if (this.#current === sync) this.#current = undefined;
  }

  /** A replica has disconnected. */
  left(replica: Replica): void {
    this.#fileSends.left(replica);
    const sync = this.#current;
    const nth = sync?.replicas.indexOf(replica) ?? -1;
    if (sync === undefined || nth < 0) return;
    sync.offsets.delete(replica);
    sync.replicas.splice(nth, 1);
    if (sync.replicas.length === 0) this.#abandon(sync);
  }

  #abandon(sync: FullSync): void {
    if (sync.isAbandoned) return;
    sync.isAbandoned = true;
    sync.stream.reset(0);
    sync.file?.drop();
    sync.charges.length = 0;
    sync.early = [];
    if (sync.shardsLeft > 0) this.#options.order({ kind: 'abandon', number: sync.number });
    else if (sync.isPlaced) this.#forget(sync);
  }

  /** Gives replicas what their connections take, and the shards room for as much as all have taken. */
  pump(): void {
    this.#fileSends.pump();
    const sync = this.#current;
    if (sync === undefined || !sync.isPlaced || sync.isAbandoned) return;
    if (sync.file !== undefined) return;
    const { stream } = sync;
    let least = stream.end;
    const nowMs = this.#options.nowMs();
    for (const [replica, from] of sync.offsets) {
      const offset = replica.give(stream, from);
      if (offset > from) replica.sync.sentMs = nowMs;
      sync.offsets.set(replica, offset);
      least = Math.min(least, offset);
    }
    stream.trim(least);
    this.#discharge(sync, least);
    if (sync.shardsLeft > 0) return;
    for (const [replica, offset] of [...sync.offsets]) {
      if (offset < stream.end) continue;
      sync.offsets.delete(replica);
      sync.replicas.splice(sync.replicas.indexOf(replica), 1);
      this.#options.sent(replica);
    }
    if (sync.replicas.length > 0) return;
    this.#forget(sync);
    this.#ended('sync-sent', 'Full sync sent', sync, stream.end);
  }

  /** All of it is in a file: that is sent, and the next full synchronisation may begin. */
  #sendFile(sync: FullSync, file: SyncFile, byteCount: number): void {
    this.#forget(sync);
    this.#ended('sync-file', 'Full sync written to its file', sync, byteCount);
    this.#options.sending(sync.replicas);
    this.#fileSends.begin(sync.replicas, file, byteCount);
  }

  #ended(event: string, message: string, sync: FullSync, byteCount: number): void {
    const ms = Math.round(this.#options.nowMs() - sync.beganMs);
    this.#options.log(event, message, { bytes: byteCount, ms });
  }

  #discharge(sync: FullSync, offset: number): void {
    let done = 0;
    while (done < sync.charges.length && sync.charges[done]!.end <= offset) {
      const { shard, byteCount } = sync.charges[done]!;
      sync.used[shard]! += byteCount;
      done += 1;
    }
    if (done === 0) return;
    sync.charges.splice(0, done);
    this.#grant(sync);
  }

  #grant(sync: FullSync): void {
    for (const [shard, byteCount] of sync.used.entries()) {
      if (byteCount < GRANT_BYTES_MIN) continue;
      sync.used[shard] = 0;
      this.#options.grant(shard, sync.number, byteCount);
    }
  }
}
