/** Tells the ops thread of the cluster: once a second, and soon after something has happened. */

import { everySecond } from '#base';
import type { Settings } from '#config';
import type { OpsLink } from '../../threads/ops-link.ts';
import { clusterState } from './cluster-document.ts';
import type { ClusterObservation } from './cluster-observation.ts';

interface ClusterNewsOptions {
  readonly settings: Settings;
  readonly ops: Pick<OpsLink, 'tellCluster'>;
}

export class ClusterNews {
  readonly #observation: ClusterObservation;
  readonly #options: ClusterNewsOptions;
  #stopTimer: () => void = () => undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(observation: ClusterObservation, options: ClusterNewsOptions) {
    this.#observation = observation;
    this.#options = options;
  }

  start(): void {
    if (!this.#options.settings.boolean('http.enabled')) return;
    this.#stopTimer = everySecond(() => {
      this.#tell();
    });
    this.#observation.onNews = () => {
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#tell();
      });
    };
  }

  stop(): void {
    this.#stopTimer();
    clearImmediate(this.#soon);
    this.#observation.onNews = () => undefined;
  }

  #tell(): void {
    const observation = this.#observation;
    const state = clusterState(observation);
    this.#options.ops.tellCluster({ state, times: observation.coordinator.times });
  }
}
