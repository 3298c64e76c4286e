/**
 * A failover that was asked for: writes wait until a replica has all data, then this server asks it to be the primary
 * (`PSYNC ... FAILOVER`, as Redis does) and follows it.
 */

import type { Clock, Logger } from '#base';
import type { FailoverPort, FailoverTarget, FailoverWish } from '#commands';
import type { Router } from '#router';
import type { Primary } from './protocol/primary/primary.ts';
import type { Clients } from '#clients';
import { untilDrained } from './drain.ts';

/** Between two looks at whether a replica has all data. */
const LOOK_MS = 10;

/** States by the names that INFO has for them. */
type FailoverState = 'no-failover' | 'waiting-for-sync' | 'failover-in-progress';

interface FailoverOptions {
  readonly router: Pick<Router, 'shardCalls' | 'isBusy'>;
  readonly primary: Primary;
  readonly clients: Pick<Clients, 'pause' | 'unpause'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Makes this server the replica of another, and a primary again. */
  follow(target: FailoverTarget): void;
  lead(): void;
}

export class Failover implements FailoverPort {
  readonly #options: FailoverOptions;
  #state: FailoverState = 'no-failover';
  #wish: FailoverWish | undefined;
  /** Unix milliseconds at which the time is over; Infinity without a limit. */
  #untilMs = Infinity;
  /** All that was done before the pause is in the stream. */
  #isDrained = false;
  #ticker: NodeJS.Timeout | undefined;

  constructor(options: FailoverOptions) {
    this.#options = options;
  }

  get state(): FailoverState {
    return this.#state;
  }

  get isUnderWay(): boolean {
    return this.#state !== 'no-failover';
  }

  /** True while the replica that is to be the primary has still to be asked. */
  get isAsking(): boolean {
    return this.#state === 'failover-in-progress';
  }

  begin(wish: FailoverWish): void {
    const { clients, clock, primary, log } = this.#options;
    log.info('failover', `FAILOVER requested to ${nameOf(wish.target)}.`);
    this.#wish = wish;
    this.#untilMs = wish.timeoutMs > 0 ? clock.wallMs() + wish.timeoutMs : Infinity;
    this.#state = 'waiting-for-sync';
    this.#isDrained = false;
    // With a time limit no replica misses it.
    primary.holdsPings = wish.timeoutMs > 0;
    clients.pause('write', Infinity, 'failover');
    this.#ticker = setInterval(() => {
      this.#look();
    }, LOOK_MS);
    void untilDrained(this.#options, () => this.#wish === wish).then((isDrained) => {
      if (!isDrained || this.#state !== 'waiting-for-sync') return;
      this.#isDrained = true;
      if (primary.lacksAcks) primary.acks.ask();
      this.#look();
    });
  }

  abort(reason: string): void {
    if (!this.isUnderWay) return;
    this.#options.log.info('failover-aborted', `FAILOVER to ${this.#target} aborted: ${reason}`);
    if (this.isAsking) this.#options.lead();
    this.#end();
  }

  /** Aborts a failover because the server stops. */
  stop(): void {
    clearInterval(this.#ticker);
    this.#wish = undefined;
  }

  /** The server that was asked to be the primary has answered. */
  answered(isAccepted: boolean): void {
    if (!this.isAsking) return;
    if (isAccepted) this.#end();
    else this.abort('Failover target rejected psync request');
  }

  get #target(): string {
    return nameOf(this.#wish?.target);
  }

  /** Looks whether the time is over, or a replica has all data. */
  #look(): void {
    const wish = this.#wish;
    if (wish === undefined || this.#state !== 'waiting-for-sync') return;
    const { primary, clock, log } = this.#options;
    const { target, isForced } = wish;
    if (clock.wallMs() >= this.#untilMs) {
      if (!isForced || target === undefined) {
        this.abort('Replica never caught up before timeout');
        return;
      }
      log.info('failover', `FAILOVER to ${this.#target} time out exceeded, failing over.`);
      this.#ask(target);
      return;
    }
    if (!this.#isDrained || !primary.isSettled) return;
    const synced = primary.replicas.find(
      (replica) =>
        replica.state === 'online' &&
        replica.ack.offset === primary.offset &&
        (target === undefined || replica.isAt(target.host, target.port)),
    );
    if (synced === undefined) return;
    const place = { host: synced.host, port: synced.announced.listeningPort };
    log.info('failover', `Failover target ${nameOf(place)} is synced, failing over.`);
    this.#ask(place);
  }

  #ask(target: FailoverTarget): void {
    clearInterval(this.#ticker);
    this.#state = 'failover-in-progress';
    this.#wish = { target, timeoutMs: 0, isForced: false };
    this.#options.follow(target);
  }

  #end(): void {
    clearInterval(this.#ticker);
    this.#state = 'no-failover';
    this.#wish = undefined;
    this.#options.primary.holdsPings = false;
    this.#options.clients.unpause('failover');
  }
}

function nameOf(target: FailoverTarget | undefined): string {
  return target === undefined ? 'any replica' : `${target.host}:${target.port}`;
}
