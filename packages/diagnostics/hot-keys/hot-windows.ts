/** The hottest keys of the last whole window, from what all shards have seen in it. */

import type { HotWindow } from '#commands';
import type { Settings } from '#config';
import { HOT_WINDOW, type HotWindowOptions, mergeWindow, windowAt } from '#stats';
import type { ShardCalls } from '#router';

export interface HotWindowsOptions {
  readonly settings: Settings;
  readonly shardCalls: ShardCalls;
  readonly wallMs: () => number;
}

export class HotWindowReports {
  readonly #options: HotWindowsOptions;

  constructor(options: HotWindowsOptions) {
    this.#options = options;
  }

  get options(): HotWindowOptions {
    const { settings } = this.#options;
    return {
      isEnabled: settings.boolean('hotkeys.window-enabled'),
      topKeys: settings.number('hotkeys.window-top-k'),
      seconds: settings.number('hotkeys.window-seconds'),
      sample: settings.number('hotkeys.window-sample'),
    };
  }

  /** Null while no window has been watched from its beginning to its end. */
  async last(): Promise<HotWindow | null> {
    const { shardCalls, wallMs } = this.#options;
    const { options } = this;
    const number = windowAt(wallMs(), options.seconds) - 1;
    const answers = await shardCalls.ask(HOT_WINDOW, { number });
    const shares = answers.flatMap((each) => (each.missing ? [] : [each.answer]));
    const whole = shares.filter((share) => share !== null);
    if (whole.length < shares.length || shares.length === 0) return null;
    const missingShards = answers.filter(({ missing }) => missing).map(({ shard }) => shard);
    return { ...mergeWindow(number, whole, options), missingShards };
  }
}
