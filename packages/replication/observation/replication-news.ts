/** Tells the ops thread of replication: once a second, and soon after a link or the role has changed. */

import { type Clock, everySecond } from '#base';
import type { Settings } from '#config';
import type { OpsLink } from '#main';
import type { Replication } from '../replication.ts';
import { replicationState } from './replication-document.ts';

interface ReplicationNewsOptions {
  readonly replication: Replication;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly ops: Pick<OpsLink, 'tellReplication'>;
}

export class ReplicationNews {
  readonly #options: ReplicationNewsOptions;
  #stopTimer: () => void = () => undefined;
  #unfollow: () => void = () => undefined;
  #soon: NodeJS.Immediate | undefined;
  /** There was something to tell of the last time. */
  #wasNotable = false;

  constructor(options: ReplicationNewsOptions) {
    this.#options = options;
  }

  start(): void {
    const { settings, replication } = this.#options;
    if (!settings.boolean('http.enabled')) return;
    this.#stopTimer = everySecond(() => {
      this.#tell();
    });
    this.#unfollow = replication.events.changes.add(() => {
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
    const { replication, settings, clock, ops } = this.#options;
    const isNotable = replication.replica !== undefined || replication.primary.replicas.length > 0;
    // Of a server alone there is nothing to tell, but once that it is alone.
    if (!isNotable && !this.#wasNotable) return;
    this.#wasNotable = isNotable;
    ops.tellReplication(replicationState(replication, settings, clock.wallMs()));
  }
}
