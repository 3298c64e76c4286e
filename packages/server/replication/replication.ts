/** The server's role in replication, and the commands and reports about it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type CommandError } from '#base';
import { commandTable, type CommandEntry, type ReplicationPort, type RoleReport } from '#commands';
import { REPLICATION_QUANTITIES } from '#quantities';
import type { Client } from '#router';
import type { Primary, StreamPosition } from '#replication';
import { settingsAppliedCall } from '#stats';
import { ReplicaSide, type Reached, type ReplicaSideOptions } from './replica-side.ts';

/** Commands of replicas, which a replica without a link has nothing for. */
const FOLLOWING = new Set([commandTable.byName('PSYNC'), commandTable.byName('SYNC')]);
/** Looks at whether the stream has all that was done, and between two of them. */
const SETTLE_ROUNDS_MAX = 500;
const SETTLE_POLL_MS = 2;
/** Between two looks at a link. */
const TICK_MS = 1_000;

type ReplicationOptions = Omit<ReplicaSideOptions, 'host' | 'port' | 'before'>;

export class Replication implements ReplicationPort {
  readonly #options: ReplicationOptions;
  #replica: ReplicaSide | undefined;
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: ReplicationOptions) {
    this.#options = options;
  }

  /** Begins as the settings say. */
  start(): void {
    const { settings } = this.#options;
    this.#ticker = setInterval(() => {
      this.#replica?.tick();
    }, TICK_MS);
    const host = settings.string('replication.primary-host');
    // A client may have said so already: some are served before everything has started.
    if (host === '' || this.#replica !== undefined) return;
    this.#follow(host, settings.number('replication.primary-port'));
  }

  stop(): void {
    clearInterval(this.#ticker);
    void this.#replica?.stop();
  }

  /** This server towards its replicas. */
  get primary(): Primary {
    return this.#options.primary;
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
    this.#options.settings.holdPrimary({ host, port });
    if (replica === undefined) this.#unblockClients();
    this.#follow(host, port);
    return true;
  }

  #follow(host: string, port: number): void {
    const before = this.#replica?.stop() ?? this.#ownPosition();
    this.#options.page.set('isReplica', 1);
    this.#replica = new ReplicaSide({ ...this.#options, host, port, before });
    this.#replica.start();
  }

  /**
   * Ends this server's own stream; settles with its end, when all that was done is in it. Who has become the primary may
   * have it, and then only what came since is needed.
   */
  async #ownPosition(): Promise<Reached> {
    const { primary, router } = this.#options;
    let position: StreamPosition | undefined;
    if (primary.isActive) {
      await router.shardCalls.ask(settingsAppliedCall, null);
      await untilSettled(primary);
      position = { id: primary.stream.id, offset: primary.offset };
    }
    // It may be a primary again by now.
    if (this.#replica !== undefined) primary.demote();
    return { position, database: 0 };
  }

  /** Makes this server a primary of what it has. */
  replicaOfNone(): void {
    const replica = this.#replica;
    if (replica === undefined) return;
    const { settings, page, router, log } = this.#options;
    settings.holdPrimary(undefined);
    const { taken } = replica;
    void replica.stop();
    this.#replica = undefined;
    for (const { counter } of REPLICATION_QUANTITIES.replica) page.set(counter, 0);
    router.broadcast({ kind: 'role', isReplica: false, primary: undefined });
    const { primary } = this.#options;
    // From this place of the order on the stream is this server's own.
    primary.promote(taken?.id ?? primary.stream.id, taken?.offset ?? primary.offset);
    this.#options.beginTurn();
    log.info('primary', 'The server is a primary now.');
    // Some may wait for what they may write now.
    router.retryAll();
  }

  /** Ends the waits of clients, which might write when they are over. A replica does not. */
  #unblockClients(): void {
    for (const client of this.#options.clients.all) {
      if (client.unblock === undefined) continue;
      client.unblock(errors.roleChanged, () => undefined);
      client.end();
    }
  }

  /** Says why a replica does not run a command of a client's. */
  refusal(client: Client, entry: CommandEntry): CommandError | undefined {
    const replica = this.#replica;
    if (replica === undefined || client.isPrimary) return undefined;
    const { settings } = this.#options;
    const queue = entry.route === 'exec' ? client.transaction?.queue : undefined;
    const writes = queue?.writes ?? entry.isWrite;
    if (writes && settings.boolean('replication.read-only')) return errors.readOnlyReplica;
    return this.#linkRefusal(replica, entry, queue);
  }

  /** Says why a replica does not run a command that it would run were its link up. */
  #linkRefusal(
    replica: ReplicaSide,
    entry: CommandEntry,
    queue: { readonly deniesStale: boolean } | undefined,
  ): CommandError | undefined {
    if (this.#isStale(replica) && minds(entry, queue)) return errors.primaryDown;
    return FOLLOWING.has(entry) && !replica.isUp ? errors.noPrimaryLink : undefined;
  }

  /** True while the data may be old, and nobody is to see them. */
  #isStale({ isUp }: ReplicaSide): boolean {
    return !isUp && !this.#options.settings.boolean('replication.serve-stale-data');
  }
}

/** True when a command, or a transaction, needs data that are not old. */
function minds(entry: CommandEntry, queue: { readonly deniesStale: boolean } | undefined): boolean {
  return !entry.has('stale') || queue?.deniesStale === true;
}

/** Settles when units of several shards are in the stream of which a part has come. */
async function untilSettled(primary: Primary): Promise<void> {
  for (let round = 0; round < SETTLE_ROUNDS_MAX && !primary.isSettled; round += 1) {
    await sleep(SETTLE_POLL_MS);
  }
}
