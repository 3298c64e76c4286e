/** This server in its cluster: the node, its part of the data, and the commands and reports about it. */

import { createHash } from 'node:crypto';
import { SLOT_COUNT, type Bytes, type Clock, type Logger } from '#base';
import {
  addSlots,
  askForHandover,
  ClusterError,
  ClusterNode,
  deleteSlots,
  etcd,
  forget,
  meet,
  replicate,
  reset,
  setSlot,
  type MemberAddress,
} from '#cluster';
import type { ClusterGroupFacts, ClusterPort, SlotChange, SlotMovesPort } from '#commands';
import type { Settings } from '#config';
import type { OpenSlotRule } from '#link';
import { LineConnection, type ConnectionConfig } from '#net';
import { commandBytes } from '#resp';
import type { Router } from '#router';
import { SHARD_CONTENT } from '#stats';
import type { Clients } from '../clients/clients.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Replication } from '../replication/replication.ts';
import { VERSION } from '../version.ts';
import { ClusterGate, type Redirect } from './cluster-gate.ts';
import { groupFacts, infoLines } from './cluster-reports.ts';
import { ClusterRole } from './cluster-role.ts';
import { coordinatorOptions } from './coordinator-options.ts';
import { Fence } from './fence.ts';
import { nodeAddress } from './node-address.ts';
import { SlotMoves } from './moves/slot-moves.ts';
import { newId, NodeId } from './node-id.ts';
import { runOwnCommands } from './own-commands.ts';
import { SlotKeys } from './slot-keys.ts';
import { SlotTable } from './slot-table.ts';

/** Renewals in the life of a lease. */
const BEATS_PER_LEASE = 10;
/** Longest wait for a node that is to be met. */
const MEET_MS_MAX = 2_000;
/** Between two looks at whether replies may still be written. */
const LOOK_MS = 20;
/** Keys of a slot that are deleted at once. */
const KEYS_PER_DELETION = 500;

interface ClusterOptions {
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly replication: Replication;
  readonly replicas: Replicas;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly beginTurn: () => void;
}

export class Cluster implements ClusterPort {
  readonly node: ClusterNode;
  readonly gate: ClusterGate;
  readonly fence: Fence;
  readonly address: MemberAddress;
  /** Commands that were not run here, by what was answered. */
  readonly redirects: Record<Redirect, number> = { moved: 0, crossslot: 0, down: 0 };
  readonly #options: ClusterOptions;
  readonly #nodeId: NodeId;
  #ownGroup = newId();
  readonly #table = new SlotTable();
  readonly #keys: SlotKeys;
  readonly #role: ClusterRole;
  readonly #moves: SlotMoves;
  /** Slots that are being let go: served by nobody until it is known what came of it. */
  readonly #withheld = new Set<number>();
  #leaseMs: number;
  #beat: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #openRules = '[]';
  /** The node had this group's slots, and may have their keys still. */
  #owned: ReadonlySet<number> = new Set();
  #dropping: Promise<void> = Promise.resolve();

