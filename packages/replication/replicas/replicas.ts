/** Replicas of this server as clients: their connections, what commands ask of them, and who waits for them. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bytes, Clock, Logger } from '#base';
import type {
  Acks,
  AckWish,
  ClientPort,
  FailoverTarget,
  ReplicaDetails,
  ReplicaPlace,
  ReplicasPort,
} from '#commands';
import { REDIS_VERSION, type Settings } from '#config';
import type { SlotSpan } from '#link';
import type { Page } from '#stats';
import type { Client, FeedTaker, Router } from '#router';
import { Primary } from '../protocol/primary/primary.ts';
import type { AckWaiter, PrimarySettings } from '../protocol/primary/primary-options.ts';
import type { Replica } from '../protocol/primary/replica.ts';
import type { KeyFreeze } from '#durability';
import type { ReplicationEvents } from '../replication-events.ts';
import { openSyncFile } from './sync-file.ts';

/** Between two looks at what replicas have. */
const LOOK_MS = 5;

/** Returns the slots of a move that this server is the source of. */
type SlotSource = (migration: string) => Promise<readonly SlotSpan[] | undefined>;

export interface ReplicasOptions {
  readonly shards: number;
  readonly settings: Settings;
  readonly router: Pick<Router, 'orderFeed' | 'grantSync' | 'clientInSlot'>;
  /** Freeze of all keys, which snapshots to disk and full synchronisations have in turn. */
  readonly freeze: KeyFreeze;
  readonly page: Page;
  /** History of links and of the role. */
  readonly events: ReplicationEvents;
  readonly clock: Clock;
  readonly log: Logger;
  readonly beginTurn: () => void;
  readonly usedBytes: () => number;
  /** True while persistence is on. */
  readonly keepsLog: () => boolean;
  /** Calls back when all that was done so far is on disk. */
  readonly onDisk: (done: () => void) => void;
  /** True when all that was done so far is on disk. */
  readonly isOnDisk: () => boolean;
  /** Calls back when all changes so far were written to the operating system, so that they survive this process. */
  readonly onWritten: (done: () => void) => void;
}

