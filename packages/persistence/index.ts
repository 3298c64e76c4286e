export { DiskThread, noticesOf } from './disk-thread.ts';
export type {
  DiskData,
  DiskNotice,
  DiskSettings,
  DiskOrder,
  LogLeft,
  LogStart,
  DurabilityMode,
  SnapshotPiece,
} from './disk-messages.ts';
export { BlockReader, DamagedFile, type TornEnd } from './blocks/block-reader.ts';
export {
  DataFolder,
  DataFolderError,
  refusalOf,
  type RecoveryPlan,
  type ShardPlan,
} from './folder/data-folder.ts';
export {
  forgetStreamPlace,
  readStreamPlace,
  writeStreamPlace,
  type KeptPlace,
} from './folder/stream-place.ts';
export { demandFolder, demandUsableFolder, makeFolder } from './folder/make-folder.ts';
export { isProblem, RecoveryAttempts, type RecoveryProblem } from './recovery-attempts.ts';
export type { Manifest } from './blocks/manifest.ts';
export {
  decodeRests,
  encodeRests,
  hasTransaction,
  Record,
  RECORD_DATABASE_SHIFT,
  RECORD_GROUPED,
  RECORD_HEADER_BYTES,
  RECORD_KIND_MASK,
  RECORD_TRANSFERRED,
  RecordKind,
  TRANSACTION_BYTES,
  transactionId,
  withoutRests,
  type Rest,
} from './blocks/record.ts';
export { PartCollector, type RecordPieces } from './blocks/long-record.ts';
export { shortenBlock, shortenFile, type BlockFormat } from './blocks/block.ts';
export {
  logFolder,
  MANIFEST,
  segmentFile,
  snapshotFile,
  snapshotFolder,
  snapshotsFolder,
} from './layout.ts';
export { markBroken } from './blocks/file-head.ts';
export { ShardLog } from './log/shard-log.ts';
export { PIECE_HEAD_BYTES } from './snapshot-writer.ts';
export { FolderLock } from './folder/folder-lock.ts';
export { keysIn, bytesOf } from './blocks/manifest.ts';
export { realDisk } from './disk.ts';
export { removeAllBut } from './log/retention.ts';
export { SnapshotWriter } from './snapshot-writer.ts';
