export { valueLimits } from './keyspace/dump/dump.ts';
export type {
  Migration,
  MigrationContext,
  MigrationOutcome,
  MigrationPort,
} from './keyspace/migrate/ports.ts';
export { databaseIndexAt } from './keyspace/database-index.ts';
export { typeName } from './keyspace/scan/type-names.ts';
export { pushOnto } from './list/lookup.ts';
export { addInto } from './set/lookup.ts';
export { Arguments } from './arguments/arguments.ts';
export type {
  AccountPort,
  AskingSpan,
  ClientConnection,
  ClientPort,
  RolesPort,
  SessionPort,
  WaitPort,
  ClientTraffic,
  EventClass,
  MainContext,
  ReplyMode,
  ShardContext,
  Wait,
} from './contexts/contexts.ts';
export type { ByKeyCommand, Command, EveryShardCommand } from './definition/definition.ts';
export {
  databaseCountOf,
  isShardSetting,
  shardSettingNames,
  type ShardSettingOf,
  type ShardSettings,
  type ShardSettingValues,
} from './contexts/shard-settings.ts';
export {
  endpointOf,
  type ClusterContext,
  type ClusterGroupDetails,
  type ClusterLinkDetails,
  type ClusterNodeDetails,
  type ClusterPort,
  type EndpointType,
  type MessageCommand,
  type MoveState,
  type MoveWish,
  type SlotMigrationDetails,
  type SlotScan,
  type SlotScanStep,
  slotOfScan,
  type SlotMovesPort,
  type SlotChange,
  type SlotStatistics,
} from './cluster/index.ts';
export {
  clientFields,
  clientLine,
  flagsOf,
  type AuthenticationPort,
  type ClientsPort,
  type ConnectionContext,
  type TraceParent,
  type TrackingOptions,
  type TrackingState,
  type TracksPort,
} from './connection/index.ts';
export type {
  BandsPort,
  DiagnosticsContext,
  RemovedKeyEntry,
  KeyFatePort,
  LatencyPort,
  PrefixesPort,
  CommandLogPort,
} from './diagnostics/ports.ts';
export { findKeys, mayWrite, type FoundKey, type KeySpec } from './definition/keys.ts';
export { needsValue } from './definition/value-need.ts';
export type { AclContext, AclPort, SelectorDetails, UserDetails } from './acl/index.ts';
export { ACL_CATEGORIES, aclCategories, isAclCategory } from './definition/derive.ts';
export type { SplitPlan } from './definition/merge.ts';
export { scriptErrors } from './script/library-errors.ts';
export {
  isFunctionName,
  isScriptFlag,
  libraryShebang,
  scriptShebang,
  type ScriptFlagName,
} from './script/shebang.ts';
export type {
  LibraryDetails,
  RestorePolicy,
  RunningScript,
  ScriptCall,
  ScriptsPort,
  ShardScripts,
} from './contexts/script-ports.ts';
export type { ScriptContext } from './script/script-context.ts';
export {
  Subscriptions,
  type Piece,
  type PubSubContext,
  type PubSubPort,
  type SubscriptionKind,
} from './pubsub/index.ts';
export type {
  HotKeysPort,
  HotWindow,
  HotKeysReport,
  HotKeysStart,
  BundlesPort,
  HeapReport,
  ThreadsPort,
  TracesPort,
  TraceStatus,
  MemoryPort,
  MemoryTree,
  MonitorsPort,
  ProcessPort,
  ReplicationPort,
  RoleReport,
  ServerContext,
  SettingsPort,
  ShutdownOptions,
  StatisticsPort,
} from './server/ports/ports.ts';
export type { TransactionContext, TransactionsPort } from './transaction/index.ts';
export { reportSecrecy } from './server/config.ts';
export type { FailoverPort, FailoverTarget, FailoverWish } from './server/ports/failover-port.ts';
export type {
  Acks,
  AckWish,
  ReplicaDetails,
  ReplicaPlace,
  ReplicasPort,
} from './server/ports/replicas-port.ts';
export type { MonitorFilter } from './server/ports/ports.ts';
export { commandTable } from './table/all-commands.ts';
export { CommandEntry } from './definition/command-entry.ts';
