/** The documents of the debug API, under the names that the pages have for them. */

import type { HotKeysDocument, HotWindowDocument, WindowName } from '#documents';

export type {
  BundleReport as BundleEntry,
  ClientReport as ClientEntry,
  HealthIssue,
  CommandReport as CommandLatency,
  FlightDocument as Flight,
  FlightEntry,
  HotWindowDocument as HotWindowReport,
  KeyDeathReport as KeyDeath,
  KeyFatesDocument as KeyFates,
  LatencyDocument as Latency,
  LatencyEventReport as LatencyEvent,
  LatencyHistoryReport as LatencyHistory,
  LiveBands,
  LiveDocument as Live,
  LiveFigures,
  LiveLatency,
  LiveSample,
  LiveShard,
  LiveStatus,
  LiveTotals,
  PrefixesDocument as Prefixes,
  PrefixFigures as PrefixReport,
  SettingReport as ConfigEntry,
  SessionDocument as Session,
  ShardStatus,
  SlowlogReport as SlowlogEntry,
  SpanReport,
  ThreadReport,
  ThreadsDocument,
  TraceReport,
  WindowReport as Windows,
} from '#documents';

/** In the order of their length. */
export const WINDOW_NAMES: readonly WindowName[] = ['now', '1m', '5m', '1h'];

/** Of an idle one there are only lists, and they are empty. */
export interface HotKeysReport extends Omit<HotKeysDocument, 'state'> {
  readonly state: HotKeysDocument['state'] | 'idle';
}

export type HotKey = HotKeysDocument['keys'][number];
export type HotWindowKey = NonNullable<HotWindowDocument['window']>['keys'][number];
