/** Main's own notes of what took long: there before the router, which fills them. */

import type { Settings } from '#config';
import { Bands, LatencyEvents, MAIN_THREAD, MainBands, SlowLog } from '#stats';
import type { MainNotes } from '#router';
import type { ServerMemory } from '#main';

export class MainLatency implements MainNotes {
  /** Slow log of main's own commands, and of those that several shards answer. */
  readonly slowLog: SlowLog;
  readonly latency = new LatencyEvents();
  readonly bands: MainBands;

  constructor(settings: Settings, { slowIds, mainPage, shardPages }: ServerMemory) {
    this.slowLog = new SlowLog(MAIN_THREAD, (count) => slowIds.take(count));
    this.#setThreshold(settings.number('latency.monitor-threshold-ms'));
    settings.onChange('latency.monitor-threshold-ms', (ms) => {
      this.#setThreshold(ms);
    });
    this.bands = new MainBands(mainPage, shardPages.length);
    this.bands.configure(bandsOf(settings));
  }

  #setThreshold(ms: number): void {
    this.latency.thresholdUs = ms * 1_000 || Infinity;
  }
}

export function bandsOf(settings: Settings): Bands {
  return new Bands(
    settings.boolean('latency-bands.enabled'),
    settings.numbers('latency-bands.bands'),
  );
}
