/** Tells the log of failed logins, of many at once: a storm of them leaves a line a second, and none is left out. */

import type { Logger } from '#base';
import type { Client } from '#router';

/** Failed logins are told at most once in this time. */
const INTERVAL_MS = 1_000;

export class FailedLogins {
  readonly #log: Pick<Logger, 'warn'>;
  /** Failures that were not told yet. */
  #count = 0;
  /** The last client that has failed. */
  #last: { readonly conn_id: number; readonly addr: string } | undefined;
  #toldMs = 0;

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  add({ id, address }: Pick<Client, 'id' | 'address'>, nowMs: number): void {
    this.#count += 1;
    this.#last = { conn_id: id, addr: address };
    this.tick(nowMs);
  }

  /** Tells what was not told yet, unless something was within the last second. Called now and then. */
  tick(nowMs: number): void {
    if (this.#count === 0 || Math.abs(nowMs - this.#toldMs) < INTERVAL_MS) return;
    this.#log.warn('login-failed', 'Clients could not log in.', {
      count: this.#count,
      ...this.#last,
    });
    this.#toldMs = nowMs;
    this.#count = 0;
  }
}
