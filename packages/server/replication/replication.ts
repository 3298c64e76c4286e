/** The server's role in replication, and the commands and reports about it. */

import { errors, type Clock, type CommandError, type Logger } from '#base';
import type { CommandEntry, ReplicationPort, RoleReport } from '#commands';
import type { Settings } from '#config';
import type { ConnectionConfig } from '#net';
import type { Client, Router } from '#router';
import type { Primary } from '#replication';
import type { Page } from '#stats';
import type { Clients } from '../clients/clients.ts';
import type { PersistenceSwitch } from '../durability/persistence-switch.ts';
import { ReplicaSide } from './replica-side.ts';

/** Between two looks at a link. */
const TICK_MS = 1_000;

interface ReplicationOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly shardCount: number;
  readonly persistence: PersistenceSwitch;
  readonly page: Page;
  readonly log: Logger;
  readonly clock: Clock;
  /** This server towards its replicas. */
  readonly primary: Primary;
  beginTurn(): void;
}

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
    const before = this.#replica?.stop() ?? Promise.resolve({ position: undefined, database: 0 });
    this.#options.page.set('isReplica', 1);
    this.#replica = new ReplicaSide({ ...this.#options, host, port, before });
    this.#replica.start();
  }

  /** Makes this server a primary of what it has. */
  replicaOfNone(): void {
    const replica = this.#replica;
    if (replica === undefined) return;
    const { settings, page, router, log } = this.#options;
    settings.holdPrimary(undefined);
    void replica.stop();
    this.#replica = undefined;
    for (const name of [
      'isReplica',
      'primaryLinkUp',
      'primaryLinkDownSinceMs',
      'syncInProgress',
    ] as const) {
      page.set(name, 0);
    }
    router.broadcast({ kind: 'role', isReplica: false, primary: undefined });
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
    return this.#isStale(replica) && minds(entry, queue) ? errors.primaryDown : undefined;
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
