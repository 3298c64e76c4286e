/** Says in the log that main stands still, which main itself cannot, and when it goes on. */

import { mainStandstill, type Page } from '#stats';

/** Between two looks. */
const LOOK_MS = 250;

interface MainWatchOptions {
  readonly main: Page;
  /** Names of commands by their ids, as `client|list`. */
  readonly commandNames: readonly string[];
  nowUs(): number;
  log(level: 'error' | 'warn', event: string, message: string): void;
}

export class MainWatch {
  readonly #options: MainWatchOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Since when main stands still, as far as is known; 0 when it does not. */
  #sinceUs = 0;

  constructor(options: MainWatchOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.look();
    }, LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const options = this.#options;
    const nowUs = options.nowUs();
    const standstill = mainStandstill(options.main, options.commandNames, nowUs);
    if (standstill !== null && this.#sinceUs === 0) {
      this.#sinceUs = nowUs - standstill.silentUs;
      options.log('error', 'main-stuck', `main ${standstill.doing}`);
    } else if (standstill === null && this.#sinceUs > 0) {
      const seconds = ((nowUs - this.#sinceUs) / 1_000_000).toFixed(1);
      this.#sinceUs = 0;
      const message = `main goes on, after it has stood still for about ${seconds} s`;
      options.log('warn', 'main-goes-on', message);
    }
  }
}
