/** The documents of the debug API, under the names that the pages have for them. */

import type { HotKeysDocument, HotWindowDocument, WindowName } from '#api-types';

export type {
  HotKeysDocument as HotKeysReport,
  BundleReport as BundleEntry,
  ClientReport as ClientEntry,
  DenialReport as Denial,
  HealthIssue,
  CommandReport as CommandLatency,
  FlightDocument as Flight,
  FlightEvent as FlightEntry,
  HotWindowDocument as HotWindowReport,
  RemovedKeyReport as RemovedKey,
  KeyFatesDocument as KeyFates,
  LatencyDocument as Latency,
  LatencyEventReport as LatencyEvent,
  LatencyHistoryReport as LatencyHistory,
  LiveBands,
  LiveDocument as Live,
  LiveFigures,
  LiveLatency,
  LiveColumns,
  LiveSample,
  LiveShards,
  LiveStatus,
  LiveTimes,
  LiveTotals,
  LinkChangeReport as LinkChange,
  PrefixesDocument as Prefixes,
  PrefixFigures as PrefixReport,
  PrimaryReport as PrimaryLinkState,
  ReplicaReport as ReplicaEntry,
  ReplicationDocument as Replication,
  RunningScriptReport as RunningScript,
  ScriptReport as ScriptEntry,
  ScriptsDocument as Scripts,
  SettingReport as ConfigEntry,
  SessionDocument as Session,
  ShardStatus,
  SyncCounts as SyncFigures,
  SlowlogReport as SlowlogEntry,
  SpanDocument as SpanReport,
  ThreadReport,
  ThreadsDocument,
  TraceDocument as TraceReport,
  UserReport as UserEntry,
  UsersDocument as Users,
  WindowReport as Windows,
} from '#api-types';

/** In the order of their length. */
export const WINDOW_NAMES: readonly WindowName[] = ['now', '1m', '5m', '1h'];

export type HotKey = HotKeysDocument['keys'][number];
export type HotWindowKey = NonNullable<HotWindowDocument['window']>['keys'][number];
