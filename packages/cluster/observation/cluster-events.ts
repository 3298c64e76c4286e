/** Events of a cluster as this node has seen them, with when and why: a bounded history, counts, and the flight recorder. */

import type { ClusterEventReport } from '#api-types';
import type { Clock } from '#base';
import { CLUSTER_EVENTS, FAILOVER_KINDS, type FlightRecorder, type Page } from '#stats';
import { Topology } from '../agreement/topology.ts';
import {
  type ClusterEventKind,
  type FailoverKind,
  type TopologyChange,
  topologyChanges,
} from '../agreement/history/topology-changes.ts';

/** Events kept. */
const EVENTS_MAX = 256;

const FAILOVERS = {
  'lease-lost': 'clusterFailoversLeaseLost',
  handover: 'clusterFailoversHandover',
  other: 'clusterFailoversOther',
} as const satisfies Record<FailoverKind, string>;

/** State of the node, as events compare it. */
interface ObservedNode {
  readonly id: string;
  readonly topology: Topology;
  readonly isRegistered: boolean;
  /** Reason why the coordinator cannot be used now. */
  readonly problem: string | undefined;
  readonly isUp: boolean;
  /** Reason why it is not up. */
  readonly downReason: string;
}

interface ClusterEventsOptions {
  readonly page: Page;
  readonly flight: FlightRecorder;
  readonly clock: Clock;
}

export class ClusterEvents {
  readonly #options: ClusterEventsOptions;
  #events: ClusterEventReport[] = [];
  #topology = Topology.nothing;
  #isRegistered = false;
  #isUp = false;
  #problem: string | undefined;
  #problemSinceMs = 0;
  /** Unix milliseconds at which the primary of a group was first without a lease. */
  readonly #withoutPrimary = new Map<string, number>();

  constructor(options: ClusterEventsOptions) {
    this.#options = options;
  }

  /** The latest events, oldest first. */
  get latest(): readonly ClusterEventReport[] {
    return this.#events.slice(-EVENTS_MAX);
  }

  /** Milliseconds for which a group has had no primary with a lease; null while it has one. */
  withoutPrimaryMs(group: string): number | null {
    return this.#since(this.#withoutPrimary.get(group));
  }

  /** Milliseconds for which the coordinator has not answered; null while it does. */
  get coordinatorDownMs(): number | null {
    return this.#problem === undefined ? null : this.#since(this.#problemSinceMs);
  }

  /** Unix milliseconds since which the coordinator has not answered; 0 while it does. */
  get coordinatorDownSinceMs(): number {
    return this.#problem === undefined ? 0 : this.#problemSinceMs;
  }

  #since(ms: number | undefined): number | null {
    return ms === undefined ? null : Math.max(0, Math.round(this.#options.clock.wallMs() - ms));
  }

  /** Takes the state of the node as it is now; answers whether anything has happened. */
  observe(node: ObservedNode): boolean {
    const { topology } = node;
    const count = this.#events.length;
    if (topology !== this.#topology) {
      for (const change of topologyChanges(this.#topology, topology, node.id)) {
        this.#changed(change, node);
      }
      this.#topology = topology;
      this.#followPrimaries(node);
    }
    this.#compareOwn(node);
    const hasChanged = this.#events.length > count;
    if (this.#events.length > 2 * EVENTS_MAX) this.#events = [...this.latest];
    return hasChanged;
  }

  #changed(change: TopologyChange, node: ObservedNode): void {
    const { page, flight, clock } = this.#options;
    this.#note(change, node);
    const kind = change.failover;
    if (kind === undefined) return;
    page.add(FAILOVERS[kind], 1);
    flight.note('cluster-failover', clock.nowUs(), [
      FAILOVER_KINDS.indexOf(kind),
      node.topology.revision,
      Number(change.node === node.id),
    ]);
  }

  #compareOwn(node: ObservedNode): void {
    const { isRegistered, isUp, problem } = node;
    const about = { node: node.id, group: '', before: '' };
    const wasReachable = this.#problem === undefined;
    if (wasReachable !== (problem === undefined)) {
      this.#problemSinceMs = this.#options.clock.wallMs();
      this.#note({ ...about, event: 'coordinator', reason: problem ?? 'available again' }, node);
    }
    this.#problem = problem;
    if (isRegistered !== this.#isRegistered) {
      const reason = isRegistered ? 'it has a lease' : 'its lease expired or was given up';
      if (!isRegistered) this.#options.page.add('clusterLeaseLosses', 1);
      this.#note({ ...about, event: 'lease', reason }, node);
    }
    this.#isRegistered = isRegistered;
    if (isUp !== this.#isUp) {
      const reason = isUp ? 'ok' : `fail: ${node.downReason}`;
      this.#note({ ...about, event: 'state', reason }, node);
    }
    this.#isUp = isUp;
  }

  /** The node has discarded writes that it had taken as a primary. */
  discarded(reason: string, node: Pick<ObservedNode, 'id' | 'topology'>): void {
    const group = node.topology.groupOf(node.id)?.id ?? '';
    this.#note({ event: 'discarded-writes', node: node.id, group, before: '', reason }, node);
  }

  #followPrimaries({ topology, id: self }: ObservedNode): void {
    const absent = new Set<string>();
    for (const { id, primary } of topology.seenBy(self)) {
      if (!topology.nodes.has(primary)) absent.add(id);
    }
    for (const id of this.#withoutPrimary.keys()) {
      if (!absent.has(id)) this.#withoutPrimary.delete(id);
    }
    const nowMs = this.#options.clock.wallMs();
    for (const id of absent) {
      if (!this.#withoutPrimary.has(id)) this.#withoutPrimary.set(id, nowMs);
    }
  }

  #note(
    change: Omit<TopologyChange, 'event'> & { readonly event: ClusterEventKind },
    { topology }: Pick<ObservedNode, 'topology'>,
  ): void {
    const { flight, clock } = this.#options;
    const { event, node, group, before, reason } = change;
    this.#events.push({
      time_ms: clock.wallMs(),
      event,
      node: node || null,
      group: group || null,
      before: before || null,
      reason,
      epoch: topology.revision,
    });
    const number = CLUSTER_EVENTS.indexOf(event);
    flight.note('cluster-change', clock.nowUs(), [number, topology.revision]);
  }
}
