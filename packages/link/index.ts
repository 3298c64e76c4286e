export {
  decodeControl,
  decodeMessage,
  encodeControl,
  encodeMessage,
  type Control,
  type CallQuestion,
  type PublishedAnswersMessage,
  type SettingValue,
  type OpenSlotRule,
  type ShardRedirect,
  type ServedRanges,
  type SlotSpan,
} from './messages/control.ts';
export { moduleMetric, type ModuleMetric } from './module-metric.ts';
export { SharedCounter } from './counter.ts';
export { SharedFlag } from './shared-flag.ts';
export { ScriptControl, ScriptFlag } from './script-control.ts';
export { ScriptExchange } from './script-exchange.ts';
export { EventRing, type RecordedEvent } from './rings/event-ring.ts';
export { SharedReport } from './shared-report.ts';
export { DoubleBuffer } from './log/double-buffer.ts';
export { bellToRing, Doorbell, waitAsMain } from './doorbell.ts';
export { FRONT_BYTES_MAX, FrontKind } from './front/front-frames.ts';
export { FRONT_SLOTS, FRONT_WINDOW_BYTES, FrontSlots } from './front/front-slots.ts';
export { FrontReader } from './front/front-reader.ts';
export { FrontWriter } from './front/front-writer.ts';
export {
  CONTINUED,
  DATABASE_SHIFT,
  frameBytes,
  FrameKind,
  HOST_WORDS,
  HostWord,
  LendFlag,
  kindName,
  KIND_MASK,
  Reply,
  ReplyFlag,
  REPLY_HEADER_BYTES,
  Request,
  REQUEST_HEADER_BYTES,
  RequestFlag,
  ScriptRequest,
  TRANSFERRED,
  Unpark,
  UNSAFE_KIND,
  Verdict,
} from './messages/frames.ts';
export {
  defaultShape,
  layoutOf,
  LOG_BLOCK_BYTES,
  WORKSPACE_BYTES,
  type FrontPlaces,
  type TierPlaces,
  type LinkLayout,
  type LinkShape,
} from './layout.ts';
export { decodeKeys, encodeKeys } from './messages/key-list.ts';
export type { KeyFound, KeysFound, KeysMoved, KeysWanted } from './messages/migration.ts';
export {
  FeedEnd,
  FeedFlag,
  SEGMENT_BYTES,
  SegmentAt,
  type FeedOrder,
} from './messages/feed-segments.ts';
export { LogOwner, LogThread } from './log/log-ownership.ts';
export { LogProgress } from './log/log-progress.ts';
export { allocateShared, LinkMemory, type SharedMemory } from './memory.ts';
export { pause } from './pause.ts';
export { CallError, isCall, PortCalls, type CallMessage } from './messages/port-calls.ts';
export {
  ringDepth,
  ringPublished,
  ringTaken,
  RingReader,
  RingWriter,
  wakeSleeper,
} from './rings/ring.ts';
export {
  decodeKeyEvents,
  KeyEventFlag,
  KeyEventWriter,
  NO_ORIGIN,
  type KeyEvent,
  type Origin,
} from './messages/key-events.ts';
export {
  RecordAt,
  RecordFlag,
  TraceDraft,
  type KeptArgument,
  type PartTimes,
  type ShardWork,
  type SpanSwitches,
  type TraceRecord,
} from './rings/trace-record.ts';
export { TraceRingReader, TraceRingWriter } from './rings/trace-ring.ts';
export { settleTimes, TimesAt, TracedPart, TraceTimes } from './rings/trace-times.ts';
