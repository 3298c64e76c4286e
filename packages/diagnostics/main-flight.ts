/** Notes of main in its flight recorder, beside the pauses of its thread. */

import { systemClock } from '#base';
import { settingNames, type Settings } from '#config';
import type { Counter } from '#quantities';
import type { FlightRecorder, Page } from '#stats';

interface MainFlightOptions {
  readonly settings: Settings;
  readonly page: Page;
  readonly flight: FlightRecorder;
}

export class MainFlight {
  readonly #options: MainFlightOptions;
  readonly #before = new Map<Counter, number>();

  constructor(options: MainFlightOptions) {
    const { settings, flight } = options;
    this.#options = options;
    for (const [index, name] of settingNames.entries()) {
      settings.onChange(name, () => {
        flight.note('config-change', systemClock.nowUs(), [index, numberOf(settings.get(name))]);
      });
    }
  }

  /** Records growth of counters; called at every tick, so that frequent events are recorded together. */
  look(atUs: number): void {
    const { page, flight, settings } = this.#options;
    const waits = this.#grown('readStalls');
    if (waits > 0) flight.note('full-ring', atUs, [waits]);
    const refused = this.#grown('connectionsRejected');
    if (refused > 0) {
      const most = settings.number('server.max-clients');
      flight.note('connections-refused', atUs, [refused, page.get('connections'), most]);
    }
  }

  /** Returns the growth of a counter since the last look. */
  #grown(counter: Counter): number {
    const now = this.#options.page.get(counter);
    const before = this.#before.get(counter) ?? 0;
    this.#before.set(counter, now);
    // A counter that was reset has started over.
    return now >= before ? now - before : now;
  }
}

/** Returns a number or a boolean as a number; NaN for other values, which may be long, or secrets. */
function numberOf(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'boolean' ? Number(value) : NaN;
}
