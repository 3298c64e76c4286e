/**
 * This server in its cluster: the node, its part of the data, and the commands and reports about it.
 *
 * Large because CLUSTER and its subcommands know the cluster by this one object: most members are those of
 * `ClusterPort`, and pass on to the part that does the work.
 */

import { createHash } from 'node:crypto';
import { type Bytes, type Clock, type Logger, shardOfSlot } from '#base';
import type {
  ClusterGroupDetails,
  ClusterLinkDetails,
  ClusterPort,
  EndpointType,
  SlotChange,
  SlotMovesPort,
  SlotScan,
  SlotScanStep,
  SlotStatistics,
} from '#commands';
import type { Settings } from '#config';
import type { ConnectionConfig } from '#net';
import { commandBytes } from '#resp';
import type { Router } from '#router';
import { SHARD_CONTENT } from '#stats';
import { addSlots, deleteSlots, setSlot } from './agreement/decisions/slots.ts';
import { askForHandover } from './agreement/decisions/failover.ts';
import { bumpEpoch, forget, meet, replicate, reset } from './agreement/decisions/membership.ts';
import { ClusterError } from './agreement/cluster-error.ts';
import type { ClusterNode } from './agreement/cluster-node.ts';
import type { MemberAddress } from './agreement/documents/documents.ts';
import type { Clients } from '#clients';
import type { PubSub } from '#messaging';
import type { Replicas, Replication } from '#replication';
import { nodeAddress, type OpsLink, readdressOnChange } from '#main';
import { Beats } from './beats.ts';
import { BlockedRedirects } from './blocked-redirects.ts';
import type { ClusterGate } from './gate/cluster-gate.ts';
import { groupDetails, infoLines } from './cluster-reports.ts';
import { ClusterRole } from './cluster-role.ts';
import { newGate } from './gate/new-gate.ts';
import { ClusterPublisher } from './observation/cluster-publisher.ts';
import { ClusterObservation, type ObservationOptions } from './observation/cluster-observation.ts';
import { Fence } from './fence.ts';
import { NodeMessages } from './messages/node-messages.ts';
import { GoneNodes } from './nodes/gone-nodes.ts';
import { LeaseWatch } from './lease-watch.ts';
import { LostSlots } from './slots/lost-slots.ts';
import { nodeIdAt } from './meeting.ts';
import { newNode } from './nodes/new-node.ts';
import { OwnPlace } from './nodes/own-place.ts';
import { openSlotRules } from './open-slot-rules.ts';
import { SlotMoves } from './moves/slot-moves.ts';
import { sweepSlots } from './moves/slot-sweep.ts';
import { newId, type NodeId } from './nodes/node-id.ts';
import { runOwnCommands } from './slots/own-commands.ts';
import { ServedSlotsPublisher } from './served-ranges.ts';
import { SlotKeys } from './slots/slot-keys.ts';
import { slotStatistics } from './slots/slot-statistics.ts';
import { SlotCode, SlotTable } from './slots/slot-table.ts';

export interface ClusterOptions extends ObservationOptions {
  readonly nodeId: NodeId;
  readonly ops: Pick<OpsLink, 'publishCluster'>;
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly replication: Replication;
  readonly pubsub: PubSub;
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
  /** Figures and events that surfaces show. */
  readonly observation: ClusterObservation;
  readonly #options: ClusterOptions;
  readonly place: OwnPlace;
  readonly #publisher: ClusterPublisher;
  readonly #nodeId: NodeId;
  #ownGroup = newId();
  /** Places of walks are those of tables with the hash seed of this process. */
  readonly #scanFingerprint = `r${newId().slice(0, 8)}`;
  readonly #table = new SlotTable();
  readonly #keys: SlotKeys;
  readonly #role: ClusterRole;
  readonly #served: ServedSlotsPublisher;
  readonly #waits: BlockedRedirects;
  readonly messages: NodeMessages;
  readonly #moves: SlotMoves;
  readonly #lost: LostSlots;
  readonly #gone: GoneNodes;
  /** Slots whose removal is being decided: not served until the outcome is known. */
  readonly #withheld = new Set<number>();
  readonly #beats: Beats;
  readonly #leaseWatch = new LeaseWatch(
    () => this.node.lease,
    () => [this.place, this.#waits, this.#served, this.fence],
  );
  #openRules = '[]';

