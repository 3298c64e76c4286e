/** Work of main that is done `hz` times a second, or once where main is idle: time-outs, limits, rates. */

import { PacedTimer } from '#base';
import type { Settings } from '#config';
import type { Router } from '#router';
import { type Composed, MainModule, type Modules } from '#main';

interface TickerOptions {
  readonly settings: Settings;
  readonly router: Pick<Router, 'readClock' | 'nowMs' | 'publish'>;
  readonly modules: Pick<Modules, 'tick' | 'awaitsTick'>;
}

export function tickerModule(options: TickerOptions): Composed<object> {
  const ticker = new Ticker(options);
  const module = new MainModule({
    name: 'ticker',
    hooks: {
      worked: () => {
        ticker.worked();
      },
      start: () => {
        ticker.start();
      },
      stop: () => {
        ticker.stop();
      },
    },
  });
  return { module, parts: {} };
}

class Ticker {
  readonly #options: TickerOptions;
  #timer: PacedTimer | undefined;

  constructor(options: TickerOptions) {
    this.#options = options;
  }

  start(): void {
    const { settings } = this.#options;
    this.#restart();
    settings.onChange('server.hz', () => {
      this.#restart();
    });
  }

  #restart(): void {
    this.stop();
    const everyMs = 1_000 / this.#options.settings.number('server.hz');
    this.#timer = new PacedTimer(everyMs, () => {
      this.#tick();
    });
    this.#timer.start();
  }

  /** Notes that main has work. */
  worked(): void {
    this.#timer?.worked();
  }

  stop(): void {
    this.#timer?.stop();
  }

  #tick(): void {
    const { router, modules } = this.#options;
    router.readClock();
    modules.tick(router.nowMs);
    if (modules.awaitsTick) this.worked();
    // A pause that has ended is news for the shards.
    router.publish();
  }
}
