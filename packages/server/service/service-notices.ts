/**
 * Reports of this server to its service manager: that it is ready, reloads, stops, and that main is alive. Main itself sends
 * all of it: a manager must restart a server whose main is stuck, however well its other threads respond. Source: sd_notify(3).
 */

import type { Clock } from '#base';

/** Signs of life within the time in which the manager expects one: a lost or late one is no fault. */
const SIGNS_PER_WATCHDOG = 2;
/** Interval of main's ticks while it is idle, unless a module awaits each. */
const IDLE_TICK_MS = 1_000;

/** Sends assignments to the manager, one a line. */
export type SendNotice = (text: string) => void;

export class ServiceNotices {
  readonly #send: SendNotice | undefined;
  readonly #clock: Pick<Clock, 'nowUs'>;
  /** Between two signs of life; 0 without a watchdog. */
  readonly #signMs: number;
  #signedUs = 0;
  #isReady = false;
  #isStopping = false;

  /** Without `send` there is no manager, and nothing is reported. */
  constructor(
    send: SendNotice | undefined,
    watchdogMs: number | undefined,
    clock: Pick<Clock, 'nowUs'>,
  ) {
    this.#send = send;
    this.#clock = clock;
    this.#signMs = send === undefined ? 0 : (watchdogMs ?? 0) / SIGNS_PER_WATCHDOG;
  }

  /** True if idle main would report too rarely. */
  get needsEveryTick(): boolean {
    return this.#isReady && this.#signMs > 0 && this.#signMs < 2 * IDLE_TICK_MS;
  }

  /** Reports that clients are served, at the start with a text for `systemctl status`, or again after a reload. */
  ready(status?: string): void {
    if (status !== undefined) this.#isReady = true;
    if (!this.#isReady || this.#isStopping) return;
    this.#send?.(status === undefined ? 'READY=1' : `READY=1\nSTATUS=${status}`);
  }

  reloading(): void {
    if (!this.#isReady || this.#isStopping) return;
    this.#send?.(`RELOADING=1\nMONOTONIC_USEC=${Math.floor(this.#clock.nowUs())}`);
  }

  /** Reports the stop once: it cannot be called off any more. */
  stopping(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#send?.('STOPPING=1');
  }

  /** Gives a sign of life if one is due. */
  tick(): void {
    if (!this.#isReady || this.#signMs === 0) return;
    const nowUs = this.#clock.nowUs();
    if (nowUs - this.#signedUs < this.#signMs * 1_000) return;
    this.#signedUs = nowUs;
    this.#send?.('WATCHDOG=1');
  }
}
