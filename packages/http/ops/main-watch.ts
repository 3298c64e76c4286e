/** Logs from the ops thread when main or a front thread is stuck, and when it resumes. */

import { frontSilenceUs, mainStandstill, type Page, silenceText } from '#stats';

interface MainWatchOptions {
  readonly main: Page;
  readonly fronts: readonly Page[];
  /** Names of commands by their ids, as `client|list`. */
  readonly commandNames: readonly string[];
  log(level: 'error' | 'warn', event: string, message: string): void;
}

export class MainWatch {
  readonly #options: MainWatchOptions;
  /** Start of each current standstill, by thread. */
  readonly #sinceUs = new Map<string, number>();

  constructor(options: MainWatchOptions) {
    this.#options = options;
  }

  look(nowUs: number): void {
    const { main, fronts, commandNames } = this.#options;
    const standstill = mainStandstill(main, commandNames, nowUs);
    this.#note('main', nowUs, standstill?.silentUs ?? 0, standstill?.doing ?? '');
    for (const [index, page] of fronts.entries()) {
      const silentUs = frontSilenceUs(page, nowUs);
      this.#note(`front ${String(index)}`, nowUs, silentUs, silenceText(silentUs));
    }
  }

  /** Logs the begin and the end of a standstill; `silentUs` is 0 while there is none. */
  #note(thread: string, nowUs: number, silentUs: number, doing: string): void {
    const event = thread.replace(/ \d+$/, '');
    const sinceUs = this.#sinceUs.get(thread);
    if (silentUs > 0 && sinceUs === undefined) {
      this.#sinceUs.set(thread, nowUs - silentUs);
      this.#options.log('error', `${event}-stuck`, `${thread} ${doing}`);
    } else if (silentUs === 0 && sinceUs !== undefined) {
      this.#sinceUs.delete(thread);
      const seconds = ((nowUs - sinceUs) / 1_000_000).toFixed(1);
      const message = `${thread} resumed after about ${seconds} s`;
      this.#options.log('warn', `${event}-resumed`, message);
    }
  }
}
