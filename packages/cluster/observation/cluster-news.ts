/** Reports the cluster to the ops thread, for metrics: every five seconds, and soon after something has happened. */

import { everySecond } from '#base';
import type { Settings } from '#config';
import type { OpsLink } from '#main';
import { clusterState } from './cluster-document.ts';
import type { ClusterObservation } from './cluster-observation.ts';

/** Seconds between two reports while nothing happens: metrics are read less often, and a report wakes two threads. */
const QUIET_SECONDS = 5;

interface ClusterNewsOptions {
  readonly settings: Settings;
  readonly ops: Pick<OpsLink, 'tellCluster'>;
}

export class ClusterNews {
  readonly #observation: ClusterObservation;
  readonly #options: ClusterNewsOptions;
  #stopTimer: () => void = () => undefined;
  #unfollow: () => void = () => undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(observation: ClusterObservation, options: ClusterNewsOptions) {
    this.#observation = observation;
    this.#options = options;
  }

  start(): void {
    if (!this.#options.settings.boolean('http.enabled')) return;
    let seconds = 0;
    this.#stopTimer = everySecond(() => {
      seconds += 1;
      if (seconds % QUIET_SECONDS === 1) this.#tell();
    });
    this.#unfollow = this.#observation.changes.add(() => {
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#tell();
      });
    });
  }

  stop(): void {
    this.#stopTimer();
    clearImmediate(this.#soon);
    this.#unfollow();
  }

  #tell(): void {
    const observation = this.#observation;
    const state = clusterState(observation);
    this.#options.ops.tellCluster({ state, times: observation.coordinator.takeTimes() });
  }
}
