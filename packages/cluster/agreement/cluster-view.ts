/**
 * A node's view of the cluster: read completely, updated by a watch, and changed by decisions. Documents of another cluster are
 * rejected, and the view is discarded once the coordinator is a different one, or was restored to an earlier state.
 */

import type { Logger } from '#base';
import { ClusterError } from './cluster-error.ts';
import type { Coordinator } from './coordinator/coordinator.ts';
import { identify } from './decisions/membership.ts';
import type { Plan } from './decisions/plan.ts';
import { Topology } from './topology.ts';

/** Maximum number of attempts of a decision that conflicts with others. */
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
  /** Called when the topology has changed. */
  adopted(before: Topology): void;
  /** Called for each change of the watch. */
  changed(): void;
  /** Called when the view is discarded. */
  distrusted(): void;
  readonly failed: (error: unknown) => void;
}

export class ClusterView {
  topology = Topology.nothing;
  readonly #options: ClusterViewOptions;
  /** Coordinator from which the topology was read; undefined before the first. */
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
      const plan = await this.#planOf(make);
      if (plan === undefined) return;
      const { isDone } = await coordinator.commit(plan.guards, plan.writes);
      await this.refresh();
      if (isDone) return;
    }
    throw new ClusterError('The cluster changes too quickly: try again');
  }

  /**
   * Computes a plan. If the known documents do not permit it, newer ones may: the watch can be late, and another node's
   * client may act on a decision that has not arrived here. Throws the ClusterError of the latest documents.
   */
  async #planOf(make: (topology: Topology) => Plan | undefined): Promise<Plan | undefined> {
    const { revision } = this.topology;
    try {
      return make(this.topology);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      // A coordinator that cannot be reached is no reason to hide the refusal.
      await this.refresh().catch(() => undefined);
      if (this.topology.revision === revision) throw error;
      return make(this.topology);
    }
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
      'the coordinator is a different one, or was restored to an earlier state',
    );
    this.#options.failed(error);
    throw error;
  }

  #checkIdentity({ clusterId }: Topology): void {
    const known = this.#options.identity.clusterId;
    if (known === '' || clusterId === '' || known === clusterId) return;
    throw new ClusterError(
      `the documents belong to another cluster (${clusterId}); this node belongs to ${known}. ` +
        'Correct cluster.coordinator-endpoints or cluster.name; or reset the node with CLUSTER RESET HARD',
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
