/** The server's role in replication, and the commands and reports about it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandError, errors, everySecond } from '#base';
import type { CommandEntry, ReplicationPort, RoleReport } from '#commands';
import { REPLICATION_QUANTITIES } from '#quantities';
import { type Client, writes } from '#router';
import type { Page } from '#stats';
import type { Primary } from './protocol/primary/primary.ts';
import type { StreamPlace } from './protocol/primary/primary-options.ts';
import type { StreamPosition } from './protocol/replica/primary-past.ts';
import type { ReplicationEvents } from './replication-events.ts';
import { DiscardedWrites } from './discards/discarded-writes.ts';
import { Failover } from './failover.ts';
import { untilDrained } from './drain.ts';
import { ReplicaSide, type Reached, type ReplicaSideOptions } from './replica-side.ts';

/** Longest wait for what came of a primary to be applied, when the server stops. */
const APPLY_MS_MAX = 5_000;
/** Maximum wait for commands in flight when the server becomes a replica. */
const DRAIN_MS_MAX = 5_000;
/** Id that no stream has. */
const NO_STREAM = '0'.repeat(40);
/** Role sent to shards of a server without a primary. */
const NO_PRIMARY = { kind: 'role', isReplica: false, primary: undefined } as const;

export interface ReplicationOptions extends Omit<
  ReplicaSideOptions,
  'host' | 'port' | 'before' | 'failover' | 'discards'
> {
  /** Has no replica confirm any more what clients have written here: another primary's data may take its place. */
  disownWrites(): void;
  /** Called when `isReplica` has changed: other commands may be refused than before. */
  judgesChanged(): void;
}

export class Replication implements ReplicationPort {
  readonly #options: ReplicationOptions;
  #replica: ReplicaSide | undefined;
  #stopTicker: () => void = () => undefined;
  /** Place that a replica has been brought back to. */
  #restored: Reached | undefined;
  #wasRestoredAsReplica = false;
  /** Settles with where a replica was when the server stopped. */
  #stopped: Promise<Reached> | undefined;
  readonly failover: Failover;
  /** Writes that were lost as the server became a replica. */
  readonly discards: DiscardedWrites;

  constructor(options: ReplicationOptions) {
    this.#options = options;
    this.discards = new DiscardedWrites(options);
    this.failover = new Failover({
      ...options,
      follow: ({ host, port }) => {
        this.replicaOf(host, port);
      },
      lead: () => {
        this.replicaOfNone();
      },
    });
  }

  /** Begins as the settings say. */
  start(): void {
    const { settings } = this.#options;
    this.discards.start(() => this.#replica === undefined);
    this.#stopTicker = everySecond(() => {
      this.#replica?.tick();
    });
    const host = settings.string('replication.primary-host');
    // A client may have said so already: some are served before everything has started.
    if (host === '' || this.#replica !== undefined) return;
    this.#options.events.roleChanged('replica', this.offset, 'the settings name a primary');
    this.#follow(host, settings.number('replication.primary-port'));
  }

  stop(): void {
    this.#stopTicker();
    this.failover.stop();
    this.discards.stop();
    this.#stopped ??= this.#replica?.stop();
  }

