/** The documents of the debug API, under the names that the pages have for them. */

import type { HotKeysDocument, HotWindowDocument, MetricJson, WindowName } from '#documents';

export type {
  BundleReport as BundleEntry,
  ClientReport as ClientEntry,
  CommandReport as CommandLatency,
  FlightDocument as Flight,
  FlightEntry,
  HotWindowDocument as HotWindowReport,
  KeyDeathReport as KeyDeath,
  KeyFatesDocument as KeyFates,
  LatencyDocument as Latency,
  LatencyEventReport as LatencyEvent,
  LatencyHistoryReport as LatencyHistory,
  LiveDocument as Live,
  LiveLatency,
  LiveSample,
  LiveShard,
  PrefixesDocument as Prefixes,
  PrefixFigures as PrefixReport,
  SettingReport as ConfigEntry,
  ShardStatus,
  SlowlogReport as SlowlogEntry,
  SpanReport,
  StatusDocument as Status,
  ThreadPauses as Pauses,
  TraceReport,
  WindowReport as Windows,
} from '#documents';

/** In the order of their length. */
export const WINDOW_NAMES: readonly WindowName[] = ['now', '1m', '5m', '1h'];

export type Metric = Pick<MetricJson, 'name' | 'samples'>;

/** Of an idle one there are only lists, and they are empty. */
export interface HotKeysReport extends Omit<HotKeysDocument, 'state'> {
  readonly state: HotKeysDocument['state'] | 'idle';
}

export type HotKey = HotKeysDocument['keys'][number];
export type HotWindowKey = NonNullable<HotWindowDocument['window']>['keys'][number];
