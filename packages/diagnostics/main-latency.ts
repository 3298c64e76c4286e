/** Main's own notes of what took long: there before the router, which fills them. */

import type { ByLogKind } from '#base';
import type { Settings } from '#config';
import { Bands, commandLogs, LatencyEvents, MAIN_THREAD, MainBands, type SlowLog } from '#stats';
import type { MainNotes } from '#router';
import type { ServerMemory } from '#main';

export class MainLatency implements MainNotes {
  /** Logs of main's own commands, and of those that several shards answer. */
  readonly logs: ByLogKind<SlowLog>;
  readonly latency = new LatencyEvents();
  readonly bands: MainBands;

  constructor(settings: Settings, { logIds, mainPage, shardPages }: ServerMemory) {
    this.logs = commandLogs(MAIN_THREAD, (kind, count) => logIds[kind].take(count));
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
