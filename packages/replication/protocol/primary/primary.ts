/**
 * This server as a primary: the replication stream with its backlog, and the replicas that follow it.
 *
 * Replication is off until the first replica connects: shards send no feed. It is off again when there was no replica for as
 * long as the backlog is kept.
 *
 * Large because the stream has one owner in both roles: connections of replicas, shards, the turn of main and a stream
 * that is followed all change it, and each has its members here.
 */

import type { Bytes } from '#base';
import type { FollowedStream, PrimaryOptions, StreamPlace } from './primary-options.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { FeedReader } from './feed-reader.ts';
import { FullSyncs } from './full-syncs.ts';
import { Figures } from './figures.ts';
import type { ShardPiece } from './piece-order.ts';
import { Replica, type ReplicaLink } from './replica.ts';
import { countGood, isDue, isTimedOut, wantsFile, wantsSame } from './replica-rules.ts';
import { ReplicationStream, type StreamView } from './replication-stream.ts';
import { Stamps } from '../stamps.ts';
import { counterOf, isRefusal, reasonFor, wordsOf, type SyncReason } from './sync-reasons.ts';

const LF = Buffer.from('\n');
/** Most bytes of the backlog that are kept over a restart. */
const TAIL_BYTES_MAX = 64 * 1024 * 1024;
/** Place without a past, of a stream that is known by its id and offset alone. */
const NO_PAST = { secondId: '0'.repeat(40), secondOffset: -1, tail: new Uint8Array(0) };

