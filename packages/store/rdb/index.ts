/** Values in the format of Redis' dumps. */
export {
  EmptyValueError,
  MalformedValueError,
  RdbFileError,
  shownKey,
} from './format/malformed.ts';
export {
  dumpFunctions,
  dumpInSteps,
  dumpPortably,
  dumpValue,
  functionsOf,
  isSoundPayload,
  loadPayload,
  NoFunctionError,
  payloadOfFile,
} from './payload.ts';
export { fitsVersion, isExtended, VERSION_OF_7_0 } from './values/write-value.ts';
export { RdbPieceWriter } from './pieces/rdb-pieces.ts';
export { readRdbFile, RdbFileWriter, type RdbSource } from './rdb-file.ts';
export { RdbSplitter, type RdbSplitTarget } from './split/rdb-splitter.ts';
export { KeyBatchWriter, readKeyBatch } from './split/key-batch.ts';
export { SplitKeyLoader, type SplitKey } from './split/split-key.ts';
export { storeFinished, type ValueLimits } from './values/read-value.ts';
export type { FinishedValue } from './format/finished-value.ts';
