/** Progress of a server from its start to its end, and the judge that delays commands until the start is complete. */

import { errors } from '#base';
import type { CommandEntry } from '#commands';
import type { LatencyBaseline } from '#stats';
import type { Judge, Verdict } from './main-module.ts';

export class Progress {
  /** True when the data is loaded; at the latest when the server has started. */
  isLoaded = false;
  isStarted = false;
  /** True when the server stops, and that cannot be aborted any more. */
  isStopping = false;
  /** True when a thread has died: no snapshot is written any more, since the state of the data is unknown. */
  hasCrashed = false;
  /** Main has failed, and does no more than end the others. */
  isMainDead = false;
  /** Latency of the machine without work, where it was measured at the start. */
  baseline: LatencyBaseline | undefined;
}

/** Has commands wait, or refuses them while data are loaded, until the server has started and no module is awaited. */
export class StartJudge implements Judge {
  readonly #progress: Pick<Progress, 'isLoaded' | 'isStarted'>;
  readonly #modules: { readonly isAwaited: boolean };
  readonly #passed: () => void;

  /** `passed` is called once, when the judge is not needed any more. */
  constructor(
    progress: Pick<Progress, 'isLoaded' | 'isStarted'>,
    modules: { readonly isAwaited: boolean },
    passed: () => void,
  ) {
    this.#progress = progress;
    this.#modules = modules;
    this.#passed = passed;
  }

  concerns(entry: CommandEntry): boolean {
    return !entry.has('loading');
  }

  judge(): Verdict {
    if (this.#progress.isStarted && !this.#modules.isAwaited) {
      this.#passed();
      return undefined;
    }
    return this.#progress.isLoaded ? 'wait' : errors.loading;
  }
}
