/**
 * This server as a node of the cluster: keeps its lease, follows the documents of the coordinator, and acts on them.
 *
 * It has no timer: `beat` is called several times in the lifetime of a lease, and changes arrive by the watch. Decisions only
 * depend on the current topology, and are transactions conditional on its revisions: if another node was first, the
 * transaction fails, and the node decides again.
 */

import type { Clock, Logger } from '#base';
import { ClusterView, type ClusterIdentity } from './cluster-view.ts';
import type { Coordinator, Outcome } from './coordinator/coordinator.ts';
import { candidacyOf, handOver, refuseHandover, takeOver } from './decisions/failover.ts';
import { join, type JoinWish, type Self } from './decisions/membership.ts';
import type { Plan } from './decisions/plan.ts';
import { joinTaker, migrate, orphanFor } from './decisions/replica-migration.ts';
import { nodeKey, type MemberAddress, type NodeDocument } from './documents/documents.ts';
import { LastSlots } from './last-slots.ts';
import { Lease } from './lease.ts';
import type { Group, Topology } from './topology.ts';

/** Minimum interval of reports of the node's offset, in milliseconds: below a second, since a beat may come early. */
const REPORT_MS = 900;
/** Milliseconds that a primary must be without replicas before a replica of another primary moves to it. */
const ORPHAN_MS = 5_000;
/** Number of lease lifetimes for which a restarted primary waits for a replica to take over. */
const STAND_DOWN_LEASES = 2;

/** Place in a stream of replication; the offset is -1 where the node does not have the primary's data. */
export interface DataPlace {
  readonly streamId: string;
  readonly offset: number;
}

/** Server that the node is. */
export interface ClusterHost {
  /** Place of the data; `primary` is the node whose data they shall be. */
  placeOf(primary: string): DataPlace;
  /** Takes its keys from that primary from now on. */
  follow(primary: string, address: MemberAddress): void;
  /** Makes the server a primary with its current data. */
  lead(): void;
  /** Suspends writes until the replica has all data; resolves with false if it does not catch up. `isForced`: no wait. */
  prepareHandover(target: string, isForced: boolean): Promise<boolean>;
  /** Resumes suspended writes. */
  endHandover(): void;
  /** Called when the topology, or the role of the node in it, has changed. */
  changed(): void;
}

interface ClusterNodeOptions {
  readonly id: string;
  readonly identity: ClusterIdentity;
  /** Drawn at the start of the process. */
  readonly run: string;
  readonly version: string;
  readonly address: MemberAddress;
  /** Address of its HTTP side; empty for none. */
  readonly http?: string;
  readonly wish: () => JoinWish;
  readonly noFailover: () => boolean;
  /** Replicas that stay with a primary when one leaves it for another that has none; undefined where none leaves. */
  readonly migrationBarrier: () => number | undefined;
  readonly leaseMs: number;
  readonly coordinator: Coordinator;
  readonly clock: Pick<Clock, 'nowUs'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly host: ClusterHost;
}

export class ClusterNode {
  readonly lease: Lease;
  readonly #view: ClusterView;
  readonly #lastSlots = new LastSlots();
  /** Reason why the coordinator cannot be used now; undefined while it can. */
  problem: string | undefined;
  readonly #options: ClusterNodeOptions;
  #id: string;
  #standsFor = -1;
  /** True if this node may take over from the primary although its data may be incomplete. */
  #isForced = false;
  /** Revision of the registration with the current lease; 0 without one. */
  #registeredAt = 0;
  #hasRegistered = false;
  #startedMs: number;
  #isBeating = false;
  #isReacting = false;
  #mustReact = false;
  #handsOverTo: string | undefined;
  #reportedMs = 0;
  #reported = '';
  /** True once it has reported that it has the data. */
  #hasReported = false;
  /** Group that this replica may go to, and since when that is so. */
  #orphan: { readonly group: string; readonly sinceMs: number } | undefined;
  #hasStopped = false;

