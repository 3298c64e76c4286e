export type { ErrorDocument } from './actions.ts';
export type {
  JsonSchema,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openapi.ts';
export type { ApiGets, ApiPosts } from './paths.ts';
export type { ProbeDocument } from './probe.ts';
export type { AdminCluster, AdminNodes, AdminRole } from './servers/admin.ts';
export type { Runbook } from './runbooks.ts';
export type { ServerDocument } from './servers/server.ts';
export type { BundleReport } from './bundles.ts';
export type {
  ClusterDocument,
  ClusterEventReport,
  ClusterGroupReport,
  ClusterNodeDocument,
  ClusterNodeReport,
  ClusterState,
  CoordinatorCallReport,
  DiscardReport,
  LibraryRedirects,
  NoCluster,
  NodeLatencyReport,
  OpenSlotReport,
} from './servers/cluster.ts';
export type { BlockedReport, ClientReport } from './activity/clients.ts';
export type {
  CommandsDocument,
  CommandUsageReport,
  ErrorCodeReport,
  ShardExecuting,
} from './commands.ts';
export type { FlightDocument, FlightEntry, FlightEvent, FlightReport } from './events/flight.ts';
export type {
  AdminHealth,
  Health,
  HealthCode,
  HealthIssue,
  LimitCause,
  LimitFinding,
} from './health.ts';
export type {
  EventsDocument,
  HistoryColumn,
  HistoryDocument,
  HistoryEvent,
  HistorySeriesDocument,
  HistorySeriesReport,
  HistoryUnit,
} from './past/history.ts';
export type { HotKeysDocument, HotWindowDocument } from './keys/hot-keys.ts';
export type { RemovedKeyReport, KeyFatesDocument } from './keys/key-fates.ts';
export type {
  WindowName,
  WindowLatency,
  WindowReport,
  CommandReport,
  LatencyEventReport,
  LatencyDocument,
  LatencyHistoryReport,
} from './latency.ts';
export type {
  LiveBands,
  LiveDocument,
  LiveFigures,
  LiveLatency,
  LivePart,
  LiveColumns,
  LiveReplication,
  LiveSample,
  LiveShards,
  LiveStatus,
  LiveTimes,
  LiveTotals,
} from './live.ts';
export type { LogLineReport, LogsDocument } from './events/logs.ts';
export type {
  MemoryDocument,
  MemoryForecast,
  MemoryKeysDocument,
  MemoryNode,
  SampledKeyReport,
  SampledPrefixReport,
} from './storage/memory.ts';
export type { MetricKind, Unit, MetricJson, MetricSampleJson } from './metrics.ts';
export type {
  DiskFailureReport,
  DiskOutcomesReport,
  LogReport,
  PersistenceDocument,
  SnapshotReport,
  SyncTimes,
} from './storage/persistence.ts';
export type { PrefixesDocument, PrefixFigures } from './keys/prefixes.ts';
export type { RunningScriptReport, ScriptReport, ScriptsDocument } from './scripts.ts';
export type { AccessScope, SessionDocument } from './access/session.ts';
export type {
  SettingCheck,
  SettingFacts,
  SettingReport,
  SettingsFactsDocument,
} from './settings.ts';
export type {
  CommandSource,
  MonitorDocument,
  MonitorEnd,
  MonitorSelection,
  MonitorLineReport,
  MonitorOptions,
} from './activity/monitor.ts';
export type { ShardStatsDocument } from './shard-stats.ts';
export type { SlowlogDocument, SlowlogReport } from './slow-log.ts';
export type {
  ClusterFigures,
  StatusDocument,
  ExecutingReport,
  ShardStatus,
  PersistenceReport,
  CommandStatus,
} from './status.ts';
export type { ThreadReport, ThreadsDocument } from './threads.ts';
export type {
  LinkChangeReport,
  PrimaryReport,
  ReplicaReport,
  ReplicationDocument,
  ReplicationState,
  SyncCounts,
} from './servers/replication.ts';
export type { DenialReport, UserFigures, UserReport, UsersDocument } from './access/users.ts';
export type {
  SpanDocument,
  SpanReport,
  TraceDocument,
  TraceReport,
  TracesDocument,
  TracingReport,
} from './traces.ts';