export class Replicas implements ReplicasPort, FeedTaker {
  readonly primary: Primary;
  readonly events: ReplicationEvents;
  readonly #options: ReplicasOptions;
  /** Sources of the slots of a move from this server; each returns undefined for a move that it does not have. */
  readonly #slotSources: SlotSource[] = [];
  readonly #byClient = new Map<number, Replica>();
  /** Clients whose last writes have no offset yet. */
  readonly #writers = new Set<Client>();
  /** Clients whose writes may be in units that wait for other shards, with the last such unit. */
  readonly #lateWriters = new Map<Client, number>();

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.events = options.events;
    const { settings, freeze, clock, router, log, page } = options;
    showBacklogSize(settings, page);
    this.primary = new Primary({
      shards: options.shards,
      settings: primarySettings(settings),
      order: (order) => {
        router.orderFeed(order);
        options.beginTurn();
      },
      grant: (shard, number, byteCount) => {
        router.grantSync(shard, number, byteCount);
        options.beginTurn();
      },
      mayFreeze: () => !freeze.isTaken,
      frozen: () => {
        freeze.take();
        options.page.set('writesFullSync', 1);
      },
      thawed: () => {
        options.page.set('writesFullSync', 0);
        freeze.release();
      },
      details: () => [
        ['redis-ver', REDIS_VERSION],
        ['redis-bits', '64'],
        ['ctime', String(Math.floor(clock.wallMs() / 1_000))],
        ['used-mem', String(options.usedBytes())],
        ['aof-base', '0'],
      ],
      isDiskless: () => settings.boolean('replication.diskless-sync'),
      openFile: () => openSyncFile(settings.string('persistence.data-dir')),
      nowMs: () => clock.wallMs(),
      count: (what) => {
        options.page.add(what, 1);
      },
      show: (figure, value) => {
        options.page.set(figure, value);
      },
      events: options.events,
      caused: (connection) => {
        const client = router.clientInSlot(connection);
        if (client === undefined) return;
        client.account.hasWritten = true;
        this.wrote(client);
      },
      wake: () => {
        options.beginTurn();
      },
      log: (level, event, message, fields) => {
        log[level](event, message, fields);
      },
    });
  }

  // From shards.

  takeFeed(shard: number, body: Bytes): void {
    this.primary.takeFeed(shard, body);
  }

  synced(...piece: Parameters<FeedTaker['synced']>): void {
    this.primary.synced(...piece);
  }

  // Connections.

  detailsOf(client: ClientPort): ReplicaDetails {
    return this.#replicaOf(client as Client).announced;
  }

  #replicaOf(client: Client): Replica {
    const known = this.#byClient.get(client.id);
    if (known !== undefined) return known;
    const replica = this.primary.connect(linkTo(client, this.#options));
    this.#byClient.set(client.id, replica);
    return replica;
  }

  /** Adds a source of the slots of moves. */
  followSlots(source: SlotSource): void {
    this.#slotSources.push(source);
  }

  async takesSlots(client: ClientPort, migration: string): Promise<void> {
    const found = await Promise.all(this.#slotSources.map((of) => of(migration)));
    const spans = found.find((one) => one !== undefined);
    if (spans === undefined) throw new Error('No such migration of slots begins here');
    // The connection may have ended meanwhile.
    if (this.#options.router.clientInSlot((client as Client).slot) !== client) return;
    const replica = this.#replicaOf(client as Client);
    replica.slotLink = { id: migration, spans };
    replica.announced.filter = 'all';
  }

  resume(client: ClientPort, id: string, offset: number): string | undefined {
    return this.primary.resume(this.#follows(client as Client), id, offset);
  }

  requestFull(client: ClientPort): void {
    const replica = this.#follows(client as Client);
    replica.isOld = true;
    this.primary.requestFull(replica, 'old-protocol');
  }

  /** The client is a replica from now on. */
  #follows(client: Client): Replica {
    const replica = this.#replicaOf(client);
    const { primary } = this;
    if (!client.roles.isReplica) this.#options.page.add('connectedClients', -1);
    client.ownRoles.replica = {
      get heldBytes() {
        return primary.heldFor(replica);
      },
      drained: () => {
        this.#options.beginTurn();
      },
      closing: (reason) => {
        replica.link.closeReason = reason;
      },
    };
    return replica;
  }

  acknowledge(client: ClientPort, offset: number, diskOffset: number): void {
    const replica = this.#byClient.get(client.id);
    if (replica !== undefined) this.primary.acks.take(replica, offset, diskOffset);
  }

  /** A client has disconnected. */
  left(client: Client): void {
    this.#writers.delete(client);
    this.#lateWriters.delete(client);
    const replica = this.#byClient.get(client.id);
    if (replica === undefined) return;
    this.#byClient.delete(client.id);
    if (client.roles.isReplica) this.#options.page.add('connectedClients', 1);
    client.ownRoles.replica = undefined;
    this.primary.left(replica);
  }

  // ROLE, and acknowledgements.

  get offset(): number {
    return this.primary.offset;
  }

  get count(): number {
    return this.primary.replicas.length;
  }

  stateOf({ host, port }: FailoverTarget): string | undefined {
    return this.primary.replicas.find((replica) => replica.isAt(host, port))?.state;
  }

  get online(): readonly ReplicaPlace[] {
    return this.primary.replicas
      .filter(({ state }) => state === 'online')
      .map(({ host, announced, ack }) => ({
        host,
        port: announced.listeningPort,
        offset: ack.offset,
      }));
  }

  /** Calls back when all that was done so far is on disk here. */
  onDisk(done: () => void): void {
    this.#options.onDisk(done);
  }

  /** Calls back when the system has all that was done so far: at once where nothing is kept. */
  onWritten(done: () => void): void {
    this.#options.onWritten(done);
  }

  get keepsLog(): boolean {
    return this.#options.keepsLog();
  }

  wrote(client: Client): void {
    if (!this.primary.isActive) return;
    client.account.writeOffset = -1;
    this.#writers.add(client);
  }

  drained(): void {
    if (this.#writers.size === 0 && this.#lateWriters.size === 0) return;
    const { isSettled, units, offset } = this.primary;
    for (const client of this.#writers) {
      // What is still to be merged has no offset yet.
      if (isSettled) client.account.writeOffset = offset;
      else this.#lateWriters.set(client, units.arrivals);
    }
    this.#writers.clear();
    for (const [client, arrival] of this.#lateWriters) {
      if (!units.hasHandedOn(arrival)) continue;
      client.account.writeOffset = offset;
      this.#lateWriters.delete(client);
    }
  }

  /** Has WAIT count no replica for what clients have written until now: offsets of another stream say nothing of it. */
  disownWrites(clients: readonly Client[]): void {
    this.#writers.clear();
    this.#lateWriters.clear();
    for (const client of clients) if (client.account.hasWritten) client.account.writeOffset = -1;
  }

  /** Offset behind all that a client has written; undefined while the stream does not have all of it. */
  #writtenTo({ account }: Client): number | undefined {
    const { writeOffset } = account;
    return writeOffset < 0 ? undefined : writeOffset;
  }

  acks(client: ClientPort, wish: AckWish): Acks {
    const offset = this.#writtenTo(client as Client);
    const replicas = offset === undefined ? 0 : this.primary.acks.of(offset, wish.onDisk);
    // A client that has written nothing waits for no disk.
    const isLocal =
      !(client as Client).account.hasWritten || (wish.onDisk && this.#options.isOnDisk());
    return { replicas, local: Number(this.keepsLog && isLocal) };
  }

  await(client: ClientPort, wish: AckWish, done: (acks: Acks) => void): () => Acks {
    const { primary } = this;
    let offset = this.#writtenTo(client as Client);
    let { local } = this.acks(client, wish);
    const acks = (): Acks => ({
      replicas: offset === undefined ? 0 : primary.acks.of(offset, wish.onDisk),
      local,
    });
    const waiter: AckWaiter = {
      look: () => {
        if (offset === undefined) {
          offset = this.#writtenTo(client as Client);
          if (offset !== undefined) primary.acks.ask(true);
        }
        const now = acks();
        if (now.replicas < wish.replicas || now.local < Number(wish.isLocal)) return;
        primary.acks.forget(waiter);
        done(now);
      },
    };
    primary.acks.await(waiter);
    // The reply has it, wished for or not.
    if (wish.onDisk && this.keepsLog && local === 0) {
      this.#options.onDisk(() => {
        local = 1;
        waiter.look();
      });
    }
    return () => {
      primary.acks.forget(waiter);
      return acks();
    };
  }

  /** Waits until the replicas have all that was done, as long as there is time: so none of it is lost with the server. */
  async haveAll(isTime: () => boolean): Promise<void> {
    const { primary } = this;
    if (primary.lacksAcks) primary.acks.ask();
    while (primary.lacksAcks && isTime()) await sleep(LOOK_MS);
    if (!primary.lacksAcks) return;
    this.#options.log.warn('replicas-behind', 'Stopping although some replicas lag behind');
  }
}

/** Keeps the size that the backlog may have on the page. */
function showBacklogSize(settings: Settings, page: Page): void {
  page.set('backlogSize', settings.number('replication.backlog-size'));
  settings.onChange('replication.backlog-size', (bytes) => {
    page.set('backlogSize', bytes);
  });
}

/** A client's connection as that of a replica. */
function linkTo(
  client: Client,
  { log, page }: Pick<ReplicasOptions, 'log' | 'page'>,
): ConstructorParameters<typeof Replica>[0] {
  const { socket } = client;
  let sentBytes = 0;
  return {
    closeReason: undefined,
    get sentBytes() {
      return sentBytes;
    },
    id: client.id,
    address: client.socket.remoteAddress,
    host: hostOf(client.socket.remoteAddress),
    get pendingBytes() {
      return socket.output.pendingBytes;
    },
    get unsentBytes() {
      return socket.output.unsentBytes;
    },
    send(bytes) {
      if (socket.isClosed) return;
      sentBytes += bytes.length;
      page.add('replicationOutputBytes', bytes.length);
      socket.output.give(bytes);
      socket.touch();
    },
    close(reason) {
      if (socket.isClosed) return;
      this.closeReason = reason;
      log.warn('replica-closed', `Replica connection closed: ${reason}`, {
        addr: client.socket.remoteAddress,
      });
      socket.destroy();
    },
  };
}

/** The address without its port, and without the brackets of IPv6. */
function hostOf(address: string): string {
  const colon = address.lastIndexOf(':');
  return address.slice(0, colon).replace(/^\[|\]$/g, '');
}

const PRIMARY_SETTINGS = {
  backlogBytes: 'replication.backlog-size',
  backlogTtlSecs: 'replication.backlog-ttl-secs',
  pingPeriodSecs: 'replication.ping-period-secs',
  timeoutSecs: 'replication.timeout-secs',
  syncDelaySecs: 'replication.diskless-sync-delay-secs',
  syncMaxReplicas: 'replication.diskless-sync-max-replicas',
  maxLagSecs: 'replication.min-replicas-max-lag-secs',
  minReplicas: 'replication.min-replicas-to-write',
} as const satisfies Record<keyof PrimarySettings, string>;

/** Current settings of a primary, cached because each write reads two of them. */
function primarySettings(settings: Settings): PrimarySettings {
  const values: Partial<Record<keyof PrimarySettings, number>> = {};
  for (const field of Object.keys(PRIMARY_SETTINGS) as (keyof PrimarySettings)[]) {
    const name = PRIMARY_SETTINGS[field];
    values[field] = settings.number(name);
    settings.onChange(name, (value) => {
      values[field] = value;
    });
  }
  return values as PrimarySettings;
}
