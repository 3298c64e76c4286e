/** Turns in libuv's loop: an immediate ends them, and a wait of V8's (`Atomics.waitAsync`) reports the bell. */

import type { Doorbell } from '#link';
import type { ThreadLoop, TurnEvents } from './thread-loop.ts';

export class LibuvLoop implements ThreadLoop {
  readonly name = 'libuv';
  readonly #bell: Pick<Doorbell, 'listen' | 'stop'>;
  #events: TurnEvents | undefined;
  readonly #endTurn = (): void => {
    this.#events?.endTurn();
  };

  constructor(bell: Pick<Doorbell, 'listen' | 'stop'>) {
    this.#bell = bell;
  }

  get idleMs(): number {
    return performance.eventLoopUtilization().idle;
  }

  start(events: TurnEvents): void {
    this.#events = events;
    this.#bell.listen(() => {
      events.rang();
    });
  }

  schedule(): void {
    setImmediate(this.#endTurn);
  }

  stop(): void {
    this.#bell.stop();
  }
}
