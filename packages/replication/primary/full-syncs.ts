/**
 * Full synchronisations: all keys as they were at one place of the order, sent to several replicas at once while the shards
 * write them. The shards write no more than the slowest replica takes.
 */

import { randomBytes } from 'node:crypto';
import type { Bytes, LogFields } from '#base';
import type { FeedOrder } from '#link';
import { rdb } from '#store';
import type { Replica, SyncFilter } from './replica.ts';
import { Stream } from './stream.ts';

/** Bytes that each shard may have on their way. */
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
  facts(): readonly (readonly [string, string])[];
  nowMs(): number;
  /** The place of a full synchronisation in the stream is known: its replicas are told. */
  began(replicas: readonly Replica[]): void;
  /** Keys are frozen no more. */
  thawed(): void;
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
  readonly filter: SyncFilter;
  readonly replicas: Replica[];
  readonly offsets: Map<Replica, number>;
  readonly stream: Stream;
  readonly mark: Bytes;
  readonly charges: Charge[];
  readonly used: number[];
  readonly beganMs: number;
  shardsLeft: number;
  /** All shards have come to its place in the order. */
  isPlaced: boolean;
  /** Nobody wants it any more, but the shards have not ended. */
  isAbandoned: boolean;
  fault: string | undefined;
}

export class FullSyncs {
  readonly #options: FullSyncsOptions;
  #current: FullSync | undefined;

  constructor(options: FullSyncsOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#current !== undefined;
  }

  /** Bytes that are kept for replicas which have not taken them. */
  get heldBytes(): number {
    return this.#current?.stream.byteCount ?? 0;
  }

  /** True when none is under way, and one can begin. */
  get mayBegin(): boolean {
    return !this.isActive && this.#options.mayFreeze();
  }

  /** True when there is something to give to a connection that takes more. */
  get hasWork(): boolean {
    const sync = this.#current;
    if (sync === undefined || !sync.isPlaced || sync.isAbandoned) return false;
    for (const [replica, offset] of sync.offsets) {
      if (offset < sync.stream.end && replica.hasRoom) return true;
    }
    return false;
  }

  /** Begins one, under a number of its own, for replicas that want the same. */
  begin(number: number, replicas: readonly Replica[], filter: SyncFilter): void {
    const { shards } = this.#options;
    const mark = Buffer.from(randomBytes(MARK_BYTES).toString('hex'));
    this.#current = {
      number,
      filter,
      replicas: [...replicas],
      offsets: new Map(replicas.map((replica) => [replica, 0])),
      stream: new Stream(),
      mark,
      charges: [],
      used: Array.from({ length: shards }, () => 0),
      beganMs: this.#options.nowMs(),
      shardsLeft: shards,
      isPlaced: false,
      isAbandoned: false,
      fault: undefined,
    };
    this.#options.order({ kind: 'cut', number, credit: CREDIT_BYTES, filter });
  }

  /** All shards have come to the place of a full synchronisation: what follows in the stream is not in it. */
  placed(number: number): void {
    const sync = this.#current;
    if (sync?.number !== number) return;
    sync.isPlaced = true;
    if (sync.isAbandoned) {
      this.#endIfWritten(sync);
      return;
    }
    this.#options.began(sync.replicas);
    const { stream } = sync;
    // What shards have sent already stands behind the head.
    const early: Bytes[] = [];
    for (let at = stream.begin; at < stream.end;) {
      const piece = stream.from(at);
      early.push(piece.slice());
      at += piece.length;
    }
    stream.reset(0);
    stream.write(Buffer.from(`$EOF:${Buffer.from(sync.mark).toString()}\r\n`));
    new rdb.RdbFileWriter(
      (bytes) => {
        stream.write(bytes);
      },
      false,
      this.#options.facts(),
    );
    const headBytes = stream.end;
    for (const piece of early) stream.write(piece);
    for (const [nth, charge] of sync.charges.entries()) {
      sync.charges[nth] = { ...charge, end: charge.end + headBytes };
    }
    this.#endIfWritten(sync);
  }

  /** Takes a piece of a shard: the last is empty, or says why the shard has failed. */
  take(shard: number, number: number, body: Bytes, isFault: boolean): void {
    const sync = this.#current;
    if (sync?.number !== number) return;
    if (body.length === 0 || isFault) {
      sync.shardsLeft -= 1;
      if (isFault) this.#fail(sync, Buffer.from(body).toString());
      if (sync.shardsLeft === 0) this.#options.thawed();
      this.#endIfWritten(sync);
      return;
    }
    if (sync.isAbandoned) return;
    sync.stream.write(body);
    sync.charges.push({ end: sync.stream.end, shard, byteCount: body.length });
  }

  #fail(sync: FullSync, fault: string): void {
    sync.fault ??= fault;
    for (const replica of [...sync.replicas]) {
      replica.link.close(`the full synchronisation has failed: ${fault}`);
    }
    this.#abandon(sync);
  }

  #endIfWritten(sync: FullSync): void {
    if (sync.shardsLeft > 0 || !sync.isPlaced) return;
    if (sync.isAbandoned) {
      this.#current = undefined;
      return;
    }
    sync.stream.write(RDB_END);
    sync.stream.write(sync.mark);
  }

  /** A replica is gone. */
  left(replica: Replica): void {
    const sync = this.#current;
    if (sync?.offsets.delete(replica) !== true) return;
    sync.replicas.splice(sync.replicas.indexOf(replica), 1);
    if (sync.replicas.length === 0) this.#abandon(sync);
  }

  #abandon(sync: FullSync): void {
    if (sync.isAbandoned) return;
    sync.isAbandoned = true;
    sync.stream.reset(0);
    sync.charges.length = 0;
    if (sync.shardsLeft > 0) this.#options.order({ kind: 'abandon', number: sync.number });
    else if (sync.isPlaced) this.#current = undefined;
  }

  /** Gives replicas what their connections take, and the shards room for as much as all have taken. */
  pump(): void {
    const sync = this.#current;
    if (sync === undefined || !sync.isPlaced || sync.isAbandoned) return;
    const { stream } = sync;
    let least = stream.end;
    const nowMs = this.#options.nowMs();
    for (const [replica, from] of sync.offsets) {
      const offset = replica.give(stream, from);
      if (offset > from) replica.sentMs = nowMs;
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
    this.#current = undefined;
    this.#options.log('sync-sent', 'A full synchronisation has been sent.', {
      bytes: stream.end,
      ms: Math.round(nowMs - sync.beganMs),
    });
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
    for (const [shard, byteCount] of sync.used.entries()) {
      if (byteCount < GRANT_BYTES_MIN) continue;
      sync.used[shard] = 0;
      this.#options.grant(shard, sync.number, byteCount);
    }
  }
}