export class Primary {
  /** Figures of how far replicas are behind. */
  readonly figures: Figures;
  readonly acks: Acknowledgements;
  readonly #options: PrimaryOptions;
  readonly #stream = new ReplicationStream();
  /** Timestamps in the stream, also those of a stream that is followed. */
  readonly stamps = new Stamps();
  readonly #syncs: FullSyncs;
  readonly #replicas = new Set<Replica>();
  #reader: FeedReader;
  /** Number of the last cut that shards were requested to mark. */
  #cuts = 0;
  /** True while shards send their feed. */
  #hasFeed = false;
  /** Stream that is followed instead of being made; undefined on a primary, and while there is no link. */
  #followed: FollowedStream | undefined;
  /** True while this server is a replica itself. */
  #isFollowing = false;
  /** Offset of the full synchronisation under way, where a stream is followed. */
  #cutOffset = 0;
  #pingedMs: number;
  /** Since when there has been no replica. */
  #idleSinceMs = 0;
  /** Since when replicas wait for a full synchronisation. */
  #waitingSinceMs = 0;
  /** True while no PINGs may be added to the stream. */
  holdsPings = false;

  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#pingedMs = options.nowMs();
    this.figures = new Figures(this, this.stamps, options);
    this.acks = new Acknowledgements(this.#replicas, options, this.stamps);
    this.#reader = this.#newReader();
    this.#syncs = new FullSyncs({
      ...options,
      details: () => [
        ...options.details(),
        ['repl-stream-db', String(this.#followed?.database ?? 0)],
        ['repl-id', this.#stream.id],
        ['repl-offset', String(this.#syncOffset)],
      ],
      began: (replicas) => {
        for (const replica of replicas) this.#announceFullSync(replica);
      },
      sending: (replicas) => {
        for (const replica of replicas) this.#sendsFile(replica);
      },
      sent: (replica) => {
        this.#synced(replica);
      },
      log: (event, message, fields) => {
        options.log('info', event, message, fields);
      },
    });
  }

  #newReader(beginsTogether = true): FeedReader {
    const start = { cut: this.#cuts, beginsTogether };
    return new FeedReader(this.#options.shards, start, {
      unit: (commands, isOne) => {
        // The bytes of a followed stream are passed on unchanged.
        if (this.#isFollowing) return;
        this.#stream.write(commands, isOne);
        this.stamps.hasChanged = true;
      },
      cut: (number) => {
        // A replica that begins here has no database selected.
        this.#stream.forgetDatabase();
        this.#syncs.placed(number);
        if (this.#isFollowing) this.#options.order({ kind: 'end' });
      },
      caused: this.#options.caused,
    });
  }

  /** The stream's ids and offset. */
  get stream(): StreamView {
    return this.#stream;
  }

  /** Bytes of the stream so far. */
  get offset(): number {
    return this.#stream.offset;
  }

  /** True while there is a backlog. */
  get isActive(): boolean {
    return this.#hasFeed;
  }

  /** First byte of the backlog, as Redis counts; 0 without a backlog. */
  get backlogBegin(): number {
    return this.#hasFeed ? this.#backlogFrom + 1 : 0;
  }

  /** Bytes of the backlog. */
  get backlogUsed(): number {
    return this.#hasFeed ? this.#stream.offset - this.#backlogFrom : 0;
  }

  /** Bytes that the stream has grown by since the start. */
  get streamBytes(): number {
    return this.#stream.bytes.written;
  }

  /** Bytes kept for replicas, in the backlog and beyond it, and of full synchronisations. */
  get memoryBytes(): number {
    return this.#stream.bytes.byteCount + this.#syncs.heldBytes;
  }

  get #backlogFrom(): number {
    return Math.max(
      this.#stream.bytes.begin,
      this.#stream.offset - this.#options.settings.backlogBytes,
    );
  }

  /** Replicas that have asked to be synchronised. */
  get replicas(): readonly Replica[] {
    return this.#followers.filter(({ slotLink }) => slotLink === undefined);
  }

  /** Replicas, including nodes that take slots over. */
  get #followers(): readonly Replica[] {
    return [...this.#replicas].filter(({ state }) => state !== 'handshake');
  }

  /** The node that takes the slots of a move over; undefined while it does not follow this server. */
  takerOf(migration: string): Replica | undefined {
    return this.#followers.find(({ slotLink }) => slotLink?.id === migration);
  }

  /** Replicas that follow the stream and have acknowledged lately. */
  get goodReplicas(): number {
    const { maxLagSecs } = this.#options.settings;
    return countGood(this.#replicas, this.#options.nowMs(), maxLagSecs);
  }

  /** True when there are fewer good replicas than writes need. */
  get lacksReplicas(): boolean {
    const { minReplicas, maxLagSecs } = this.#options.settings;
    if (minReplicas === 0 || maxLagSecs === 0 || this.#isFollowing) return false;
    return this.goodReplicas < minReplicas;
  }

  /** Bytes that are kept for a replica, and that its connection has not been given. */
  heldFor(replica: Replica): number {
    return replica.holdsStream ? this.#stream.offset - replica.offset : 0;
  }

  /** A connection declares itself as a replica's. */
  connect(link: ReplicaLink): Replica {
    const replica = new Replica(link, this.#options.nowMs(), this.#options.events);
    this.#replicas.add(replica);
    return replica;
  }

  /** The connection of a replica has closed. */
  left(replica: Replica): void {
    if (!this.#replicas.delete(replica)) return;
    this.#syncs.left(replica);
    if (replica.state === 'handshake') {
      replica.isGone = true;
    } else {
      replica.leave();
      const fields = { addr: replica.link.address, state: replica.state };
      this.#options.log('warn', 'replica-left', 'Replica disconnected', fields);
    }
    if (this.#followers.length === 0) this.#idleSinceMs = this.#options.nowMs();
    this.#trim();
  }

  /**
   * Handles a replica's request to resume the stream of an id at an offset. Returns the line to reply immediately, or
   * undefined if a full sync is required first.
   */
  resume(replica: Replica, id: string, offset: number): string | undefined {
    const from = offset - 1;
    const reason = reasonFor(replica.announced, id, from, this);
    if (reason !== undefined) {
      if (isRefusal(reason)) {
        this.#options.count('partialSyncsRefused');
        const message = `Partial resync refused: ${wordsOf(reason)}`;
        const fields = { addr: replica.link.address, offset, reason };
        this.#options.log('info', 'partial-sync-refused', message, fields);
      }
      this.requestFull(replica, reason);
      return undefined;
    }
    this.#options.count('partialSyncs');
    replica.offset = from;
    replica.ack.ms = this.#options.nowMs();
    replica.enter('online', 'continued from the backlog', this.#options.nowMs());
    this.figures.show();
    const fields = { addr: replica.link.address, bytes: this.#stream.offset - from };
    this.#options.log('info', 'partial-sync', 'Replica resumed from the backlog', fields);
    this.#options.wake();
    return replica.announced.hasPsync2 ? `CONTINUE ${this.#stream.id}` : 'CONTINUE';
  }

  /** Stream offset of a full sync whose cut all shards have reached. */
  get #syncOffset(): number {
    return this.#isFollowing ? this.#cutOffset : this.#stream.offset;
  }

  /** A replica needs a full synchronisation. */
  requestFull(replica: Replica, reason: SyncReason): void {
    this.#options.count('fullSyncs');
    this.#options.count(counterOf(reason));
    const nowMs = this.#options.nowMs();
    replica.sync.reason = reason;
    replica.sync.askedMs = nowMs;
    replica.sync.askedBytes = replica.link.sentBytes;
    if (!this.#hasFeed && !this.#isFollowing) {
      // What was before is in no backlog: the stream is another.
      this.#stream.restart();
    }
    if (this.#waiting.length === 0) this.#waitingSinceMs = nowMs;
    replica.sync.hasMark = true;
    replica.enter('wait_bgsave', `waits for a full sync: ${wordsOf(reason)}`, nowMs);
    this.#options.events.replicaSyncBegun(replica, reason);
    this.#options.log('info', 'full-sync-asked', 'Full resync requested by a replica', {
      addr: replica.link.address,
      reason,
    });
    this.#beginSync();
  }

  get #waiting(): readonly Replica[] {
    return [...this.#replicas].filter(
      ({ state, sync }) => state === 'wait_bgsave' && !sync.awaitsFile,
    );
  }

  /** Begins a full synchronisation, when it is time. */
  #beginSync(): void {
    const waiting = this.#waiting;
    const [first] = waiting;
    if (first === undefined || !this.#syncs.mayBegin) return;
    const isDiskless = this.#options.isDiskless();
    const isInFile = wantsFile(first, isDiskless);
    const waitedMs = this.#options.nowMs() - this.#waitingSinceMs;
    if (!isInFile && !isDue(waiting, waitedMs, this.#options.settings)) return;
    if (this.#isFollowing && this.#followed?.mayCut !== true) return;
    const together = waiting.filter((replica) => wantsSame(first, replica, isDiskless));
    this.#options.frozen();
    this.#cuts += 1;
    this.#cutOffset = this.#stream.offset;
    if (!this.#hasFeed || this.#isFollowing) this.#begin(true);
    this.#syncs.begin(this.#cuts, together, first.announced.filter, isInFile);
    const nowMs = this.#options.nowMs();
    for (const replica of together) {
      replica.sync.awaitsFile = isInFile;
      if (isInFile) replica.enter('wait_bgsave', 'waits for the file of the full sync', nowMs);
      else replica.enter('send_bulk', 'receives a full sync', nowMs);
      // A lower bound: the exact offset is known once all shards have reached the cut.
      replica.offset = this.#stream.offset;
    }
    this.#waitingSinceMs = nowMs;
    this.#options.wake();
  }

  #sendsFile(replica: Replica): void {
    replica.sync.awaitsFile = false;
    replica.sync.hasMark = false;
    replica.enter('send_bulk', 'receives a full sync', this.#options.nowMs());
  }

  /** Starts the feed of the shards at the latest cut. */
  #begin(beginsTogether: boolean): void {
    this.#hasFeed = true;
    this.#reader = this.#newReader(beginsTogether);
    this.#stream.forgetDatabase();
  }

  #announceFullSync(replica: Replica): void {
    replica.offset = this.#syncOffset;
    replica.ack.offset = 0;
    replica.sync.sentMs = this.#options.nowMs();
    if (replica.isOld) return;
    replica.link.send(Buffer.from(`+FULLRESYNC ${this.#stream.id} ${replica.offset}\r\n`));
  }

  #synced(replica: Replica): void {
    const nowMs = this.#options.nowMs();
    replica.ack.ms = nowMs;
    // Without an end mark it knows where the data end.
    replica.ack.isAwaited = replica.sync.hasMark;
    replica.enter('online', 'full sync finished', nowMs);
    this.#options.events.replicaSyncEnded(replica);
    this.figures.show();
    const fields = { addr: replica.link.address };
    this.#options.log('info', 'replica-synced', 'Full resync of a replica finished', fields);
  }

  /** True while a replica lacks something, or something is still to be put into the stream. */
  get lacksAcks(): boolean {
    return this.acks.lack(this.#stream.offset) || !this.isSettled;
  }

  /** Takes a body of a shard's feed. */
  takeFeed(shard: number, body: Bytes): void {
    if (this.#hasFeed) this.#reader.take(shard, body);
  }

  /** Takes a piece of a full synchronisation. */
  synced(number: number, piece: ShardPiece, isFault: boolean): void {
    this.#syncs.take(number, piece, isFault);
  }

  /** Appends a command of main to the stream; it belongs to no database in particular. */
  append(words: readonly (string | Bytes)[]): void {
    if (this.#hasFeed && !this.#isFollowing) this.#stream.append(words);
  }

  /** Gives replicas what there is for them; to be called at the end of each turn. */
  pump(): void {
    if (this.#replicas.size === 0) return;
    this.acks.look();
    this.stamps.put(this, this.#options.nowMs());
    // After everything to acknowledge: an earlier GETACK would get a too small offset, and no other reply for a second.
    if (this.acks.takeAsked(this.isSettled)) this.append(['REPLCONF', 'GETACK', '*']);
    this.#syncs.pump();
    for (const replica of this.#replicas) {
      if (replica.announced.isRdbOnly && replica.state === 'online') {
        if (replica.link.pendingBytes === 0) replica.link.close('it requested the data only');
      } else if (replica.isStreaming) {
        replica.offset = replica.give(this.#stream.bytes, replica.offset);
      }
    }
    this.#trim();
  }

  /** True when there is something to give to a connection that takes more. */
  get hasWork(): boolean {
    if (this.#replicas.size === 0) return false;
    if (this.#syncs.hasWork) return true;
    for (const { isStreaming, hasRoom, offset } of this.#replicas) {
      if (isStreaming && hasRoom && offset < this.#stream.offset) return true;
    }
    return false;
  }

  /** Forgets what neither the backlog nor a replica needs. */
  #trim(): void {
    let least = this.#stream.offset - this.#options.settings.backlogBytes;
    for (const replica of this.#replicas) {
      if (replica.holdsStream) least = Math.min(least, replica.offset);
    }
    if (least > this.#stream.bytes.begin) this.#stream.bytes.trim(least);
  }

  /** Looks at times: a few times a second. */
  tick(): void {
    this.figures.showRefusals();
    if (!this.#hasFeed && this.#replicas.size === 0) return;
    const nowMs = this.#options.nowMs();
    this.figures.show();
    const { pingPeriodSecs, timeoutSecs, backlogTtlSecs } = this.#options.settings;
    this.#beginSync();
    if (nowMs - this.#pingedMs >= pingPeriodSecs * 1_000) {
      this.#pingedMs = nowMs;
      this.#ping();
    }
    for (const replica of [...this.#replicas]) {
      if (isTimedOut(replica, nowMs, timeoutSecs * 1_000)) {
        replica.link.close('no acknowledgement or progress within repl-timeout');
      }
    }
    const isIdle =
      this.#hasFeed && !this.#isFollowing && this.#followers.length === 0 && backlogTtlSecs > 0;
    if (isIdle && nowMs - this.#idleSinceMs >= backlogTtlSecs * 1_000) this.#end();
    else this.#trim();
  }

  #ping(): void {
    const isAnyOnline = [...this.#replicas].some(({ holdsStream }) => holdsStream);
    if (isAnyOnline && !this.holdsPings) this.append(['PING']);
    // Who waits for a synchronisation sees that the link is there. Of who follows, each byte is one of the stream.
    for (const { link, state } of this.#replicas) if (state === 'wait_bgsave') link.send(LF);
    this.#options.wake();
  }

  /** Frees the backlog when no replica has connected for its lifetime. */
  #end(): void {
    this.#hasFeed = false;
    this.#options.order({ kind: 'end' });
    this.#stream.bytes.reset(this.#stream.offset);
    this.figures.forget();
    this.#options.log('info', 'backlog-freed', 'Backlog freed: no replica connected', {});
  }

  /** Units of shards on their way into the stream: those that wait for others'. */
  get units(): Pick<FeedReader, 'waiting' | 'arrivals' | 'hasHandedOn'> {
    return this.#reader;
  }

  /** True when all received feeds are in the stream: no unit waits for another. */
  get isSettled(): boolean {
    return this.#reader.isSettled;
  }

  /**
   * Continues as a primary the stream that the server has followed as a replica, with its id and offset: replicas of
   * that stream can resume.
   */
  promote(id: string, offset: number): void {
    // Its own stream may be incomplete: pending feeds of shards are part of it.
    const hasFeedStill = this.#hasFeed && !this.#isFollowing;
    this.#isFollowing = false;
    this.#followed = undefined;
    this.#stream.goOn(id, offset);
    this.acks.highest = -1;
    if (!hasFeedStill) {
      this.#cuts += 1;
      // Confirmed writes enter the stream at once, even if another shard is delayed.
      this.#begin(false);
      this.#options.order({ kind: 'begin', number: this.#cuts });
    }
    this.#idleSinceMs = this.#options.nowMs();
    // They receive the id when they reconnect, and resume at their offset.
    this.#close('the replication id changed');
  }

  /** Current position of the data in the stream; undefined if there is no replication. */
  get place(): StreamPlace | undefined {
    if (!this.#hasFeed || this.#isFollowing || !this.isSettled) return undefined;
    return this.#placeAt(this.#stream.offset, this.#stream.database);
  }

  /** Position in a followed stream, which is applied up to there. */
  placeOf(id: string, offset: number, database: number): StreamPlace {
    const isHere =
      id === this.#stream.id && offset >= this.#backlogFrom && offset <= this.#stream.offset;
    return isHere ? this.#placeAt(offset, database) : { id, offset, database, ...NO_PAST };
  }

  #placeAt(offset: number, database: number): StreamPlace {
    const from = Math.max(this.#backlogFrom, offset - TAIL_BYTES_MAX);
    return this.#stream.placeAt(offset, database, from);
  }

  /** Resumes at a saved position before any command runs: as the replica of a server, or as a primary. */
  restore(place: StreamPlace, isReplica: boolean): void {
    this.#stream.restore(place);
    if (isReplica) this.#isFollowing = true;
    else this.promote(place.id, place.offset);
  }

  /** This server is a replica from now on: it makes no stream. */
  demote(): void {
    if (this.#hasFeed && !this.#isFollowing) this.#options.order({ kind: 'end' });
    this.#isFollowing = true;
    this.#followed = undefined;
    this.#hasFeed = false;
    // Replicas with all data may resume with the stream of the next primary.
    this.#close('this server became a replica', ({ state }) => state !== 'online');
  }

  /** Follows a stream from an offset on, and hands it on to replicas of this server. */
  follow(id: string, offset: number, followed: FollowedStream): void {
    if (id !== this.#stream.id || offset !== this.#stream.offset) {
      this.#close('this server follows another stream');
    }
    this.#stream.become(id, offset);
    this.#followed = followed;
    this.#isFollowing = true;
    this.#hasFeed = true;
  }

  /** The stream that is followed goes by another id. */
  renamed(id: string): void {
    if (id === this.#stream.id) return;
    this.#stream.rename(id);
    // They receive the id when they reconnect, and resume at their offset.
    this.#close('the replication id changed');
  }

  /** Called when the followed stream is interrupted. */
  unfollow(): void {
    this.#followed = undefined;
  }

  /** Hands on bytes of the stream that is followed. */
  relay(bytes: Bytes): void {
    if (!this.#isFollowing || !this.#hasFeed) return;
    this.#stream.bytes.write(bytes);
  }

  /** All that was taken of the stream has been handed on. */
  relayed(): void {
    if (this.#replicas.size === 0) {
      this.#trim();
      return;
    }
    this.#beginSync();
    this.#options.wake();
  }

  #close(reason: string, which: (replica: Replica) => boolean = () => true): void {
    // One that has not asked for anything yet misses nothing.
    for (const replica of this.#followers) if (which(replica)) replica.link.close(reason);
  }
}