  constructor(options: ClusterNodeOptions) {
    this.#options = options;
    this.#id = options.id;
    this.lease = new Lease(options.clock);
    this.#startedMs = this.lease.nowMs;
    this.#view = new ClusterView({
      ...options,
      adopted: (before) => {
        this.#lastSlots.note(before, this.topology, this.#id);
        options.host.changed();
      },
      changed: () => {
        void this.#react();
      },
      distrusted: () => {
        this.lease.lost();
        this.#registeredAt = 0;
        options.host.changed();
      },
      failed: (error) => {
        this.#fails(error);
      },
    });
  }

  get topology(): Topology {
    return this.#view.topology;
  }

  get id(): string {
    return this.#id;
  }

  get self(): Self {
    return { id: this.#id, address: this.#options.address };
  }

  get group(): Group | undefined {
    return this.topology.groupOf(this.#id);
  }

  /** True when the node is registered with its current lease, and has read all earlier changes. */
  get isRegistered(): boolean {
    return this.#registeredAt > 0 && this.topology.revision >= this.#registeredAt;
  }

  /** True while the node is the primary of its group, according to its registration and the topology. */
  get isPrimary(): boolean {
    return this.isRegistered && this.group?.primary === this.#id;
  }

  /** Renews the lease, and retries pending work. */
  async beat(): Promise<void> {
    if (this.#isBeating || this.#hasStopped) return;
    this.#isBeating = true;
    try {
      if (!this.#view.isWatching) await this.#view.connect();
      if (this.#registeredAt === 0) await this.#register();
      else await this.#renew();
      if (this.#registeredAt > 0) await this.#report();
      this.#works();
    } catch (error) {
      this.#fails(error);
    } finally {
      this.#isBeating = false;
    }
    await this.#react();
  }

  /** Revokes the lease, so that other nodes need not wait for its expiry. */
  async stop(): Promise<void> {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    this.lease.lost();
    this.#view.end();
    const { coordinator } = this.#options;
    try {
      await coordinator.revoke();
    } catch {
      // It ends by itself.
    }
    coordinator.close();
  }

  /**
   * Executes a decision: computes its plan from the current topology, and again if another node was first. Resolves
   * when it is in effect and known here.
   */
  decide(make: (topology: Topology) => Plan | undefined): Promise<void> {
    return this.#view.decide(make);
  }

  /** Reads all documents again. Throws a ClusterError if they belong to another cluster. */
  refresh(): Promise<void> {
    return this.#view.refresh();
  }

  /** Publishes new announced properties of this node; without a lease, once it has one. */
  async readdress(): Promise<void> {
    if (this.#registeredAt === 0) return;
    try {
      await this.#putNode();
    } catch (error) {
      this.#fails(error);
    }
    await this.#react();
  }

  /** Lets this node take over from a primary without a lease, although its data may be incomplete. */
  async force(): Promise<void> {
    this.#isForced = true;
    if (this.#registeredAt > 0) await this.#putNode();
    await this.#react();
  }

  /** Becomes another node with a new, unknown id. */
  async rename(id: string): Promise<void> {
    const { coordinator } = this.#options;
    this.lease.lost();
    this.#registeredAt = 0;
    await coordinator.revoke();
    this.#id = id;
    this.#reported = '';
  }

  async #register(): Promise<void> {
    const { coordinator, leaseMs, log } = this.#options;
    if (await this.#standsDown()) return;
    const sentMs = this.lease.nowMs;
    const ttlMs = await coordinator.grant(leaseMs);
    this.#standsFor = -1;
    const { revision } = await this.#putNode();
    this.lease.renewed(sentMs, ttlMs);
    this.#registeredAt = revision;
    this.#hasRegistered = true;
    // The role of a primary with an existing lease cannot have been taken over: its earlier state becomes known by
    // this.
    await this.refresh();
    log.info('cluster-registered', 'Node registered in the cluster', { node: this.#id });
    this.#options.host.changed();
  }

  /**
   * True while a restarted primary leaves its role to a replica: its last acknowledged writes may not be on its disk,
   * but a replica has them.
   */
  async #standsDown(): Promise<boolean> {
    const { group, topology } = this;
    if (this.#hasRegistered || group?.primary !== this.#id) return false;
    const isFollowed = group.replicas.some((id) => {
      const node = topology.nodes.get(id);
      return node !== undefined && !node.noFailover && node.offset >= 0;
    });
    const waitedMs = this.lease.nowMs - this.#startedMs;
    if (!isFollowed || waitedMs > STAND_DOWN_LEASES * this.#options.leaseMs) return false;
    if (!topology.nodes.has(this.#id)) return true;
    await this.#options.coordinator.commit([], [{ key: nodeKey(this.#id), value: undefined }]);
    return true;
  }

  async #renew(): Promise<void> {
    const sentMs = this.lease.nowMs;
    const ttlMs = await this.#options.coordinator.keepAlive();
    if (ttlMs > 0) {
      const wasSafe = this.lease.isSafe;
      this.lease.renewed(sentMs, ttlMs);
      if (!wasSafe) this.#options.host.changed();
      return;
    }
    this.lease.lost();
    this.#registeredAt = 0;
    this.#options.log.warn('cluster-lease', 'Lease of this node lost', { node: this.#id });
    this.#options.host.changed();
    await this.#register();
  }

  /** Periodically publishes the replication offset of the data. */
  async #report(): Promise<void> {
    const { nowMs } = this.lease;
    const document = this.#document();
    // Who has the data now may be wanted in the next moment.
    const isChange = this.#hasReported !== document.offset >= 0;
    if (!isChange && nowMs - this.#reportedMs < REPORT_MS) return;
    this.#reportedMs = nowMs;
    if (JSON.stringify(document) !== this.#reported) await this.#putNode();
  }

  async #putNode(): Promise<Outcome> {
    const document = this.#document();
    const value = JSON.stringify(document);
    const write = { key: nodeKey(this.#id), value, isLeased: true };
    const outcome = await this.#options.coordinator.commit([], [write]);
    this.#reported = value;
    this.#hasReported = document.offset >= 0;
    return outcome;
  }

  #document(): NodeDocument {
    const { address, http = '', run, version, noFailover, host } = this.#options;
    const { streamId, offset } = host.placeOf(this.#isForced ? '' : (this.group?.primary ?? ''));
    return {
      ...address,
      version,
      run,
      streamId,
      offset,
      standsFor: this.#standsFor,
      noFailover: noFailover() && !this.#isForced,
      ...(http === '' ? {} : { http }),
    };
  }

  // Reactions to the topology.

  async #react(): Promise<void> {
    this.#mustReact = true;
    if (this.#isReacting) return;
    this.#isReacting = true;
    try {
      while (this.#mustReact && !this.#hasStopped) {
        this.#mustReact = false;
        await this.#step();
      }
    } catch (error) {
      this.#fails(error);
    } finally {
      this.#isReacting = false;
    }
  }

  async #step(): Promise<void> {
    if (!this.isRegistered) {
      this.#alignRole();
      return;
    }
    const wish = this.#options.wish();
    await this.decide((topology) => join(topology, this.self, wish));
    this.#alignRole();
    await this.#serveHandover();
    await this.#stand();
    await this.#migrate();
    await this.#joinTaker();
  }

  #alignRole(): void {
    const { group, topology } = this;
    const { host } = this.#options;
    if (group === undefined) return;
    if (group.primary === this.#id) {
      // An uncertain role is not taken again.
      if (!this.isRegistered) return;
      this.#isForced = false;
      host.lead();
      return;
    }
    const address = topology.nodes.get(group.primary) ?? group.addresses[group.primary];
    if (address !== undefined) host.follow(group.primary, address);
  }

  async #serveHandover(): Promise<void> {
    const { group, topology } = this;
    const handover = group?.primary === this.#id ? group.handover : undefined;
    if (group === undefined || handover === undefined || this.#handsOverTo !== undefined) return;
    const { target, isForced } = handover;
    if (!topology.nodes.has(target)) {
      await this.decide((now) => refuseHandover(now, this.#id));
      return;
    }
    this.#handsOverTo = target;
    void this.#handOver(target, isForced);
  }

  async #handOver(target: string, isForced: boolean): Promise<void> {
    const { host, log } = this.#options;
    try {
      const isReady = await host.prepareHandover(target, isForced);
      if (isReady) {
        // From here on this node accepts no writes until the coordinator has confirmed the primary.
        await this.decide((topology) => handOver(topology, this.#id, target));
        log.info('cluster-handover', 'Primary role handed over', {
          target,
          ...this.#named('target', target),
        });
      } else {
        await this.decide((topology) => refuseHandover(topology, this.#id));
        log.warn('cluster-handover', 'Handover failed: the replica did not catch up', {
          target,
          ...this.#named('target', target),
        });
      }
    } catch (error) {
      this.#fails(error);
      // The outcome is unknown: the lease is given up, and acquired again with the current state.
      this.lease.lost();
      this.#registeredAt = 0;
      this.#options.host.changed();
    } finally {
      this.#handsOverTo = undefined;
      this.#alignRole();
      host.endHandover();
      void this.#react();
    }
  }

  /** Takes part in the election of a new primary when the primary has no lease. */
  async #stand(): Promise<void> {
    const { group } = this;
    if (group === undefined) return;
    switch (candidacyOf(this.topology, this.#id)) {
      case 'stand':
        this.#standsFor = group.revision;
        await this.#putNode();
        break;
      case 'win':
        await this.decide((topology) => takeOver(topology, this.#id));
        if (this.isPrimary) {
          this.#options.log.info('cluster-failover', 'Promoted to primary', {
            before: group.primary,
            ...this.#named('before', group.primary),
          });
        }
        break;
      case 'none':
        if (this.topology.nodes.has(group.primary)) this.#isForced = false;
        break;
      case 'await':
      case 'yield':
      case 'hopeless':
        break;
    }
  }

  /** Follows a primary that has lost all its replicas, if the own primary has enough others. */
  async #migrate(): Promise<void> {
    const barrier = this.#options.migrationBarrier();
    const orphan =
      barrier === undefined ? undefined : orphanFor(this.topology, this.#id, barrier)?.id;
    if (barrier === undefined || orphan === undefined) {
      this.#orphan = undefined;
      return;
    }
    const { nowMs } = this.lease;
    if (this.#orphan?.group !== orphan) this.#orphan = { group: orphan, sinceMs: nowMs };
    if (nowMs - this.#orphan.sinceMs < ORPHAN_MS) return;
    const before = this.group?.primary ?? '';
    await this.decide((topology) => migrate(topology, this.self, barrier, orphan));
    this.#orphan = undefined;
    if (this.group?.id !== orphan) return;
    this.#alignRole();
    this.#options.log.info(
      'cluster-replica-migration',
      'Replica moved to a primary without replicas',
      { before, primary: this.group.primary, ...this.#named('primary', this.group.primary) },
    );
  }

  /** Follows the group that has taken the last slots of this one, as Redis' primaries do. */
  async #joinTaker(): Promise<void> {
    const { takenBy } = this.#lastSlots;
    if (takenBy === undefined || !this.isPrimary) return;
    if (this.#options.migrationBarrier() === undefined) return;
    await this.decide((topology) => joinTaker(topology, this.#id, takenBy));
    const { group } = this;
    if (group?.id !== takenBy) return;
    this.#alignRole();
    this.#options.log.info(
      'cluster-slots-taken',
      'All slots moved away: this node now follows the primary that took them',
      { primary: group.primary, ...this.#named('primary', group.primary) },
    );
  }

  /** The name that people have for a node, as a field of a log line beside that of its id; nothing where it has none. */
  #named(field: string, id: string): Readonly<Record<string, string>> {
    const { nodename = '' } = this.topology.member(id)?.address ?? {};
    return nodename === '' ? {} : { [`${field}-name`]: nodename };
  }

  #works(): void {
    if (this.problem === undefined) return;
    this.problem = undefined;
    this.#options.log.info('cluster-coordinator', 'Coordinator available again');
    this.#options.host.changed();
  }

  #fails(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    const isNew = this.problem !== problem;
    this.problem = problem;
    if (!isNew) return;
    this.#options.log.error('cluster-coordinator', 'Coordinator unavailable', { problem });
    this.#options.host.changed();
  }
}