  constructor(options: ClusterOptions) {
    const { settings, router, clients, clock, log, replication } = options;
    const { primary } = options.replicas;
    this.#options = options;
    this.#nodeId = new NodeId(settings);
    this.address = nodeAddress(settings);
    this.#leaseMs = settings.number('cluster.node-timeout-ms');
    this.#keys = new SlotKeys(router.shardCalls, options.shardCount);
    this.#role = new ClusterRole({
      settings,
      replication,
      primary,
      clients,
      router,
      nowMs: () => clock.nowUs() / 1_000,
      changed: () => {
        this.#changed();
      },
    });
    this.node = new ClusterNode({
      id: this.#nodeId.value,
      run: newId(),
      version: VERSION,
      address: this.address,
      wish: () => this.#wish,
      noFailover: () => settings.boolean('cluster.replica-no-failover'),
      leaseMs: this.#leaseMs,
      coordinator: etcd(coordinatorOptions(settings)),
      clock,
      log,
      host: this.#role,
    });
    this.#moves = this.#newMoves(options);
    const { lease } = this.node;
    this.fence = new Fence({
      lease,
      clients: () => clients.all,
      tripped: (count) => {
        log.warn('cluster-fenced', 'The lease was not renewed: replies were dropped.', { count });
      },
    });
    this.gate = new ClusterGate({
      table: this.#table,
      lease,
      nowUs: () => clock.nowUs(),
      requiresFullCoverage: () => settings.boolean('cluster.require-full-coverage'),
      allowsReadsWhenDown: () => settings.boolean('cluster.allow-reads-when-down'),
      problem: () => this.node.problem,
      mayWrite: (entry, args) =>
        entry.isWrite ||
        (entry.mayChange && (entry.script === undefined || router.scripts.mayWrite(entry, args))),
      redirected: (kind) => {
        this.redirects[kind] += 1;
      },
    });
  }

  #newMoves({ replicas, ...options }: ClusterOptions): SlotMoves {
    const moves = new SlotMoves({
      ...options,
      node: this.node,
      primary: replicas.primary,
      onWritten: (done) => {
        replicas.onWritten(done);
      },
      withhold: (slots, isWithheld) => {
        for (const slot of slots) {
          if (isWithheld) this.#withheld.add(slot);
          else this.#withheld.delete(slot);
        }
        this.#changed();
      },
    });
    replicas.slotsOf = moves.spansOf;
    return moves;
  }

  start(): void {
    void this.node.beat();
    this.#beat = setInterval(() => {
      void this.node.beat();
    }, this.#leaseMs / BEATS_PER_LEASE);
    this.#look = setInterval(() => {
      this.fence.look();
    }, LOOK_MS);
  }

  /** Lets another take the primary's place at once. */
  async stop(): Promise<void> {
    clearInterval(this.#beat);
    clearInterval(this.#look);
    this.#moves.stop();
    await this.node.stop();
  }

  get #wish(): { group: string; isNamed: boolean } {
    const name = this.#options.settings.string('cluster.group');
    const { topology, group } = this.node;
    // The group that it has founded may have gone on without it.
    if (group === undefined && topology.groups.has(this.#ownGroup)) this.#ownGroup = newId();
    if (name === '') return { group: this.#ownGroup, isNamed: false };
    return { group: createHash('sha1').update(name).digest('hex'), isNamed: true };
  }

  // News of the topology.

  #changed(): void {
    const { node } = this;
    this.#table.update(node, this.#withheld);
    if (this.#table.isPrimary && node.lease.isSafe) this.fence.arm();
    this.#tellShards();
    this.#moves.follow();
    this.#dropLost();
    const { router, beginTurn } = this.#options;
    // Who was told to wait may be told where to go.
    router.retryAll();
    beginTurn();
  }

  /** Tells shards which slots are moved key by key. */
  #tellShards(): void {
    const { topology, group } = this.node;
    const own = this.#table.isPrimary ? group?.id : undefined;
    const rules = Object.entries(topology.slots.open).flatMap(([text, open]): OpenSlotRule[] => {
      const slot = Number(text);
      if (own === undefined) return [];
      if (topology.owners[slot] === own && open.migratingTo !== undefined) {
        const target = topology.groups.get(open.migratingTo);
        const place = target && topology.nodes.get(target.primary);
        return place === undefined ? [] : [{ slot, target: `${place.host}:${place.port}` }];
      }
      return open.importedBy === own ? [{ slot, target: null }] : [];
    });
    const told = JSON.stringify(rules);
    if (told === this.#openRules) return;
    this.#openRules = told;
    this.#options.router.broadcast({ kind: 'open-slots', rules });
  }

  /** Deletes what is left of slots that another group has now: it would come back with them. */
  #dropLost(): void {
    const { topology, group } = this.node;
    if (!this.#table.isPrimary || group === undefined) {
      this.#owned = new Set();
      return;
    }
    const owned = new Set<number>();
    for (const [first, last] of topology.slotsOf(group.id)) {
      for (let slot = first; slot <= last; slot += 1) owned.add(slot);
    }
    const lost = [...this.#owned].filter((slot) => !owned.has(slot));
    this.#owned = owned;
    // What was handed over as a whole is dropped by who has handed it over.
    const taken = lost.filter(
      (slot) => topology.owners[slot] !== undefined && !this.#moves.hides(slot),
    );
    if (taken.length === 0) return;
    this.#dropping = this.#dropping.then(async () => {
      for (const slot of taken) await this.#dropSlot(slot);
    });
  }

  async #dropSlot(slot: number): Promise<void> {
    const { log } = this.#options;
    try {
      for (;;) {
        const keys = await this.#keys.some(slot, KEYS_PER_DELETION);
        // It may have come back meanwhile.
        if (keys.length === 0 || this.#owned.has(slot)) return;
        log.warn('cluster-slot-lost', 'Keys of a slot that another node has were deleted.', {
          slot,
          keys: keys.length,
        });
        await runOwnCommands(this.#options, commandBytes(['UNLINK', ...keys]));
      }
    } catch (error) {
      log.error('cluster-slot-lost', 'Keys of a slot that another node has are left.', {
        slot,
        error: (error as Error).message,
      });
    }
  }

  // As the port of commands.

  get id(): string {
    return this.node.id;
  }

  get groupId(): string {
    return this.node.group?.id ?? this.#wish.group;
  }

  get isUp(): boolean {
    const { node } = this;
    const needsAll = this.#options.settings.boolean('cluster.require-full-coverage');
    return node.isRegistered && node.lease.isSafe && (!this.#table.hasGaps || !needsAll);
  }

  get info(): readonly (readonly [name: string, value: string | number])[] {
    return infoLines(this.node, this.isUp);
  }

  groups(isSecure: boolean): readonly ClusterGroupFacts[] {
    const offset = this.#options.replication.offset;
    return groupFacts(this.node, { isSecure, offset, address: this.address });
  }

  countKeys(slot: number): Promise<number> {
    return this.#keys.count(slot);
  }

  keysOf(slot: number, count: number): Promise<readonly Bytes[]> {
    return this.#keys.some(slot, count);
  }

  addSlots(slots: readonly number[]): Promise<void> {
    return this.node.decide((topology) => addSlots(topology, this.id, slots));
  }

  async deleteSlots(slots: readonly number[]): Promise<void> {
    await this.#letGo(slots, () =>
      this.node.decide((topology) => deleteSlots(topology, this.id, slots)),
    );
  }

  async flushSlots(): Promise<void> {
    if (await this.#hasKeys())
      throw new ClusterError('DB must be empty to perform CLUSTER FLUSHSLOTS.');
    const own = this.#ownSlots();
    if (own.length > 0) await this.deleteSlots(own);
  }

  /** Serves slots no more while it is decided whether they are let go. */
  async #letGo(slots: readonly number[], decide: () => Promise<void>): Promise<void> {
    for (const slot of slots) this.#withheld.add(slot);
    this.#changed();
    try {
      await decide();
    } catch (error) {
      // Where it is not known what has become of it, the topology says so in time.
      await this.node.refresh().catch(() => undefined);
      throw error;
    } finally {
      for (const slot of slots) this.#withheld.delete(slot);
      this.#changed();
    }
  }

  #ownSlots(): number[] {
    const { group, topology } = this.node;
    const slots: number[] = [];
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      if (group !== undefined && topology.owners[slot] === group.id) slots.push(slot);
    }
    return slots;
  }

  async setSlot(slot: number, change: SlotChange): Promise<void> {
    const { topology, group } = this.node;
    if (change.kind === 'node' && change.node !== this.id && topology.owners[slot] === group?.id) {
      if ((await this.#keys.count(slot)) > 0) {
        throw new ClusterError(
          `Can't assign hashslot ${slot} to a different node while I still hold keys for this hash slot.`,
        );
      }
    }
    await this.node.decide((now) => setSlot(now, this.id, slot, change));
  }

  get moves(): SlotMovesPort {
    return this.#moves;
  }

  async meet(host: string, port: number): Promise<void> {
    await this.node.refresh();
    const other = this.#nodeAt(host, port) ?? (await this.#askForId(host, port));
    if (other === undefined || !this.node.topology.nodes.has(other)) {
      throw new ClusterError(`No node of this cluster answers at ${host}:${port}`);
    }
    await this.node.decide((topology) => meet(topology, this.id, other));
  }

  #nodeAt(host: string, port: number): string | undefined {
    for (const [id, node] of this.node.topology.nodes) {
      const isThere = node.host === host || node.hostname === host;
      if (isThere && (node.port === port || node.tlsPort === port)) return id;
    }
    return undefined;
  }

  /** Asks whoever answers at an address who it is: nodes may announce another. */
  async #askForId(host: string, port: number): Promise<string | undefined> {
    const { settings } = this.#options;
    const connection = await LineConnection.open(host, port, MEET_MS_MAX);
    if (connection === undefined) return undefined;
    try {
      const user = settings.string('replication.primary-user');
      const password = settings.string('replication.primary-password');
      if (password !== '') {
        const login = ['AUTH', ...(user === '' ? [] : [user]), password];
        await connection.write(commandBytes(login));
        await connection.line();
      }
      await connection.write(commandBytes(['CLUSTER', 'MYID']));
      const head = await connection.line();
      if (typeof head !== 'string' || !head.startsWith('$')) return undefined;
      const id = await connection.line();
      return typeof id === 'string' ? id : undefined;
    } finally {
      connection.close();
    }
  }

  forget(node: string): Promise<void> {
    return this.node.decide((topology) => forget(topology, this.id, node));
  }

  async replicate(primary: string): Promise<void> {
    const { node } = this;
    if (node.isPrimary && (this.#ownSlots().length > 0 || (await this.#hasKeys()))) {
      throw new ClusterError('To set a master the node must be empty and without assigned slots.');
    }
    await node.decide((topology) => replicate(topology, node.self, primary));
    await node.beat();
  }

  async failOver(isForced: boolean): Promise<void> {
    await this.node.decide((topology) => askForHandover(topology, this.id, isForced));
    if (isForced) await this.node.force();
  }

  async reset(isHard: boolean): Promise<void> {
    const { node } = this;
    const wasPrimary = node.isPrimary;
    // A replica that was forgotten leads nobody, and has keys that others have.
    const isLeft = wasPrimary && this.#ownSlots().length === 0 && this.#role.hasFollowed;
    if (wasPrimary && !isLeft && (await this.#hasKeys())) {
      throw new ClusterError("CLUSTER RESET can't be called with master nodes containing keys");
    }
    await this.#letGo(wasPrimary ? this.#ownSlots() : [], () =>
      node.decide((topology) => reset(topology, this.id)),
    );
    if (isHard) await node.rename(this.#nodeId.renew());
    await node.beat();
    if (wasPrimary && !isLeft) return;
    // What a replica has is its primary's.
    this.#role.lead();
    await runOwnCommands(this.#options, commandBytes(['FLUSHALL']));
  }

  async bumpEpoch(): Promise<number> {
    const { node } = this;
    await node.decide((topology) => {
      const group = topology.groupOf(node.id);
      if (group === undefined) return undefined;
      const { id, revision, ...document } = group;
      return {
        guards: [{ key: `groups/${id}`, revision }],
        writes: [{ key: `groups/${id}`, value: JSON.stringify(document) }],
      };
    });
    return node.group?.revision ?? 0;
  }

  async #hasKeys(): Promise<boolean> {
    const { router } = this.#options;
    const reports = await router.shardCalls.ask(SHARD_CONTENT, null);
    return reports.some((report) => report.missing || report.answer.keys > 0);
  }
}
