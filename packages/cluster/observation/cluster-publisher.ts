/** Reports the cluster to the ops thread, for metrics: every five seconds, and soon after something has happened. */

import { everySecond } from '#base';
import type { Settings } from '#config';
import type { OpsLink } from '#main';
import { clusterState } from './cluster-document.ts';
import type { ClusterObservation } from './cluster-observation.ts';

/** Seconds between two reports while nothing happens: metrics are read less often, and a report wakes two threads. */
const IDLE_SECONDS = 5;

interface ClusterPublisherOptions {
  readonly settings: Settings;
  readonly ops: Pick<OpsLink, 'publishCluster'>;
}

export class ClusterPublisher {
  readonly #observation: ClusterObservation;
  readonly #options: ClusterPublisherOptions;
  #stopTimer: () => void = () => undefined;
  #unfollow: () => void = () => undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(observation: ClusterObservation, options: ClusterPublisherOptions) {
    this.#observation = observation;
    this.#options = options;
  }

  start(): void {
    if (!this.#options.settings.boolean('http.enabled')) return;
    let seconds = 0;
    this.#stopTimer = everySecond(() => {
      seconds += 1;
      if (seconds % IDLE_SECONDS === 1) this.#publish();
    });
    this.#unfollow = this.#observation.changes.add(() => {
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#publish();
      });
    });
  }

  stop(): void {
    this.#stopTimer();
    clearImmediate(this.#soon);
    this.#unfollow();
  }

  #publish(): void {
    const observation = this.#observation;
    const state = clusterState(observation);
    this.#options.ops.publishCluster({ state, times: observation.coordinator.takeTimes() });
  }
}
