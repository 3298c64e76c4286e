/**
 * The picture of the cluster that a node believes: read whole, kept by a watch, and changed by decisions.
 *
 * What another cluster has agreed on is not believed; nor is what was said before, once the coordinator is seen to be another
 * or to have been put back to an earlier state.
 */

import type { Logger } from '#base';
import { ClusterError } from './cluster-error.ts';
import type { Coordinator } from './coordinator/coordinator.ts';
import { identify } from './decisions/membership.ts';
import type { Plan } from './decisions/plan.ts';
import { Topology } from './topology.ts';

/** Tries of a decision that others are in the way of. */
const TRIES_MAX = 32;

/** Cluster that the node belongs to, as it remembers it. */
export interface ClusterIdentity {
  /** Empty before the node has joined one. */
  readonly clusterId: string;
  /** Returns the id for a cluster that has none. */
  newClusterId(): string;
  joined(clusterId: string): void;
}

interface ClusterViewOptions {
  readonly coordinator: Coordinator;
  readonly identity: ClusterIdentity;
  readonly log: Pick<Logger, 'info'>;
  /** The topology is another now than before. */
  adopted(before: Topology): void;
  /** The watch has brought something. */
  changed(): void;
  /** Nothing is believed any more of what was agreed on before. */
  distrusted(): void;
  readonly failed: (error: unknown) => void;
}

export class ClusterView {
  topology = Topology.nothing;
  readonly #options: ClusterViewOptions;
  /** Coordinator that the topology is of; undefined before any was read. */
  #source: string | undefined;
  #endWatch: (() => void) | undefined;

  constructor(options: ClusterViewOptions) {
    this.#options = options;
  }

  get isWatching(): boolean {
    return this.#endWatch !== undefined;
  }

  /**
   * Executes a decision: computes its plan from the current topology, and again if another node was first. Resolves
   * when it is in effect and known here.
   */
  async decide(make: (topology: Topology) => Plan | undefined): Promise<void> {
    const { coordinator } = this.#options;
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const plan = make(this.topology);
      if (plan === undefined) return;
      const { isDone } = await coordinator.commit(plan.guards, plan.writes);
      await this.refresh();
      if (isDone) return;
    }
    throw new ClusterError('The cluster changes too quickly: try again');
  }

  /** Reads all documents again. Throws a ClusterError if they belong to another cluster. */
  async refresh(): Promise<void> {
    const known = this.topology.revision;
    const { entries, revision, source } = await this.#options.coordinator.read();
    const isOther = this.#source !== undefined && (source !== this.#source || revision < known);
    if (isOther) {
      this.end();
      this.#options.distrusted();
    } else if (revision <= this.topology.revision) {
      return;
    }
    const topology = Topology.of(entries, revision);
    this.#checkIdentity(topology);
    this.#source = source;
    this.#adopt(topology);
    if (!isOther) return;
    const error = new ClusterError(
      'the coordinator is another, or was put back to an earlier state',
    );
    this.#options.failed(error);
    throw error;
  }

  #checkIdentity({ clusterId }: Topology): void {
    const known = this.#options.identity.clusterId;
    if (known === '' || clusterId === '' || known === clusterId) return;
    throw new ClusterError(
      `the documents are those of another cluster (${clusterId}); this node is one of ${known}. ` +
        'Correct cluster.coordinator-endpoints or cluster.name; or have the node forget its cluster by CLUSTER RESET HARD',
    );
  }

  /** Has the cluster and this node know each other by the cluster's id. */
  async #identify(): Promise<void> {
    const { identity, log } = this.#options;
    const id = identity.clusterId === '' ? identity.newClusterId() : identity.clusterId;
    await this.decide((topology) => identify(topology, id));
    const { clusterId } = this.topology;
    if (identity.clusterId === clusterId) return;
    identity.joined(clusterId);
    log.info('cluster-joined', 'Node joined a cluster', { cluster: clusterId });
  }

  /** Reads everything, and watches from there on. */
  async connect(): Promise<void> {
    await this.refresh();
    await this.#identify();
    this.#endWatch = this.#options.coordinator.watch(this.topology.revision + 1, {
      changed: (changes, revision) => {
        try {
          this.#adopt(this.topology.with(changes, revision));
        } catch (error) {
          this.#options.failed(error);
        }
        this.#options.changed();
      },
      resumed: () => {
        this.refresh().catch(this.#options.failed);
      },
      ended: (reason) => {
        this.#endWatch = undefined;
        this.#options.failed(new ClusterError(`the watch has ended: ${reason}`));
      },
    });
  }

  #adopt(topology: Topology): void {
    if (topology === this.topology) return;
    const before = this.topology;
    this.topology = topology;
    this.#options.adopted(before);
  }

  /** Ends the watch. */
  end(): void {
    this.#endWatch?.();
    this.#endWatch = undefined;
  }
}
