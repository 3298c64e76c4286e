/**
 * Wait before the end of a server for replicas that lack something. Until it is over the server serves reads and holds writes
 * back, as Redis does, and the end can be called off.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger } from '#base';
import type { Page } from '#stats';
import type { Primary } from '../protocol/primary/primary.ts';
import type { Clients } from '#clients';

/** Between two looks at what replicas have. */
const LOOK_MS = 5;

interface ShutdownWaitOptions {
  readonly primary: Pick<Primary, 'acks' | 'lacksAcks'>;
  readonly clients: Pick<Clients, 'pause' | 'unpause'>;
  readonly page: Page;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
}

export class ShutdownWait {
  readonly #options: ShutdownWaitOptions;
  /** Unix milliseconds until which replicas are waited for; undefined while they are not. */
  #untilMs: number | undefined;
  /** True while that can be called off. */
  #mayAbort = false;
  readonly #aborted: (() => void)[] = [];

  constructor(options: ShutdownWaitOptions) {
    this.#options = options;
  }

  /** Calls back when the end is called off. */
  onAbort(aborted: () => void): void {
    this.#aborted.push(aborted);
  }

  /**
   * Waits until replicas have acknowledged everything, for at most `timeoutMs`, or until `isOver`. Resolves with true
   * if the server must stop now, and with false if the shutdown was aborted, is complete, or is already waited for.
   */
  async run(timeoutMs: number, isOver: () => boolean): Promise<boolean> {
    const { primary, clients, clock, log, page } = this.#options;
    if (this.#untilMs !== undefined) return false;
    const lacksAcks = (): boolean => primary.lacksAcks;
    // The stream of a replica continues until its link is closed.
    const isReplica = page.get('isReplica') === 1;
    if (timeoutMs <= 0 || isReplica || !lacksAcks()) return true;
    const untilMs = clock.wallMs() + timeoutMs;
    this.#waitUntil(untilMs);
    this.#mayAbort = true;
    log.info('awaiting-replicas', 'Waiting for replicas before stopping', { ms: timeoutMs });
    clients.pause('write', Infinity, 'shutdown');
    primary.acks.ask();
    const isWanted = (): boolean => this.#isUntil(untilMs) && !isOver();
    while (lacksAcks() && clock.wallMs() < untilMs && isWanted()) await sleep(LOOK_MS);
    if (this.#isUntil(untilMs)) this.#mayAbort = false;
    return isWanted();
  }

  /** True unless the wait has been called off. */
  #isUntil(untilMs: number): boolean {
    return this.#untilMs === untilMs;
  }

  #waitUntil(untilMs: number | undefined): void {
    this.#untilMs = untilMs;
    this.#options.page.set('shutdownUntilMs', untilMs ?? 0);
  }

  /** Calls the end off; false where none is under way. */
  abort(): boolean {
    if (!this.#mayAbort) return false;
    this.#mayAbort = false;
    this.#waitUntil(undefined);
    this.#options.clients.unpause('shutdown');
    this.#options.log.info('shutdown-aborted', 'Shutdown aborted');
    for (const aborted of this.#aborted.splice(0)) aborted();
    return true;
  }
}
