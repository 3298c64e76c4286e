/** Latency monitor: what main knows of slowness, and how commands about it read that. */

import { systemClock, byLogKind, type ByLogKind } from '#base';
import { type BandsPort, commandTable, type LatencyPort, type PrefixesPort } from '#commands';
import type { Settings } from '#config';
import {
  bandCounts,
  bandLabels,
  cumulativeByPowers,
  GcPauses,
  HISTOGRAM_BUCKETS,
  isAtOneCommand,
  LATENCY_EVENTS,
  latencyEvent,
  type LatencySeries,
  LoopDelay,
  mergeExecutions,
  notesPauses,
  type Page,
  pauseReport,
  percentileUs,
  prefixReports,
} from '#stats';
import type { FlightEntry } from '#api-types';
import type { Router } from '#router';
import { flightReport } from '#observer';
import type { ServerMemory } from '#main';
import type { RefusedUser } from './doctor/recent-refusals.ts';
import type { ServerFacts } from './doctor/event-advice.ts';
import { latencyReport } from './doctor/latency-doctor.ts';
import { KeyFates } from './key-fates.ts';
import { MainFlight } from './main-flight.ts';
import { bandsOf, type MainLatency } from './main-latency.ts';
import { CommandLog } from './command-log.ts';

export interface LatencyMonitorOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly mainLatency: MainLatency;
  readonly router: Router;
  readonly wallMs: () => number;
  /** Users of whom rate limits have refused commands within the last minute. */
  readonly refused: () => readonly RefusedUser[];
}

export class LatencyMonitor implements LatencyPort {
  readonly commandLogs: ByLogKind<CommandLog>;
  readonly keyFates: KeyFates;
  readonly #collections: GcPauses;
  readonly #loop: LoopDelay;
  readonly #flight: MainFlight;
  readonly #options: LatencyMonitorOptions;

