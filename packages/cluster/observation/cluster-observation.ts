/**
 * All that can be seen of this node in its cluster: figures of main's page, events, calls to the coordinator, redirects, and
 * pings to the other nodes.
 */

import { type Clock, everySecond, Listeners } from '#base';
import type { Settings } from '#config';
import type { FlightRecorder, Page } from '#stats';
import { slotCount } from '../agreement/history/topology-changes.ts';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import type { Discard } from '#replication';
import { ClusterEvents } from './cluster-events.ts';
import { CoordinatorFigures } from './coordinator-figures.ts';
import { NodePings, type NodePlace } from './node-pings.ts';
import { RedirectCounts } from './redirect-counts.ts';

/** Discards that are shown. */
const DISCARDS_MAX = 16;

/** Node that is observed. */
interface ClusterSubject {
  readonly node: ClusterNode;
  /** It takes commands with keys. */
  readonly isUp: boolean;
  /** Reason why it is not up; of no meaning while it is. */
  readonly downReason: string;
  /** Connections to other nodes and from them. */
  readonly links: readonly { readonly queuedBytes: number }[];
  /** Lines of CLUSTER INFO. */
  readonly info: readonly (readonly [name: string, value: string | number])[];
}

export interface ObservationOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly page: Page;
  readonly flight: FlightRecorder;
  /** Keys of this server. */
  readonly ownKeys: () => number;
}

/** Lines of CLUSTER INFO, and the counters of the page that have the same value. */
const SAME_AS_INFO = [
  ['cluster_known_nodes', 'clusterKnownNodes'],
  ['cluster_size', 'clusterSize'],
  ['cluster_slots_assigned', 'clusterSlotsAssigned'],
  ['cluster_slots_ok', 'clusterSlotsOk'],
  ['cluster_slots_fail', 'clusterSlotsFailed'],
  ['cluster_slots_free', 'clusterSlotsFree'],
  ['cluster_current_epoch', 'clusterEpoch'],
  ['cluster_my_epoch', 'clusterOwnEpoch'],
] as const;

export class ClusterObservation {
  readonly settings: Settings;
  readonly page: Page;
  readonly ownKeys: () => number;
  readonly coordinator: CoordinatorFigures;
  readonly redirects: RedirectCounts;
  readonly events: ClusterEvents;
  readonly pings: NodePings;
  /** The latest discarded writes, oldest first. */
  discards: readonly Discard[] = [];
  /** Listeners that are called when something has happened. */
  readonly changes = new Listeners();
  readonly #subject: () => ClusterSubject;
  #stopTimer: () => void = () => undefined;

  constructor(options: ObservationOptions, subject: () => ClusterSubject) {
    const { settings, page, clock } = options;
    this.#subject = subject;
    this.settings = settings;
    this.page = page;
    this.ownKeys = options.ownKeys;
    this.coordinator = new CoordinatorFigures(page);
    this.redirects = new RedirectCounts(page);
    this.events = new ClusterEvents(options);
    this.pings = new NodePings({ settings, clock, places: () => this.#others() });
    page.set('clusterEnabled', 1);
  }

  get subject(): ClusterSubject {
    return this.#subject();
  }

  start(): void {
    this.pings.start();
    this.#stopTimer = everySecond(() => {
      this.look();
    });
  }

  stop(): void {
    this.#stopTimer();
    this.pings.stop();
  }

  /** Records changes of the cluster. */
  look(): void {
    const { node, isUp, downReason } = this.subject;
    const { id, topology, isRegistered, problem } = node;
    const hasChanged = this.events.observe({
      id,
      topology,
      isRegistered,
      problem,
      isUp,
      downReason,
    });
    this.show();
    if (hasChanged) this.changes.notify();
  }

  /** Takes note of writes that the node has discarded. */
  discarded(discard: Discard): void {
    const { writes, bytes, file, lacks } = discard;
    const kept = file === undefined ? 'not in a file' : `in ${file}`;
    const reason = `${writes} writes, ${bytes} bytes: ${kept}. ${lacks}`.trimEnd();
    this.discards = [...this.discards, discard].slice(-DISCARDS_MAX);
    this.events.discarded(reason, this.subject.node);
    this.changes.notify();
  }

  /** Writes the figures of now to the page. */
  show(): void {
    const { page, events } = this;
    const { node, isUp } = this.subject;
    const { topology, group, id } = node;
    const lines = new Map(this.subject.info);
    for (const [line, counter] of SAME_AS_INFO) page.set(counter, Number(lines.get(line)));
    const seen = topology.membersSeenBy(id);
    page.set('clusterUp', Number(isUp));
    page.set('clusterLinkBytes', sumOf(this.subject.links));
    page.set('clusterIsPrimary', Number(node.isPrimary));
    page.set('clusterNodesPresent', seen.filter((member) => member.node !== undefined).length);
    page.set('clusterGroupsWithoutPrimary', seen.filter(isAbsentPrimary).length);
    page.set('clusterOwnSlots', slotCount(topology, group?.id ?? ''));
    page.set('clusterOpenSlots', Object.keys(topology.slots.open).length);
    this.showLease();
    page.set('clusterCoordinatorUp', Number(node.problem === undefined));
    page.set('clusterCoordinatorDownSinceMs', events.coordinatorDownSinceMs);
  }

  /** Writes the figures of the lease to the page. */
  showLease(): void {
    const { page } = this;
    const { isRegistered, lease } = this.subject.node;
    page.set('clusterLeaseRenewedUs', 1_000 * lease.renewedMs);
    page.set('clusterLeaseUntilUs', isRegistered ? 1_000 * lease.writesUntilMs : 0);
    page.set('clusterLeaseTtlUs', 1_000 * lease.ttlMs);
  }

  /** Nodes to PING: all with a lease; with TLS if this node uses TLS for replication. */
  #others(): readonly NodePlace[] {
    const { topology, id: self } = this.subject.node;
    const hasTls = this.settings.boolean('tls.replication');
    return topology
      .membersSeenBy(self)
      .filter(({ id, node }) => id !== self && node !== undefined)
      .map(({ id, address: { host, port, tlsPort } }) => {
        const isSecure = hasTls && tlsPort > 0;
        return { id, host, port: isSecure ? tlsPort : port, isSecure };
      })
      .filter(({ port }) => port > 0);
  }
}

function isAbsentPrimary({ isPrimary, node }: { isPrimary: boolean; node: unknown }): boolean {
  return isPrimary && node === undefined;
}

function sumOf(links: readonly { readonly queuedBytes: number }[]): number {
  return links.reduce((sum, { queuedBytes }) => sum + queuedBytes, 0);
}
