/** Logs every setting that is changed while the server runs: the client that changed it, the old and the new value. */

import { LineLimit, type LogFields, type Logger } from '#base';
import type { SettingName } from '#config';

/** Changed setting, with its values as text; secrets are hidden. */
export interface SettingChange {
  readonly name: SettingName;
  readonly from: string;
  readonly to: string;
}

interface SettingLogOptions {
  readonly log: Pick<Logger, 'info'>;
  /** Unix milliseconds. */
  readonly nowMs: () => number;
}

export class SettingLog {
  readonly #options: SettingLogOptions;
  readonly #limit = new LineLimit();

  constructor(options: SettingLogOptions) {
    this.#options = options;
  }

  /** Logs changes; `by` identifies the client, or the interface, that has made them. */
  changed(changes: readonly SettingChange[], by: LogFields): void {
    const { log, nowMs } = this.#options;
    for (const { name, from, to } of changes) {
      if (!this.#limit.take(nowMs())) continue;
      log.info('setting-changed', 'Setting changed', { name, from, to, ...by });
    }
  }

  /** Logs the number of changes that exceeded the rate limit of the log. */
  tick(nowMs: number): void {
    const count = this.#limit.takeOmitted(nowMs);
    if (count === 0) return;
    const message = 'Further settings changed, without a line for each';
    this.#options.log.info('settings-changed', message, { count });
  }
}
