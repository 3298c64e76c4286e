/** Hot keys as a module of main. */

import type { Clock, Logger } from '#base';
import type { HotKeysReport, HotWindow } from '#commands';
import type { HotKeysDocument, HotWindowDocument } from '#api-types';
import type { Settings } from '#config';
import type { PageAnswers } from '#http';
import { type Composed, keyAsText, MainModule } from '#main';
import type { Router } from '#router';
import { HotKeysSession } from './hot-keys.ts';

interface HotKeysModuleOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly router: Pick<Router, 'shardCalls'>;
  /** Undefined where the server is in no cluster. */
  readonly cluster: { servesSlot(slot: number): boolean } | undefined;
  readonly log: Pick<Logger, 'info'>;
}

/** Names of the answers about hot keys. */
type HotKeysAnswer = Extract<keyof PageAnswers, `hot-${string}`>;

export function hotKeysModule(
  options: HotKeysModuleOptions,
): Composed<object, 'hotKeys', HotKeysAnswer> {
  const { settings, clock, router, cluster } = options;
  const hotKeys = new HotKeysSession({
    settings,
    nowUs: () => clock.nowUs(),
    wallMs: () => clock.wallMs(),
    shardCalls: router.shardCalls,
    processorTime: (since) => process.cpuUsage(since),
    servesSlot: (slot) => cluster?.servesSlot(slot) === true,
  });
  const module = new MainModule({
    name: 'hot keys',
    ports: { hotKeys },
    answers: hotKeysAnswers(hotKeys, options),
  });
  return { module, parts: {} };
}

function hotKeysAnswers(
  hotKeys: HotKeysSession,
  { log }: Pick<HotKeysModuleOptions, 'log'>,
): Pick<PageAnswers, HotKeysAnswer> {
  return {
    'hot-keys': async () => {
      const report = await hotKeys.report();
      return report === null ? null : hotKeysDocument(report);
    },
    'hot-window': async () => {
      const enabled = hotKeys.hasWindows;
      const window = enabled ? await hotKeys.window() : null;
      return { enabled, window: window === null ? null : hotWindowDocument(window) };
    },
    'hot-keys-start': (options) => {
      if (hotKeys.state === 'active') return 'hotkeys session already started';
      hotKeys.start({ ...options, slots: [] });
      log.info('hotkeys-start', 'Hot-key session started over HTTP');
      return null;
    },
    'hot-keys-stop': () => {
      if (hotKeys.state !== 'active') return 'no active hotkeys session to stop';
      hotKeys.stop();
      return null;
    },
    'hot-keys-reset': () => {
      if (hotKeys.state === 'active') {
        return 'cannot reset an active hotkeys session, stop it first';
      }
      hotKeys.reset();
      return null;
    },
  };
}

function hotKeysDocument(report: HotKeysReport): HotKeysDocument {
  const { options } = report;
  return {
    state: report.state,
    metrics: options.metrics,
    count: options.count,
    sample_ratio: options.sample,
    duration_ms: options.durationMs,
    collection_duration_ms: report.elapsedMs,
    total_cpu_time_us: Math.round(report.keyedUs),
    total_net_bytes: Math.round(report.keyedBytes),
    missing_shards: report.missingShards,
    keys: report.byMetric[options.metrics[0] ?? 'cpu'].map(({ key, calls, us, bytes, error }) => ({
      ...keyAsText(key),
      access_count: Math.round(calls),
      total_cpu_time_us: Math.round(us),
      total_net_bytes: Math.round(bytes),
      error: Math.round(error),
    })),
  };
}

function hotWindowDocument(window: HotWindow): NonNullable<HotWindowDocument['window']> {
  return {
    start_time_ms: window.startMs,
    seconds: window.seconds,
    sample_ratio: window.sample,
    samples: window.samples,
    ops_per_sec: tenths(window.opsPerSecond),
    floor_per_sec: tenths(window.floorPerSecond),
    missing_shards: window.missingShards,
    keys: window.keys.map(({ key, database, ...rates }) => ({
      ...keyAsText(key),
      db: database,
      ops_per_sec: tenths(rates.opsPerSecond),
      reads_per_sec: tenths(rates.readsPerSecond),
      writes_per_sec: tenths(rates.writesPerSecond),
      error_per_sec: tenths(rates.errorPerSecond),
    })),
  };
}

/** As the command answers rates. */
function tenths(rate: number): number {
  return Math.round(10 * rate) / 10;
}
