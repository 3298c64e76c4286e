/**
 * This server as the replica of another: its link, the data that come over it, and the stream behind them.
 *
 * Large because it has the members that the link to the primary calls, one for each step of a synchronisation, and
 * those that INFO and the events show.
 */

import type { Bytes, Clock, Logger } from '#base';
import type { Settings } from '#config';
import { FrameKind } from '#link';
import type { ConnectionConfig } from '#net';
import { commandBytes } from '#resp';
import { emptyHead, type Router } from '#router';
import type { Page } from '#stats';
import { rdb } from '#store';
import type { Primary } from './protocol/primary/primary.ts';
import { type Follower, type LinkState, PrimaryLink } from './protocol/replica/primary-link.ts';
import type { PrimaryPast, StreamPosition } from './protocol/replica/primary-past.ts';
import type { Clients } from '#clients';
import type { PersistenceSwitch } from '#durability';
import type { ReplicationEvents } from './replication-events.ts';
import { announcedDetails } from './announced-facts.ts';
import { connectToPrimary } from './connect-to-primary.ts';
import type { DiscardedWrites } from './discards/discarded-writes.ts';
import type { Failover } from './failover.ts';
import { commandAt } from './failed-command.ts';
import { FullSync } from './full-sync.ts';
import { PrimaryStream } from './primary-stream.ts';
import { StreamFaults } from './stream-faults.ts';
import { progressFields, type SyncProgress } from './sync-progress.ts';

/** Between two lines of the log about data that are coming. */
const PROGRESS_MS = 5_000;

export interface ReplicaSideOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly shardCount: number;
  readonly persistence: PersistenceSwitch;
  readonly page: Page;
  readonly events: ReplicationEvents;
  readonly log: Logger;
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  /** Id of this node in its cluster; empty outside of one. */
  nodeId(): string;
  /** Resolves with the position to resume from, once all earlier data is applied. */
  readonly before: Promise<Reached>;
  /** Handing over of the primary's role to the server that is followed, if that is under way. */
  readonly failover: Pick<Failover, 'isAsking' | 'answered'>;
  /** This server towards its own replicas, which get the stream as it comes. */
  readonly primary: Primary;
  /** Writes of this server as a primary, which are lost with its data. */
  readonly discards: Pick<DiscardedWrites, 'mayBe' | 'take'>;
  /** Calls back when all that was done so far is on disk. */
  onDisk(done: () => void): void;
  /** Publishes frames to the shards that were sent outside of a turn. */
  beginTurn(): void;
}

/** Place that is reached in a stream; undefined where all data are needed. */
export interface Reached {
  readonly position: StreamPosition | undefined;
  /** Database that is selected there. */
  readonly database: number;
}

/** Lag of the link as the last timestamp of the primary has it, by the clocks of both. */
interface LinkLag {
  readonly ms: number;
  /** Unix milliseconds at which that was. */
  readonly atMs: number;
}

export class ReplicaSide implements Follower {
  readonly #options: ReplicaSideOptions;
  readonly #link: PrimaryLink;
  readonly #faults: StreamFaults;
  /** Place that is reached while there is no stream. */
  #position: StreamPosition | undefined;
  #database = 0;
  #stream: PrimaryStream | undefined;
  #sync: FullSync | undefined;
  #progressMs = 0;
  /** Offset up to which the stream is known to be on disk. */
  #diskOffset = 0;
  /** Settles when what the last link has brought is applied. */
  #settling: Promise<void> = Promise.resolve();
  /** Since when there has been no link, in Unix milliseconds. */
  downSinceMs: number;
  /** Time from the last timestamp of the primary until it was applied; undefined where there was none. */
  #lag: LinkLag | undefined;
  /** Number of streams of the primary that have started: from the first on the data is the primary's. */
  streamsBegun = 0;
  /** History of the primary's stream, as reported before its data. */
  #past: PrimaryPast | undefined;
  #hasStarted = false;
  #hasStopped = false;