  constructor(options: ClusterOptions) {
    const { settings, router, clients, clock, log, replication } = options;
    const { primary } = options.replicas;
    this.#options = options;
    this.#nodeId = options.nodeId;
    this.#gone = new GoneNodes(clock);
    this.observation = new ClusterObservation(options, () => this);
    this.#publisher = new ClusterPublisher(this.observation, options);
    replication.discards.follow((discard) => {
      this.observation.discarded(discard);
    });
    const leaseMs = settings.number('cluster.node-timeout-ms');
    this.#beats = new Beats({ leaseMs, node: () => this.node, beat: () => this.#beat() });
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
    this.node = newNode({
      id: this.#nodeId.value,
      identity: this.#nodeId,
      leaseMs,
      wish: () => this.#wish,
      host: this.#role,
      observation: this.observation,
      settings,
      clock,
      log,
    });
    this.place = new OwnPlace(options, this);
    this.#moves = this.#newMoves(options);
    this.#lost = new LostSlots({
      ...options,
      node: this.node,
      sweep: (spans, isWanted) =>
        sweepSlots(spans, { own: options, shardCount: options.shardCount, isWanted }),
      isHandedOver: (slot) => this.#moves.hides(slot),
    });
    const { lease } = this.node;
    this.fence = new Fence({
      lease,
      clients: () => clients.all,
      tripped: (count) => {
        log.warn('cluster-fenced', 'Replies dropped: the lease was not renewed in time', { count });
      },
    });
    this.gate = newGate({ ...options, table: this.#table, cluster: this });
    this.#served = new ServedSlotsPublisher({ ...options, table: this.#table, gate: this.gate });
    const withheld = this.#withheld;
    this.messages = new NodeMessages({ ...options, node: this.node });
    this.#waits = new BlockedRedirects({ ...options, lease, gate: this.gate, withheld });
    this.#followSettings(options);
  }

  #followSettings({ settings }: ClusterOptions): void {
    readdressOnChange(settings, this.node);
    settings.onChange('cluster.preferred-endpoint-type', () => {
      this.#publishOpenSlots();
    });
  }

  /** Address that this node announces now. */
  get address(): MemberAddress {
    return nodeAddress(this.#options.settings);
  }

  get endpointType(): EndpointType {
    return this.#options.settings.string('cluster.preferred-endpoint-type') as EndpointType;
  }

  get links(): readonly ClusterLinkDetails[] {
    return this.messages.links;
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
    replicas.followSlots(moves.spansOf);
    return moves;
  }

  start(): void {
    this.place.start();
    this.observation.start();
    this.#publisher.start();
    this.#served.publish();
    this.#beats.start();
    this.#leaseWatch.start();
  }

  async #beat(): Promise<void> {
    this.messages.look();
    await this.node.beat();
    this.observation.showLease();
  }

  /** Lets another take the primary's place at once. */
  async stop(): Promise<void> {
    this.#beats.stop();
    this.#leaseWatch.stop();
    this.#publisher.stop();
    this.observation.stop();
    this.messages.end();
    this.#moves.stop();
    await this.node.stop();
  }

  get #wish(): { group: string; isNamed: boolean } {
    const name = this.#options.settings.string('cluster.group');
    const { topology, group } = this.node;
    // The group that it founded may have continued without it.
    if (group === undefined && topology.groups.has(this.#ownGroup)) this.#ownGroup = newId();
    if (name === '') return { group: this.#ownGroup, isNamed: false };
    return { group: createHash('sha1').update(name).digest('hex'), isNamed: true };
  }

  // Changes of the topology.

  #changed(): void {
    const { node } = this;
    this.#table.update(node, this.#withheld);
    this.#gone.follow(node.topology);
    this.observation.look();
    if (this.#table.isPrimary && node.lease.isSafe) this.fence.arm();
    this.#publishOpenSlots();
    this.#served.publish();
    this.messages.update();
    this.#moves.follow();
    this.#lost.follow(this.#table.isPrimary);
    const { router, beginTurn } = this.#options;
    // Deferred commands may now be redirected.
    router.retryAll();
    beginTurn();
    this.#waits.judge();
  }

  /** Publishes to shards which slots are moved key by key. */
  #publishOpenSlots(): void {
    const { topology, group } = this.node;
    const own = this.#table.isPrimary ? group?.id : undefined;
    const rules = openSlotRules(topology, own, this.endpointType);
    const reported = JSON.stringify(rules);
    if (reported === this.#openRules) return;
    this.#openRules = reported;
    this.#options.router.broadcast({ kind: 'open-slots', rules });
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

  /** Reason why it is not up. */
  get downReason(): string {
    const { node } = this;
    if (!node.isRegistered) return node.problem ?? 'the node is not registered yet';
    if (!node.lease.isSafe) return node.problem ?? 'the lease was not renewed in time';
    return `${node.topology.failedCount} slots are not served`;
  }

  get info(): readonly (readonly [name: string, value: string | number])[] {
    return infoLines(this.node, this.isUp, this.messages.counts);
  }

  groups(isSecure: boolean): readonly ClusterGroupDetails[] {
    const offset = this.#options.replication.offset;
    return groupDetails(this.node, { isSecure, offset, address: this.address });
  }

  servesSlot(slot: number): boolean {
    return this.#table.codes[slot] === SlotCode.own;
  }

  get countsSlotCosts(): boolean {
    return this.#options.settings.boolean('cluster.slot-stats-enabled');
  }

  slotStatistics(first: number, last: number): Promise<readonly SlotStatistics[]> {
    const { topology, group } = this.node;
    const isOwn = (slot: number): boolean =>
      group !== undefined && topology.owners[slot] === group.id;
    return slotStatistics(this.#keys, { first, last, isOwn, hasCosts: this.countsSlotCosts });
  }

  countKeys(slot: number, database: number): Promise<number> {
    return this.#keys.count(slot, database);
  }

  keysOf(slot: number, database: number, count: number): Promise<readonly Bytes[]> {
    return this.#keys.some(slot, database, count);
  }

  scanRangeOf(slot: number): { readonly last: number; readonly fingerprint: string } {
    const { shardCount } = this.#options;
    const { codes } = this.#table;
    const shard = shardOfSlot(slot, shardCount);
    let last = slot;
    while (codes[last + 1] === codes[slot] && shardOfSlot(last + 1, shardCount) === shard)
      last += 1;
    return { last, fingerprint: this.#scanFingerprint };
  }

  scanKeys(scan: SlotScan): Promise<SlotScanStep> {
    return this.#keys.scan(scan);
  }

  addSlots(slots: readonly number[]): Promise<void> {
    return this.place.decide((topology) => addSlots(topology, this.id, slots));
  }

  async deleteSlots(slots: readonly number[]): Promise<void> {
    await this.#letGo(slots, () =>
      this.place.decide((topology) => deleteSlots(topology, this.id, slots)),
    );
  }

  async flushSlots(): Promise<void> {
    if (await this.#hasKeys())
      throw new ClusterError('DB must be empty to perform CLUSTER FLUSHSLOTS.');
    const own = this.#ownSlots();
    if (own.length > 0) await this.deleteSlots(own);
  }

  /** Stops serving slots while their removal is decided. */
  async #letGo(slots: readonly number[], decide: () => Promise<void>): Promise<void> {
    for (const slot of slots) this.#withheld.add(slot);
    this.#changed();
    try {
      await decide();
    } catch (error) {
      // If the outcome is unknown, a later topology will show it.
      await this.node.refresh().catch(() => undefined);
      throw error;
    } finally {
      for (const slot of slots) this.#withheld.delete(slot);
      this.#changed();
    }
  }

  #ownSlots(): number[] {
    const { owners } = this.node.topology;
    return [...owners.keys()].filter((slot) => owners[slot] === (this.node.group?.id ?? ''));
  }

  async setSlot(slot: number, change: SlotChange): Promise<void> {
    const { topology, group } = this.node;
    if (change.kind === 'node' && change.node !== this.id && topology.owners[slot] === group?.id) {
      if ((await this.#keys.count(slot, null)) > 0) {
        throw new ClusterError(
          `Can't assign hashslot ${slot} to a different node while I still hold keys for this hash slot.`,
        );
      }
    }
    await this.place.decide((now) => setSlot(now, this.id, slot, change));
  }

  get moves(): SlotMovesPort {
    return this.#moves;
  }

  async meet(host: string, port: number): Promise<void> {
    await this.node.refresh();
    const { settings } = this.#options;
    const other = await nodeIdAt(this.node.topology, host, port, settings);
    if (other === undefined || !this.node.topology.nodes.has(other)) {
      throw new ClusterError(`No node of this cluster replies at ${host}:${port}`);
    }
    await this.place.decide((topology) => meet(topology, this.id, other));
  }

  async forget(node: string): Promise<void> {
    await this.node.refresh();
    // Another has taken it out before, or it has left by itself.
    if (this.#gone.has(node)) return;
    await this.place.decide((topology) => forget(topology, this.id, node));
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
    await this.place.decide((topology) => askForHandover(topology, this.id, isForced));
    if (isForced) await this.node.force();
  }

  async reset(isHard: boolean): Promise<void> {
    const { node } = this;
    // A node without a role that has followed no other has its own keys, like a primary.
    const wasPrimary = node.isPrimary || !(node.isRegistered || this.#role.hasFollowed);
    // A removed replica is not a primary, and has keys of others.
    const isLeft = wasPrimary && this.#ownSlots().length === 0 && this.#role.hasFollowed;
    if (wasPrimary && !isLeft && (await this.#hasKeys())) {
      throw new ClusterError("CLUSTER RESET can't be called with master nodes containing keys");
    }
    await this.#letGo(wasPrimary ? this.#ownSlots() : [], () =>
      node.decide((topology) => reset(topology, this.id)),
    );
    if (isHard) {
      const before = node.id;
      this.fence.disarm();
      await node.rename(this.#nodeId.renew());
      // With its old identity it may have joined a group again.
      await node.refresh();
      await node.decide((topology) => reset(topology, before));
    }
    await node.beat();
    if (wasPrimary && !isLeft) return;
    // What a replica has is its primary's.
    this.#role.lead();
    await runOwnCommands(this.#options, commandBytes(['FLUSHALL']));
  }

  async bumpEpoch(): Promise<number> {
    await this.place.decide((topology) => bumpEpoch(topology, this.id));
    return this.node.group?.revision ?? 0;
  }

  async #hasKeys(): Promise<boolean> {
    const { router } = this.#options;
    const reports = await router.shardCalls.ask(SHARD_CONTENT, null);
    return reports.some((report) => report.missing || report.answer.keys > 0);
  }
}
