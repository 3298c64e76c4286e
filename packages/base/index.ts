export { assert, AssertionError, unreachable } from './errors/assert.ts';
export { ByteSlab } from './bytes/byte-slab.ts';
export { ByteViews, copyWords } from './bytes/byte-views.ts';
export { letReusedGo, reused } from './bytes/reused.ts';
export type { Bytes } from './bytes/byte-array.ts';
export {
  asBuffer,
  copyBytes,
  fromLatin1,
  indexOfByte,
  latin1,
  readable,
  sameBytes,
  spells,
} from './bytes/bytes.ts';
export {
  clockErrorUs,
  monotonicUs,
  systemClock,
  UnixOffset,
  unixUs,
  type Clock,
} from './time/clock.ts';
export { CommandError, ERROR_CODES, errors, untilNul } from './errors/command-error.ts';
export { keySlot, shardOfSlot } from './hashes/crc16.ts';
export { crc64 } from './hashes/crc64.ts';
export { copyLong, copyToShared, registerShared, type MovableMemory } from './bytes/long-copy.ts';
export type { EntryTaker } from './bytes/entry-taker.ts';
export { formatDouble, parseDouble, parseDoubleInRange } from './numbers/doubles.ts';
export { formatDoublePrecisely, formatGeneral } from './numbers/general-format.ts';
export { globMatches, globMatchesAt } from './bytes/glob.ts';
export {
  digitCount,
  INT64_MAX,
  INT64_MIN,
  parseInteger,
  parseInteger64,
  writeInteger,
} from './numbers/integers.ts';
export {
  ARGUMENTS_MAX,
  INLINE_BYTES_MAX,
  KEY_PREFIX_BYTES_MAX,
  KEY_PREFIXES_MAX,
  SHARDS_MAX,
  SLOT_COUNT,
  UNAUTHENTICATED_ARGUMENTS_MAX,
  BULK_BYTES_MAX,
  UNAUTHENTICATED_BULK_BYTES_MAX,
} from './limits.ts';
export { NamedDigests, SourceDigests } from './hashes/source-digests.ts';
export { halfSipHash } from './hashes/half-sip-hash.ts';
export { xxh3 } from './hashes/xxh3.ts';
export { KeyFate, KEY_FATES } from './key-fate.ts';
export {
  type ByLogKind,
  byLogKind,
  COMMAND_LOG_KINDS,
  type CommandLogKind,
  isCommandLogKind,
} from './command-log-kinds.ts';
export { keyName, keyOfName } from './key-name.ts';
export { PrefixMatcher } from './bytes/prefix-matcher.ts';
export { compressLzf, decompressLzf } from './bytes/lzf.ts';
export {
  addLongDoubles,
  compareLongDoubles,
  formatLongDouble,
  LONG_DOUBLE_BYTES_MAX,
  LONG_DOUBLE_MAX,
  negatedLongDouble,
  parseLongDouble,
  type LongDouble,
} from './numbers/long-double.ts';
export {
  Logger,
  LOG_LEVELS,
  LOG_THRESHOLDS,
  thresholdIndex,
  type LogFields,
  type LogLevel,
  type LogRecord,
  type LogThreshold,
} from './log.ts';
export { recordWithoutUserData, withoutUserData } from './user-data.ts';
export { LineLimit } from './line-limit.ts';
export { EVENT_KINDS, eventKind, KEPT_EVENTS, type EventKind } from './event-kinds.ts';
export { Listeners } from './listeners.ts';
export { LongTimer } from './time/long-timer.ts';
export { everySecond, msToNextSecond, PacedTimer } from './time/paced-timer.ts';
export { RetryDelay } from './time/retry-delay.ts';
export { errnoIn, systemErrorIn } from './system-errors.ts';
export { makeFolder, makeFolders } from './make-folders.ts';
export { readMemoryMap, type MemoryMap } from './memory/memory-map.ts';
export {
  residentParts,
  threadCpu,
  threadCpuReader,
  threadHeap,
  threadId,
  threadScheduling,
  type ResidentParts,
} from './thread-usage.ts';
export { ChurnMap } from './memory/churn-map.ts';
export { collectGarbage } from './memory/garbage.ts';
export { loadUsedBuffers, type NoteUsedBuffers } from './memory/used-buffers.ts';
export {
  CLOSE_ON_EXEC,
  loadFutex,
  loadLibuvLoop,
  loadSignal,
  loadSystemCalls,
  NOT_BLOCKING,
  type Address,
  type Futex,
  type LibuvLoop,
  type Signal,
  type SystemCalls,
} from './kernel/system-calls.ts';
export { loadKernelTimer, type KernelTimer } from './kernel/timer.ts';
export { koffiVersion } from './kernel/koffi-version.ts';
export {
  CGROUP_ROOT,
  cgroupIn,
  machineLimits,
  type MachineLimits,
} from './kernel/machine-limits.ts';
export { type ReadText, systemText } from './kernel/system-text.ts';
export { loadDuplicate } from './duplicate-descriptor.ts';
export { loadFileLock, type FileLock } from './file-lock.ts';
export { mallocTrim } from './memory/malloc-trim.ts';
export { isResourceError } from './errors/resource-error.ts';
export { Spans, type SpanTaker } from './bytes/spans.ts';
export { bytesOfPieces, joined, type Pieces } from './bytes/pieces.ts';
export { copyOfBytes, finish, inSteps, type Steps } from './time/incremental.ts';
export { holdYoungGeneration } from './memory/young-generation.ts';
export { residentBytes } from './memory/resident-memory.ts';
