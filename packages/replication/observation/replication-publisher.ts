/** Publishes the state of replication to the ops thread: once a second, and soon after a link or the role has changed. */

import { type Clock, everySecond } from '#base';
import type { Settings } from '#config';
import type { OpsLink } from '#main';
import type { Replication } from '../replication.ts';
import { replicationState } from './replication-document.ts';

interface ReplicationPublisherOptions {
  readonly replication: Replication;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ops: Pick<OpsLink, 'publishReplication'>;
}

export class ReplicationPublisher {
  readonly #options: ReplicationPublisherOptions;
  #stopTimer: () => void = () => undefined;
  #unfollow: () => void = () => undefined;
  #soon: NodeJS.Immediate | undefined;
  /** True when there was something to publish the last time. */
  #wasNotable = false;

  constructor(options: ReplicationPublisherOptions) {
    this.#options = options;
  }

  start(): void {
    const { settings, replication } = this.#options;
    if (!settings.boolean('http.enabled')) return;
    this.#stopTimer = everySecond(() => {
      this.#publish();
    });
    this.#unfollow = replication.events.changes.add(() => {
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
    const { replication, settings, clock, ops } = this.#options;
    const isNotable = replication.replica !== undefined || replication.primary.replicas.length > 0;
    // A server without replicas and primary publishes that once.
    if (!isNotable && !this.#wasNotable) return;
    this.#wasNotable = isNotable;
    ops.publishReplication(replicationState(replication, settings, clock.wallMs()));
  }
}
