import * as hyperloglog from './hyperloglog/index.ts';
import * as rdb from './rdb/index.ts';
import * as warm from './warm.ts';
export { accessOfUse, type EvictionPolicy } from './records/access.ts';
export { KeySizes } from './timed/key-sizes.ts';
export { Encoding } from './values/encodings.ts';
export type { Ref } from './memory/segment.ts';
export {
  SNAPSHOT_PIECE_BYTES_USUAL,
  SNAPSHOT_STEP_KEYS,
  SnapshotIterator,
} from './state/snapshot-iterator.ts';
export { KeyStateWriter } from './state/key-state.ts';
export { installStates, KeyStateReader } from './state/key-state-reader.ts';
export { HashValue } from './hash/hash-value.ts';
export type { PackedLimits } from './values/packed-limits.ts';
export type { Piece } from './values/piece.ts';
export { LIBRARIES_PIECE, keysInPiece, longState, PieceInstaller } from './state/long-state.ts';
export { LOOK_AHEAD_MAX, type KeyPrefetch } from './prefetch/prefetch.ts';
export { Keyspace } from './keyspace/keyspace.ts';
export { KEEP_TTL, setOptions } from './keyspace/set-options.ts';
export { ListValue, stubList } from './list/list-value.ts';
export type { ListLimits } from './list/node-limits.ts';
export { Quicklist } from './list/quicklist.ts';
export { Listpack } from './listpack/listpack.ts';
export { ListpackEntries } from './listpack/listpack-entries.ts';
export { keyScratch, Span, valueScratch } from './values/span.ts';
export { SetValue, type SetLimits } from './set/set-value.ts';
export { RankedTable } from './sorted-set/ranked-table.ts';
export { SortedSetValue, storeSortedSet } from './sorted-set/sorted-set-value.ts';
export { Store } from './store.ts';
export type { FateListener, FieldsGone, StoreEvents } from './keyspace/store-context.ts';
export { EntryCursor } from './stream/entry-cursor.ts';
export { IdPlace } from './stream/id-index.ts';
export {
  NEVER,
  UNKNOWN_READ,
  DELIVERIES_MAX,
  type StreamConsumer,
  type StreamGroup,
} from './stream/stream-group.ts';
export { ID_TEXT_BYTES_MAX, readUnsigned, StreamId, unsigned } from './stream/stream-id.ts';
export type { EntryPieces } from './stream/stream-node.ts';
export { StreamValue } from './stream/stream-value.ts';
export type { References, Trimming } from './stream/stream-options.ts';
export { NODE_BYTES_MAX, type Stream } from './stream/stream.ts';
export { PackedTable } from './table/packed-table.ts';
export { codecOf, type Encoded } from './values/codecs.ts';
export { bytesForm, codecAt, isLong, PIECE_BYTES } from './keyspace/value-codec.ts';
export { ValueType } from './values/value-type.ts';
export { WordReader, WordWriter } from './memory/word-bytes.ts';
export { hyperloglog, rdb, warm };
export type { WarmOutlet } from './warm/warm-tier.ts';
export { SPILL_BUSY, SPILL_SEARCHING } from './timed/eviction.ts';
export { LONG_COPY_BYTES } from './memory/limits.ts';
