/** Answers of main to the debug pages, and its actions. Each change is logged: nobody else tells who made it. */

import type { Logger } from '#base';
import type { HotKeysReport, HotWindow } from '#commands';
import { ConfigCommandError, isSettingName, Settings } from '#config';
import type { HotKeysDocument, HotWindowDocument } from '#api-types';
import type { ActionAnswer, PageAnswers } from '#http';
import type { Clients } from '#clients';
import type { HotKeysSession, LatencyMonitor } from '#diagnostics';
import { keyAsText, type LateSettings, type OpsLink } from '#main';

export interface PageAnswersOptions {
  readonly clients: Clients;
  readonly hotKeys: HotKeysSession;
  readonly latencyMonitor: LatencyMonitor;
  readonly log: Logger;
  readonly ops: OpsLink;
  readonly lateSettings: LateSettings;
}

export function pageAnswers(options: PageAnswersOptions): PageAnswers {
  const { latencyMonitor, log } = options;
  return {
    ...hotKeysAnswers(options),
    'latency-history': () =>
      latencyMonitor.events.map(({ event, samples }) => ({
        event,
        samples: samples.map(({ unixSeconds, us }) => ({
          time_ms: unixSeconds * 1_000,
          max_us: Math.round(us),
        })),
      })),
    'kill-client': ({ id }) => killClient(options, id),
    'set-setting': ({ name, value }) => setSetting(options, name, value),
    'slowlog-reset': async () => {
      await latencyMonitor.slowCommands.reset();
      log.info('slowlog-reset', 'the slow log was emptied over HTTP');
      return null;
    },
    'key-fates-reset': async () => {
      await latencyMonitor.keyFates.reset();
      log.info('key-fates-reset', 'removed keys were forgotten over HTTP');
      return null;
    },
    'latency-reset': () => {
      latencyMonitor.reset();
      log.info('latency-reset', 'latency events were reset over HTTP');
      return null;
    },
  };
}

type HotKeysAnswers = Pick<PageAnswers, Extract<keyof PageAnswers, `hot-${string}`>>;

function hotKeysAnswers({ hotKeys, log }: PageAnswersOptions): HotKeysAnswers {
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
      log.info('hotkeys-start', 'a hot-key session was started over HTTP');
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

function killClient({ clients, log }: PageAnswersOptions, id: number): ActionAnswer {
  const client = clients.byId(id);
  if (client === undefined) return 'No such client ID';
  log.info('client-killed', 'a client was disconnected over HTTP', { id, addr: client.address });
  client.replica?.closing('it was killed over HTTP');
  client.socket.destroy();
  return null;
}

/** The value is not logged: it may be a secret. */
async function setSetting(
  { lateSettings, log, ops }: PageAnswersOptions,
  name: string,
  value: string,
): Promise<ActionAnswer> {
  if (!isSettingName(name)) return 'there is no such setting';
  try {
    await lateSettings.set([Settings.pair(name, value)], true);
    await lateSettings.settled();
  } catch (error) {
    if (error instanceof ConfigCommandError) return error.message;
    throw error;
  }
  log.info('setting-changed', 'a setting was changed over HTTP', { name });
  await ops.settingsShown();
  return null;
}