  constructor(options: LatencyMonitorOptions) {
    const { settings, serverMemory, router, mainLatency } = options;
    this.#options = options;
    this.commandLogs = byLogKind(
      (kind) =>
        new CommandLog({
          settings,
          kind,
          ids: serverMemory.logIds[kind],
          page: serverMemory.mainPage,
          clock: systemClock,
          ofMain: mainLatency.logs[kind],
          shardCalls: router.shardCalls,
        }),
    );
    this.keyFates = new KeyFates({
      settings,
      ids: serverMemory.removedKeyIds,
      pages: serverMemory.shardPages,
      shardCalls: router.shardCalls,
    });
    this.#collections = new GcPauses(serverMemory.mainPage, notesPauses(serverMemory.flight));
    this.#loop = new LoopDelay(serverMemory.mainPage, systemClock);
    this.#flight = new MainFlight({
      settings,
      page: serverMemory.mainPage,
      flight: serverMemory.flight,
    });
    for (const name of ['latency-bands.enabled', 'latency-bands.bands'] as const) {
      settings.onChange(name, () => {
        mainLatency.bands.configure(bandsOf(settings));
        this.#restartBands();
      });
    }
  }

  /** Starts measuring the pauses of main. */
  start(): void {
    this.#collections.start();
    this.#loop.start();
  }

  /** Notes that main has work. */
  worked(): void {
    this.#loop.worked();
  }

  stop(): void {
    this.#collections.stop();
    this.#loop.stop();
  }

  /** Records growth of counters; called at every tick. */
  look(nowUs: number): void {
    this.#flight.look(nowUs);
  }

  /** The latest events of the threads' flight recorders, oldest first. */
  flight(count: number, thread?: string): readonly FlightEntry[] {
    return flightReport(this.#options.serverMemory.observer, { count, thread }).entries;
  }

  /** All threads, by name. */
  get threadNames(): readonly string[] {
    return this.#options.serverMemory.observer.threads.map(([thread]) => thread);
  }

  #restartBands(): void {
    const { mainLatency, router } = this.#options;
    const generation = mainLatency.bands.restart();
    router.broadcast({ kind: 'reset-bands', generation });
  }

  // LATENCY.

  get events(): readonly LatencySeries[] {
    return this.#options.mainLatency.latency.all;
  }

  event(name: string): LatencySeries | undefined {
    const event = latencyEvent(name);
    return event === undefined ? undefined : this.#options.mainLatency.latency.of(event);
  }

  reset(names: readonly string[] = LATENCY_EVENTS): number {
    const { latency } = this.#options.mainLatency;
    let count = 0;
    for (const name of names) {
      const event = latencyEvent(name);
      if (event !== undefined && latency.reset(event)) count += 1;
    }
    return count;
  }

  histogram(commandId: number): readonly (readonly [us: number, count: number])[] {
    const { mainPage, shardPages } = this.#options.serverMemory;
    const pages = [mainPage, ...shardPages].filter((page) => page.command(commandId, 'calls') > 0);
    if (pages.length === 0) return [];
    const counts = new Float64Array(HISTOGRAM_BUCKETS);
    mergeExecutions(pages, commandId, counts);
    return cumulativeByPowers(counts);
  }

  async diagnose(): Promise<string> {
    const { settings, serverMemory, wallMs, mainLatency } = this.#options;
    const { observer, shardPages, mainPage } = serverMemory;
    const { entries, missingShards } = await this.commandLogs.slow.collect(Infinity);
    const nowUs = systemClock.nowUs();
    const stuck = shardPages.flatMap((page, shard) => (isAtOneCommand(page, nowUs) ? [shard] : []));
    return latencyReport({
      thresholdMs: settings.number('latency.monitor-threshold-ms'),
      slowerThanUs: settings.number('slowlog.log-slower-than'),
      limits: observer.verdict.limited_by,
      starved: observer.verdict.starved,
      facts: this.#facts,
      series: mainLatency.latency.all,
      slow: entries,
      missingShards,
      stuckShards: stuck,
      runsOnMain: (name) => commandTable.byName(name)?.route === 'onMain',
      main: pauseReport(mainPage),
      shards: shardPages.map(pauseReport),
      queueUsP99: shardPages.map((page) => percentileUs(page.queueHistogram, 0.99)),
      scripts: {
        runs: sumOf(shardPages, 'scriptRuns'),
        barriers: mainPage.get('scriptBarriers'),
      },
      refused: this.#options.refused(),
      tier: {
        hits: sumOf(shardPages, 'hits'),
        fetches: sumOf(shardPages, 'tierFetches'),
        workingSetBytes: sumOf(shardPages, 'tierWorkingSetBytes'),
        limitBytes: settings.number('memory.maxmemory'),
      },
      nowMs: wallMs(),
    });
  }

  /** Facts on which advice depends. */
  get #facts(): ServerFacts {
    const { settings, serverMemory } = this.#options;
    const { shardPages, pageShape } = serverMemory;
    const databases = Array.from({ length: pageShape.databases }, (_none, index) => index);
    const expiringKeys = shardPages.reduce(
      (sum, page) =>
        sum +
        databases.reduce((own, each) => own + page.expires(each) + page.fieldExpires(each), 0),
      0,
    );
    const policy = settings.string('memory.maxmemory-policy');
    return {
      expiringKeys,
      hz: settings.number('server.hz'),
      isDurable: settings.boolean('persistence.enabled'),
      durabilityMode: settings.string('persistence.durability-mode'),
      snapshotIntervalSeconds: settings.number('snapshot.interval-secs'),
      evicts: settings.number('memory.maxmemory') > 0 && policy !== 'noeviction',
      isTiered: settings.boolean('tiered.enabled'),
      policy,
    };
  }

  /** PREFIXES. */
  get prefixesPort(): PrefixesPort {
    const { settings, serverMemory } = this.#options;
    return {
      get entries() {
        return prefixReports(settings.list('key-prefixes.prefixes'), serverMemory.shardPages);
      },
    };
  }

  /** LATENCY BANDS. */
  get bandsPort(): BandsPort {
    const { mainPage, shardPages } = this.#options.serverMemory;
    const { bands } = this.#options.mainLatency;
    return {
      get isEnabled() {
        return bands.bands.enabled;
      },
      get labels() {
        return bandLabels(bands.bands);
      },
      get counts() {
        return bandCounts(bands.bands, bands.generation, [mainPage, ...shardPages]);
      },
      get perShard() {
        return bands.perShard(shardPages);
      },
      reset: () => {
        this.#restartBands();
      },
    };
  }
}

function sumOf(pages: readonly Page[], counter: Parameters<Page['get']>[0]): number {
  return pages.reduce((sum, page) => sum + page.get(counter), 0);
}
