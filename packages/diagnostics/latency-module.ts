/** Latency, the slow log and removed keys as a module of main. */

import type { Clock, Logger } from '#base';
import type { LatencyEventReport } from '#api-types';
import type { MainAnswers } from '#http';
import { type Composed, MainModule, ThreadProfiles } from '#main';
import { type LatencySeries, slowReport } from '#stats';
import { removedKeys } from './key-fates-answer.ts';
import { LatencyMonitor, type LatencyMonitorOptions } from './latency-monitor.ts';
import type { RefusedUser } from './doctor/recent-refusals.ts';

interface LatencyModuleOptions extends Omit<LatencyMonitorOptions, 'wallMs' | 'refused'> {
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info'>;
  readonly access: {
    /** Users of whom rate limits have refused commands within the last minute. */
    readonly refused: readonly RefusedUser[];
  };
}

type LatencyPorts =
  'commandLogs' | 'latency' | 'bands' | 'keyFates' | 'prefixes' | 'flight' | 'threads';
type LatencyAnswers =
  | 'slowlog'
  | 'slowlog-reset'
  | 'removed-keys'
  | 'key-fates-reset'
  | 'latency-doctor'
  | 'latency-events'
  | 'latency-history'
  | 'latency-reset';

export function latencyModule(
  options: LatencyModuleOptions,
): Composed<{ readonly latencyMonitor: LatencyMonitor }, LatencyPorts, LatencyAnswers> {
  const { clock, access, router } = options;
  const monitor = new LatencyMonitor({
    ...options,
    wallMs: () => clock.wallMs(),
    refused: () => access.refused,
  });
  const module = new MainModule({
    name: 'latency',
    hooks: {
      tick: () => {
        monitor.look(clock.nowUs());
      },
      worked: () => {
        monitor.worked();
      },
      start: () => {
        monitor.start();
      },
      stop: () => {
        monitor.stop();
      },
    },
    ports: {
      commandLogs: monitor.commandLogs,
      latency: monitor,
      bands: monitor.bandsPort,
      keyFates: monitor.keyFates,
      prefixes: monitor.prefixesPort,
      flight: { newest: (count, thread) => monitor.flight(count, thread) },
      threads: new ThreadProfiles(monitor.threadNames, router.shardCalls),
    },
    answers: { ...slowAnswers(monitor, options), ...latencyAnswers(monitor, options) },
  });
  return { module, parts: { latencyMonitor: monitor } };
}

type Log = Pick<LatencyModuleOptions, 'log'>;

function slowAnswers(
  { commandLogs, keyFates }: LatencyMonitor,
  { log }: Log,
): Pick<MainAnswers, 'slowlog' | 'slowlog-reset' | 'removed-keys' | 'key-fates-reset'> {
  return {
    slowlog: async ({ kind, count }) => {
      const { entries, missingShards } = await commandLogs[kind].collect(count);
      return {
        kind,
        entries: entries.map(slowReport),
        missing_shards: missingShards,
        main_missing: false,
      };
    },
    'slowlog-reset': async ({ kind }) => {
      await commandLogs[kind].reset();
      log.info('slowlog-reset', 'Log of commands reset over HTTP', { kind });
      return null;
    },
    'removed-keys': (question) => removedKeys(keyFates, question),
    'key-fates-reset': async () => {
      await keyFates.reset();
      log.info('key-fates-reset', 'Removed keys reset over HTTP');
      return null;
    },
  };
}

function latencyAnswers(
  monitor: LatencyMonitor,
  { log }: Log,
): Pick<MainAnswers, 'latency-doctor' | 'latency-events' | 'latency-history' | 'latency-reset'> {
  return {
    'latency-doctor': () => monitor.diagnose(),
    'latency-events': () => monitor.events.map(eventReport),
    'latency-history': () =>
      monitor.events.map(({ event, samples }) => ({
        event,
        samples: samples.map(({ unixSeconds, us }) => ({
          time_ms: unixSeconds * 1_000,
          max_us: Math.round(us),
        })),
      })),
    'latency-reset': () => {
      monitor.reset();
      log.info('latency-reset', 'Latency events reset over HTTP');
      return null;
    },
  };
}

function eventReport({ event, count, usSum, usMax, samples }: LatencySeries): LatencyEventReport {
  return {
    event,
    latest_us: Math.round(samples.at(-1)?.us ?? 0),
    min_us: Math.round(samples.reduce((least, { us }) => Math.min(least, us), Infinity)),
    max_us: Math.round(usMax),
    avg_us: Math.round(usSum / count),
    samples: count,
  };
}