  /** Waits until all that was taken of a primary's stream is applied, and nothing more is written about one's own. */
  async stopped(): Promise<void> {
    const ends = Promise.all([this.#stopped, this.discards.stopped()]);
    await Promise.race([ends, sleep(APPLY_MS_MAX, undefined, { ref: false })]);
  }

  /** Place in the stream that belongs to the data, now that nothing is done any more; undefined where it is not known. */
  async placeAtEnd(): Promise<StreamPlace | undefined> {
    const { primary } = this.#options;
    if (this.#replica === undefined) return primary.place;
    const reached = await Promise.race([this.#stopped, Promise.resolve(undefined)]);
    if (reached?.position === undefined) return undefined;
    const { id, offset } = reached.position;
    return primary.placeOf(id, offset, reached.database);
  }

  /** The data are back, at a place in the stream if that is known; nothing was done since. */
  restore(place: StreamPlace | undefined): void {
    const { settings, primary, router, log } = this.#options;
    // A cluster node receives its role later.
    const isReplica = settings.string('replication.primary-host') !== '' || this.#isClustered;
    // A replica expires no keys itself, from the start.
    if (isReplica) router.broadcast({ kind: 'role', isReplica, primary: undefined });
    this.#wasRestoredAsReplica = isReplica;
    if (place !== undefined) {
      const { id, offset, database, tail } = place;
      primary.restore(place, isReplica);
      if (isReplica) this.#restored = { position: { id, offset }, database };
      const fields = { offset, backlog: tail.length };
      log.info(
        'stream-restored',
        'Replication offset restored: partial resync is possible',
        fields,
      );
    }
    router.publish();
  }

  get #isClustered(): boolean {
    return this.#options.settings.boolean('cluster.enabled');
  }

  /** Makes the server a primary, regardless of its previous or restored role. */
  lead(): void {
    const restored = this.#restored;
    this.#restored = undefined;
    if (this.#replica !== undefined) {
      this.replicaOfNone();
      return;
    }
    const position = restored?.position;
    // A node of a cluster is asked to lead with each renewal of its lease: a turn for each would keep main's timers awake.
    if (position === undefined && !this.#wasRestoredAsReplica) return;
    this.#options.router.broadcast(NO_PRIMARY);
    if (position !== undefined) this.#options.primary.promote(position.id, position.offset);
    this.#wasRestoredAsReplica = false;
    this.#options.beginTurn();
  }

  /** Place that was restored, once. */
  #takeRestored(): Promise<Reached> | undefined {
    const restored = this.#restored;
    this.#restored = undefined;
    return restored === undefined ? undefined : Promise.resolve(restored);
  }

  /** This server towards its replicas. */
  get primary(): Primary {
    return this.#options.primary;
  }

  /** Page that the figures of replication stand on. */
  get page(): Page {
    return this.#options.page;
  }

  /** History of links and of the role. */
  get events(): ReplicationEvents {
    return this.#options.events;
  }

  /** This server as a replica; undefined while it is a primary. */
  get replica(): ReplicaSide | undefined {
    return this.#replica;
  }

  get id(): string {
    return this.#replica?.position?.id ?? this.#options.primary.stream.id;
  }

  /** Bytes of the stream so far. */
  get offset(): number {
    return this.#replica?.position?.offset ?? this.#options.primary.offset;
  }

  get role(): RoleReport {
    const replica = this.#replica;
    if (replica === undefined) return { role: 'master' };
    const { host, port, state } = replica;
    return { role: 'slave', host, port, state, offset: replica.position?.offset ?? -1 };
  }

  /** Makes this server a replica; false when it is one of that primary. */
  replicaOf(host: string, port: number): boolean {
    const replica = this.#replica;
    if (replica?.host === host && replica.port === port) return false;
    if (!this.#isClustered) this.#options.settings.holdPrimary({ host, port });
    if (replica === undefined) {
      this.#unblockClients();
      this.#options.events.roleChanged('replica', this.offset, `it follows ${host}:${port}`);
    }
    this.#follow(host, port);
    return true;
  }

  #follow(host: string, port: number): void {
    const before = this.#replica?.stop() ?? this.#takeRestored() ?? this.#ownPosition();
    this.#options.page.set('isReplica', 1);
    const { failover, discards } = this;
    this.#replica = new ReplicaSide({
      ...this.#options,
      host,
      port,
      before,
      failover,
      discards,
    });
    this.#options.judgesChanged();
    this.#replica.start();
  }

  /**
   * Ends this server's own stream; settles with its end, when all that was done is in it. Who has become the primary may
   * have it, and then only what came since is needed.
   */
  async #ownPosition(): Promise<Reached> {
    const { primary, clock } = this.#options;
    let position: StreamPosition | undefined;
    if (primary.isActive) {
      const untilMs = clock.wallMs() + DRAIN_MS_MAX;
      if (await untilDrained(this.#options, () => clock.wallMs() < untilMs)) {
        position = { id: primary.stream.id, offset: primary.offset };
      }
    }
    // It may be a primary again by now.
    if (this.#replica !== undefined) {
      primary.demote();
      this.#options.disownWrites();
    }
    return { position, database: 0 };
  }

  /** Makes this server a primary with its current data. */
  replicaOfNone(): void {
    const replica = this.#replica;
    if (replica === undefined) return;
    const { settings, page, router, log } = this.#options;
    if (!this.#isClustered) settings.holdPrimary(undefined);
    const { taken, faults } = replica;
    void replica.stop();
    this.#replica = undefined;
    this.#options.judgesChanged();
    for (const { counter } of REPLICATION_QUANTITIES.replica) page.set(counter, 0);
    router.broadcast({ kind: 'role', isReplica: false, primary: undefined });
    const { primary } = this.#options;
    // From this place of the order on the stream is this server's own.
    const id = taken?.id ?? primary.stream.id;
    // Who has followed the same stream has other data, where a command of it could not be run here.
    primary.promote(faults.differs ? NO_STREAM : id, taken?.offset ?? primary.offset);
    this.#options.beginTurn();
    this.#options.events.roleChanged(
      'primary',
      primary.offset,
      'the server no longer follows a primary',
    );
    log.info('primary', 'Replication stopped: the server is a primary');
    // Waiting clients may be able to write now.
    router.retryAll();
  }

  takeOver(id: string): boolean {
    const { log } = this.#options;
    log.info('failover-request', `Failover request received for replid ${id}.`);
    if (id.toLowerCase() !== this.id) return false;
    this.replicaOfNone();
    return true;
  }

  get syncRefusal(): CommandError | undefined {
    if (this.failover.isUnderWay) return errors.failingOver;
    return this.#replica?.isUp === false ? errors.noPrimaryLink : undefined;
  }

  /** Ends the waits of clients, which might write when they are over. A replica does not. */
  #unblockClients(): void {
    for (const client of this.#options.clients.all) {
      if (client.wait.unblock === undefined) continue;
      client.wait.unblock(errors.roleChanged, () => undefined);
      client.end();
    }
  }

  /** Says why a replica does not run a command of a client's. */
  refusal(client: Client, entry: CommandEntry): CommandError | undefined {
    if (this.#replica === undefined || client.roles.isPrimary) return undefined;
    const { settings } = this.#options;
    const queue = entry.route === 'exec' ? client.transaction?.queue : undefined;
    if (writes(entry, client.transaction) && settings.boolean('replication.read-only'))
      return errors.readOnlyReplica;
    return this.isStale && minds(entry, queue) ? errors.primaryDown : undefined;
  }

  /** True while this server follows another. */
  get isReplica(): boolean {
    return this.#replica !== undefined;
  }

  /** True while the data may be stale, and must not be served. */
  get isStale(): boolean {
    if (this.#replica === undefined || this.#replica.isUp) return false;
    return !this.#options.settings.boolean('replication.serve-stale-data');
  }
}

/** True when a command, or a transaction, needs data that are not old. */
function minds(entry: CommandEntry, queue: { readonly deniesStale: boolean } | undefined): boolean {
  return !entry.has('stale') || queue?.deniesStale === true;
}
