export { Bands } from './bands.ts';
export type { BundleFile, BundleResult, BundleTask } from './bundle-task.ts';
export { MainBands, bandCounts, bandLabels } from './band-counts.ts';
export { calledCommands, mergeExecutions } from './called-commands.ts';
export { countError, errorIndex } from './error-count.ts';
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
  type Counts,
} from './histogram.ts';
export {
  DEATH_KEY_BYTES_MAX,
  KEY_DEATHS,
  KEY_DEATHS_RESET,
  KeyDeaths,
  type DeathHead,
  type DeathsQuestion,
  type KeyDeath,
  type KeyPlace,
} from './key-deaths.ts';
export { KeptArguments, type ArgumentBytes } from './kept-arguments.ts';
export {
  LATENCY_EVENTS,
  latencyEvent,
  LatencyEvents,
  LatencySeries,
  MAIN_THREAD,
  type LatencyEvent,
  type LatencySample,
  type ThreadShare,
} from './latency-events.ts';
export {
  durabilityReport,
  lastSaveSeconds,
  savingSeconds,
  sumOfLogs,
  type DurabilityReport,
  type LogReport,
} from './durability.ts';
export { LOG_FIGURES, LogFigures, type LogFigure } from './log-figures.ts';
export {
  LatencyWindows,
  SLICE_MS,
  WINDOWS,
  windowsIn,
  windowTableLength,
} from './latency-windows.ts';
export { AT, COUNTERS, type Counter } from './counters.ts';
export {
  BAND_ROWS_MAX,
  CENSUS_SIZES,
  CENSUS_TYPES,
  CommandField,
  Page,
  Phase,
  THREAD_SHAPE,
  type PageShape,
} from './page.ts';
export {
  FLIGHT_KINDS,
  flightRecorder,
  LONG_PAUSE_US,
  notesPauses,
  SLOW_BATCH_US,
  Tally,
  type FlightEvent,
  type FlightField,
  type FlightKind,
  type FlightRecorder,
} from './flight-recorder.ts';
export {
  HOT_KEYS,
  HotKeys,
  mergeShares,
  type HotKey,
  type HotKeysQuestion,
  type HotKeysShare,
} from './hot-keys.ts';
export {
  HOT_WINDOW,
  HotWindows,
  mergeWindow,
  windowAt,
  type HotWindowKey,
  type HotWindowOptions,
  type HotWindowReport,
} from './hot-window.ts';
export { type HealthLimits } from './health.ts';
export {
  latencyReport,
  latencyVerdict,
  measureLatency,
  type LatencyBaseline,
} from './latency-test.ts';
export { FATE_COUNTERS, fateCounts } from './fate-counters.ts';
export {
  beginPrefixes,
  prefixesId,
  prefixReports,
  setPrefixCensus,
  type PrefixReport,
} from './prefix-counts.ts';
export { PrefixField } from './prefix-rows.ts';
export { MemoryReturn, threadMemoryReturn } from './memory-return.ts';
export { growth, Rate } from './rate.ts';
export { mainStandstill, type Standstill } from './main-work.ts';
export {
  collectStatus,
  NO_PERSISTENCE,
  persistenceStatus,
  uptimeSeconds,
  type StatusSource,
} from './status.ts';
export { ThreadRates } from './thread-rates.ts';
export { tellWork, ThreadWork, workedNowUs } from './thread-work.ts';
export {
  GC_KINDS,
  GcPauses,
  LoopDelay,
  pauseReport,
  type GcKind,
  type PauseListener,
  type PauseReport,
} from './thread-pauses.ts';
export {
  HEAP,
  PROFILE,
  ThreadProbe,
  type HeapFigures,
  type ProfileAnswer,
} from './thread-probe.ts';
export { ThreadSamples } from './thread-samples.ts';
export {
  slowEntriesTopic,
  SlowLog,
  slowResetTopic,
  type RawArguments,
  type SlowClient,
  type KeptCommand,
  type SlowCommand,
  type SlowEntry,
  type SlowLogSettings,
} from './slow-log.ts';
export {
  PURGE,
  resetStatisticsTopic,
  settingsAppliedTopic,
  SHARD_CONTENT,
  topic,
  type ShardContent,
  type Topic,
} from './topic.ts';
export { fragmentation, usedMemory, type Fragmentation } from './used-memory.ts';
