export type { ClusterUpdate, CoordinatorTimes } from './cluster/cluster-update.ts';
export { leaseAgeUs, leaseRemainingUs } from './cluster/cluster-status.ts';
export { statusFields } from './page/read-quantities.ts';
export { Bands } from './latency/bands.ts';
export type { BundleFile, BundleResult, BundleTask } from './bundle-task.ts';
export { MainBands, bandCounts, bandLabels } from './latency/band-counts.ts';
export { calledCommands, mergeExecutions, sumExecutions } from './page/called-commands.ts';
export { areErrorsTooMany, countError, errorCounts, errorIndex } from './page/error-count.ts';
export {
  addCounts,
  bucketHigh,
  bucketLow,
  bucketOf,
  cumulativeByPowers,
  greatestUs,
  HISTOGRAM_BUCKETS,
  percentileUs,
  TICKS_PER_US,
  totalCount,
  ticksFromWord,
  ticksToWord,
  type Counts,
} from './page/histogram.ts';
export {
  REMOVED_KEYS,
  REMOVED_KEYS_RESET,
  RemovedKeys,
  type RemovedKeyHead,
  type RemovedKey,
  type KeyPlace,
} from './key-fates/key-fates.ts';
export { KeptArguments } from './slow-log/kept-arguments.ts';
export {
  LATENCY_EVENTS,
  latencyEvent,
  LatencyEvents,
  LatencySeries,
  MAIN_THREAD,
  SAMPLES_MAX,
  type LatencyEvent,
} from './latency/latency-events.ts';
export {
  durabilityReport,
  lastSaveSeconds,
  savingSeconds,
  sumOfLogs,
  type DurabilityReport,
} from './status/durability.ts';
export { LogFigures, type LogFigure } from './page/log-figures.ts';
export {
  LatencyWindows,
  SLICE_MS,
  windowsIn,
  windowTableLength,
} from './latency/latency-windows.ts';
export { AT, RESETTABLE } from './page/counters.ts';
export {
  BAND_ROWS_MAX,
  KEY_SIZES_ROWS,
  CommandField,
  Page,
  Phase,
  THREAD_SHAPE,
  type NamedPages,
  type PageShape,
} from './page/page.ts';
export {
  CLUSTER_EVENTS,
  FAILOVER_KINDS,
  FLIGHT_KINDS,
  flightRecorder,
  notesPauses,
  PRIMARY_LINK_STATES,
  REPLICA_STATES,
  ROLES,
  SLOW_BATCH_US,
  SYNC_REASON_NAMES,
  Tally,
  type FlightEvent,
  type FlightField,
  type FlightKind,
  type FlightRecorder,
} from './flight-recorder/flight-recorder.ts';
export {
  HOT_KEYS,
  HotKeys,
  mergeShares,
  type HotKey,
  type HotKeysQuestion,
  type HotKeysShare,
} from './hot-keys/hot-keys.ts';
export {
  HOT_WINDOW,
  HotWindows,
  mergeWindow,
  windowAt,
  type HotWindowOptions,
  type HotWindowReport,
} from './hot-keys/hot-window.ts';
export type { HealthLimits } from './status/vitals.ts';
export { TIER_FAULT_TEXTS, TIER_FAULTS } from './page/tier-faults.ts';
export {
  latencyReport,
  latencyVerdict,
  measureLatency,
  type LatencyBaseline,
} from './latency/latency-test.ts';
export {
  mergeScripts,
  READ_ONLY_FUNCTIONS,
  STATELESS_FUNCTIONS,
  SCRIPT_STATS,
  ScriptTimes,
  type ScriptFigures,
  type ScriptReport,
} from './scripts/script-figures.ts';
export {
  keySampleCall,
  type KeySample,
  mergeSamples,
  SAMPLE_KEYS_MAX,
  SAMPLE_ROWS_MAX,
  type SampledKey,
} from './key-samples/key-samples.ts';
export { fateCounts } from './page/fate-counts.ts';
export {
  beginPrefixes,
  prefixesId,
  prefixReports,
  setPrefixKeySizes,
  type PrefixReport,
} from './page/prefix-counts.ts';
export { PrefixField } from './page/prefix-rows.ts';
export {
  DefaultUserReader,
  defaultUserCounts,
  noUserCounts,
  plusUserCounts,
  userCountsOfRow,
  type UserCounts,
  type UserPages,
} from './page/user-counts.ts';
export { DEFAULT_USER_ROW, OTHER_USERS_ROW, USER_ROWS, UserField } from './page/user-rows.ts';
export { MemoryReturn, threadMemoryReturn } from './threads/memory-return.ts';
export { pagesOf, readQuantity } from './page/read-quantities.ts';
export { growth, Rate } from './page/rate.ts';
export { frontSilenceUs, silenceText } from './threads/front-standstill.ts';
export { mainStandstill } from './threads/main-work.ts';
export { shardSilenceUs } from './threads/shard-standstill.ts';
export {
  collectHealth,
  collectStatus,
  persistenceStatus,
  uptimeSeconds,
  type StatusSource,
} from './status/status.ts';
export { ThreadRates } from './threads/thread-rates.ts';
export { LoopVitals } from './threads/loop-vitals.ts';
export { reportWork, ThreadWork, workedNowUs } from './threads/thread-work.ts';
export {
  GC_KINDS,
  GcPauses,
  LoopDelay,
  pauseReport,
  type PauseReport,
} from './threads/thread-pauses.ts';
export { HEAP, PROFILE, ThreadProfiler } from './threads/thread-profile.ts';
export { ThreadSamples } from './threads/thread-samples.ts';
export { slowReport } from './slow-log/slow-report.ts';
export {
  COMMAND_LOG_SETTINGS,
  commandLogCalls,
  commandLogs,
  configureLogs,
  FIRST_ID_COUNTERS,
  LARGE_COUNTERS,
  type TakeLogIds,
} from './slow-log/command-logs.ts';
export { requestBytesFrom, RESP_OVERHEAD_MAX } from './slow-log/request-size.ts';
export {
  SlowLog,
  type RawCommand,
  type RawCommands,
  type SlowClient,
  type SlowCommand,
  type SlowEntry,
} from './slow-log/slow-log.ts';
export {
  dropStagedCall,
  PURGE,
  type Staged,
  resetStatisticsCall,
  settingsAppliedCall,
  SHARD_CONTENT,
  shardCall,
  type ShardContent,
  type ShardCall,
  slotBytesCall,
  type SlotBytesStep,
  type SlotFigures,
  slotFiguresCall,
  type SlotWalk,
  type SlotWalkStep,
  walkSlotCall,
  countSlotCall,
  scanSlotsCall,
  type SlotScanQuestion,
  lateShards,
  movedKeysCall,
  sweepSlotsCall,
  type SlotSweep,
  type SlotSweepStep,
  type WalkPlace,
} from './calls/shard-calls.ts';
export { fragmentation, usedMemory, type Fragmentation } from './status/used-memory.ts';
export {
  issueName,
  NO_VERDICT,
  STARVED_TIMES_MAX,
  type StarvedTime,
  VERDICT_BYTES_MAX,
  type VerdictReport,
} from './issues/report.ts';
export { CAUSES, judgeLimits } from './verdict/causes.ts';
export { currentLimits, issueEpisodes, limitEpisodes, sinceMs } from './verdict/limits.ts';
export type { Episode } from './verdict/episodes.ts';
export type { Judged } from './verdict/finding.ts';
export type { JudgedIssue } from './issues/report.ts';
export { recentIssues } from './status/recent-issues.ts';
export type {
  ClientFacts,
  CommandFacts,
  DiskFacts,
  Facts,
  MachineFacts,
  MemoryFacts,
  ReplicationFacts,
  RunningFacts,
  ShardFacts,
  ThreadFacts,
  TierFacts,
} from './verdict/facts.ts';
export { isAtOneCommand, STUCK_US } from './threads/stuck.ts';
export { HEALTH_CODES, RUNBOOKS, runbookOf } from './runbooks/runbooks.ts';
export { runbooksPage } from './runbooks/runbooks-page.ts';