  constructor(options: ReplicaSideOptions) {
    const { settings, log, clock, host, port } = options;
    this.#options = options;
    this.downSinceMs = clock.wallMs();
    this.#faults = new StreamFaults(options);
    this.#link = new PrimaryLink({
      host,
      port,
      connect: (linkHost, linkPort) => connectToPrimary(settings, linkHost, linkPort),
      follower: this,
      isHandingOver: () => options.failover.isAsking,
      answered: (isAccepted) => {
        options.failover.answered(isAccepted);
      },
      announced: () => ({ ...announcedDetails(settings, log), nodeId: options.nodeId() }),
      timeoutMs: () => 1_000 * settings.number('replication.timeout-secs'),
      nowMs: () => clock.wallMs(),
      changed: (state, reason) => {
        this.#changed(state, reason);
      },
      received: (byteCount) => {
        options.page.add('replicationInputBytes', byteCount);
      },
      log,
    });
  }

  get host(): string {
    return this.#options.host;
  }

  get port(): number {
    return this.#options.port;
  }

  get state(): LinkState {
    return this.#link.state;
  }

  get isUp(): boolean {
    return this.#link.state === 'connected';
  }

  get link(): Pick<
    PrimaryLink,
    'stateSinceMs' | 'stateReason' | 'lastFailure' | 'bytesReceived' | 'silentMs'
  > {
    return this.#link;
  }

  /**
   * Lag by the timestamps of the primary, or the wait of received commands that are not applied, if that is longer;
   * undefined if unknown, and without a link.
   */
  get lag(): LinkLag | undefined {
    if (!this.isUp) return undefined;
    const { ms } = this.unapplied;
    if (ms <= (this.#lag?.ms ?? 0)) return this.#lag;
    return { ms: Math.round(ms), atMs: this.#options.clock.wallMs() };
  }

  /** Offset after all received bytes of the stream; -1 if no stream is known. */
  get readOffset(): number {
    return this.#stream?.cameTo ?? this.#position?.offset ?? -1;
  }

  /** Number of received bytes of the stream that are not applied, and the wait of the oldest in milliseconds. */
  get unapplied(): { readonly bytes: number; readonly ms: number } {
    const stream = this.#stream;
    if (stream === undefined) return { bytes: 0, ms: 0 };
    return { bytes: stream.cameTo - stream.position.offset, ms: stream.waitedMs };
  }

  get #peer(): string {
    return `${this.host}:${this.port}`;
  }

  #changed(state: LinkState, reason: string): void {
    this.#options.events.primaryChanged(this.#peer, state, reason);
    this.#show();
  }

  /** Commands of the stream that could not be run. */
  get faults(): Pick<StreamFaults, 'differs' | 'last'> {
    return this.#faults;
  }

  /** Data that are coming; undefined while none are. */
  get sync(): SyncProgress | undefined {
    return this.#sync;
  }

  start(): void {
    const { log, host, port } = this.#options;
    this.#publishRole();
    this.#show();
    log.info('replica-of', 'Replication started: the server is a replica', { host, port });
    void this.#options.before.then(({ position, database }) => {
      if (this.#hasStopped) return;
      this.#position = position;
      this.#database = database;
      this.#hasStarted = true;
      this.#link.start();
    });
  }

  /** Ends the link; resolves when all accepted commands of it are applied. */
  async stop(): Promise<Reached> {
    this.#hasStopped = true;
    this.#link.stop();
    this.#options.events.primaryChanged(this.#peer, 'ended', 'the server no longer follows it');
    this.#endSync(this.#options.events);
    this.#endStream();
    // One that has not begun yet has nothing of its own.
    const before = this.#hasStarted ? undefined : await this.#options.before;
    await this.#settling;
    return before ?? { position: this.#position, database: this.#database };
  }

  /** Place up to which commands of the primary were taken: they are before all that comes now. */
  get taken(): StreamPosition | undefined {
    return this.#stream?.taken ?? this.#position;
  }

  /** Looks at the link, once a second. */
  tick(): void {
    const { clock, log } = this.#options;
    const nowMs = clock.wallMs();
    const isHeld = this.state === 'connect' && this.#faults.isWaiting;
    if (this.#hasStarted && !isHeld) this.#link.tick();
    // A script that was busy may have ended.
    this.#stream?.goOn();
    this.#awaitDisk();
    this.#show();
    this.#faults.tick();
    const sync = this.#sync;
    if (sync === undefined || nowMs - this.#progressMs < PROGRESS_MS) return;
    this.#progressMs = nowMs;
    const fields = progressFields(sync, nowMs);
    log.info('replica-sync-progress', 'Receiving the full resync', fields);
  }

  /** Shows on the page how the link stands. */
  #show(): void {
    const { page } = this.#options;
    page.set('primaryLinkUp', Number(this.isUp));
    page.set('primaryLinkDownSinceMs', this.isUp ? 0 : this.downSinceMs);
    page.set('primaryLagUs', Math.round(1_000 * (this.lag?.ms ?? 0)));
    const { bytes, ms } = this.unapplied;
    page.set('primaryUnappliedBytes', bytes);
    page.set('primaryUnappliedUs', Math.round(1_000 * ms));
    page.set('syncInProgress', Number(this.#sync !== undefined));
    page.set('syncKeys', this.#sync?.keys ?? 0);
    page.set('syncBytes', this.#sync?.receivedBytes ?? 0);
    page.set('syncTotalBytes', this.#sync?.totalBytes ?? 0);
  }

  #publishRole(): void {
    const { router } = this.#options;
    router.broadcast({ kind: 'role', isReplica: true, primary: this.#stream?.client.slot });
    this.#options.beginTurn();
  }

  // As follower of the link.

  get position(): StreamPosition | undefined {
    return this.#stream?.position ?? this.#position;
  }

  get diskOffset(): number | undefined {
    return this.#options.persistence.durability === undefined ? undefined : this.#diskOffset;
  }

  /** Reports to the primary when applied data is on disk as well. */
  #awaitDisk(): void {
    const { persistence } = this.#options;
    const stream = this.#stream;
    if (stream === undefined || persistence.durability === undefined) return;
    const { offset } = stream.position;
    if (offset <= this.#diskOffset) return;
    this.#options.onDisk(() => {
      // What was on disk of another stream says nothing of this one.
      if (stream !== this.#stream || offset <= this.#diskOffset) return;
      this.#diskOffset = offset;
      this.#link.acknowledge();
    });
  }

  /** The first data of a primary may lack what this server has: later ones replace data of the same. */
  get mayRequestPast(): boolean {
    return this.streamsBegun === 0 && this.#options.discards.mayBe;
  }

  takePast(past: PrimaryPast | undefined): void {
    this.#past = past;
  }

  settled(): Promise<void> {
    return this.#settling;
  }

  beginSync(position: StreamPosition, totalBytes: number | undefined): void {
    const { router, shardCount, clock, log, host, port } = this.#options;
    log.info('replica-sync', 'Full resync required', { host, port });
    this.#progressMs = clock.wallMs();
    this.#options.events.ownSyncBegun();
    this.#sync = new FullSync({
      shardCalls: router.shardCalls,
      shardCount,
      position,
      totalBytes,
      startedMs: clock.wallMs(),
      resume: () => {
        this.#link.resume();
      },
      skipped: (names, count) => {
        const message = `Skipped ${count} empty keys of the primary's data: ${names.join(', ')}`;
        if (names.length > 0) log.info('empty-keys-skipped', message, { count });
      },
      failed: (reason) => {
        this.#link.fail(reason);
      },
    });
    this.#show();
  }

  takeData(piece: Bytes): boolean {
    return this.#sync?.take(piece, this.#options.clock.wallMs()) ?? true;
  }

  async endSync(): Promise<void> {
    const sync = this.#sync;
    if (sync === undefined) return;
    await sync.ended();
    const { persistence, clock, log, page, events } = this.#options;
    // Until the new data are on disk as a whole, the old ones are what is there.
    if (this.streamsBegun === 0 && sync === this.#sync) {
      const past = this.#past?.id === sync.position.id ? this.#past : undefined;
      await this.#options.discards.take(past, this.#peer);
    }
    const isKept = await persistence.suspend();
    const isWanted = sync === this.#sync;
    if (isWanted) this.#adopt(sync);
    if (isKept) void persistence.resume();
    if (!isWanted) return;
    const { keys, receivedBytes: bytes } = sync;
    const ms = Math.max(0, Math.round(clock.wallMs() - sync.startedMs));
    const fields = { keys, bytes, ms };
    page.add('primaryFullSyncs', 1);
    events.ownSyncEnded(sync.startedMs, bytes);
    log.info('replica-synced', 'Full resync finished', fields);
  }

  /** Has all shards serve the new data from one place of the order on, with the libraries of functions. */
  #adopt(sync: FullSync): void {
    this.#sync = undefined;
    sync.done();
    this.#position = sync.position;
    this.#faults.begun();
    this.#diskOffset = 0;
    this.#database = sync.streamDatabase;
    const stream = this.#newStream(sync.position);
    this.#options.router.toAll({ ...emptyHead(), kind: FrameKind.adopt });
    const codes = sync.libraries.map((code) => Buffer.from(code, 'latin1'));
    stream.run(
      codes.length === 0
        ? commandBytes(['FUNCTION', 'FLUSH'])
        : commandBytes(['FUNCTION', 'RESTORE', rdb.dumpFunctions(codes), 'FLUSH']),
    );
    this.#options.beginTurn();
  }

  goOn(id: string | undefined): void {
    const { log, page } = this.#options;
    page.add('primaryPartialSyncs', 1);
    if (id !== undefined && this.#position !== undefined) {
      this.#options.primary.renamed(id);
      this.#position = { id, offset: this.#position.offset };
    }
    log.info('replica-partial-sync', 'Partial resync: the stream continues at the last offset');
  }

  beginStream(): void {
    const { log, host, port } = this.#options;
    if (this.#stream === undefined && this.#position !== undefined) this.#newStream(this.#position);
    this.streamsBegun += 1;
    this.#show();
    log.info('replica-link-up', 'Link to the primary is up', { host, port });
  }

  #newStream(position: StreamPosition): PrimaryStream {
    const { router, clients, config, host, port, primary, clock } = this.#options;
    const stream = new PrimaryStream({
      router,
      clients,
      config,
      address: `${host}:${port}`,
      position,
      database: this.#database,
      nowMs: () => clock.wallMs(),
      pause: () => {
        this.#link.pause();
      },
      resume: () => {
        this.#link.resume();
      },
      fail: (reason) => {
        this.#link.fail(`the stream of the primary ended: ${reason}`);
      },
      acknowledge: () => {
        this.#link.acknowledge();
        this.#awaitDisk();
      },
      relay: (bytes) => {
        this.#options.primary.relay(bytes);
      },
      relayed: () => {
        this.#options.primary.relayed();
      },
      stamped: (offset) => {
        primary.stamps.note(offset, clock.wallMs());
      },
      reached: (stampMs) => {
        this.#reached(stampMs);
      },
      failed: (error, offset) => {
        this.#failed(stream, error, offset);
      },
    });
    this.#stream = stream;
    this.#options.primary.follow(position.id, position.offset, stream);
    this.#publishRole();
    return stream;
  }

  /** A command of a stream, at an offset, could not be run. */
  #failed(stream: PrimaryStream, error: string, offset: number | undefined): void {
    const named = commandAt(this.#options.primary.stream, offset);
    // Of a stream that has ended, more is no news.
    if (!this.#faults.add(error, named) || stream !== this.#stream) return;
    const { command, key } = named;
    this.#link.fail(`the replica could not run ${command} of ${JSON.stringify(key)}: ${error}`);
  }

  /** All before a timestamp of the primary's is applied. */
  #reached(stampMs: number): void {
    const atMs = this.#options.clock.wallMs();
    // Clocks that differ yield no lag rather than a negative one.
    this.#lag = { ms: Math.max(0, Math.round(atMs - stampMs)), atMs };
    this.#options.page.set('primaryLagUs', 1_000 * this.#lag.ms);
  }

  takeStream(piece: Bytes): void {
    this.#stream?.take(piece);
  }

  broken(): void {
    const { page, events, clock } = this.#options;
    if (this.#stream !== undefined) {
      this.downSinceMs = clock.wallMs();
      page.add('primaryLinkBreaks', 1);
    }
    this.#lag = undefined;
    this.#endSync(events);
    this.#show();
    this.#endStream();
  }

  /** Ends a full synchronisation that is under way: no more of it comes. */
  #endSync(events: ReplicationEvents): void {
    const sync = this.#sync;
    if (sync === undefined) return;
    sync.abandon();
    this.#sync = undefined;
    events.ownSyncFailed(sync.startedMs);
  }

  #endStream(): void {
    const stream = this.#stream;
    this.#options.primary.unfollow();
    if (stream === undefined) return;
    this.#settling = stream.end().then(() => {
      if (this.#stream !== stream) return;
      this.#position = this.#faults.differs ? undefined : stream.position;
      this.#database = stream.client.session.database;
      this.#stream = undefined;
      if (!this.#hasStopped) this.#publishRole();
    });
  }
}
