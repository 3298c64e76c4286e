/** Values in the format of Redis' dumps. */
export { MalformedValueError } from './malformed.ts';
export {
  dumpFunctions,
  dumpValue,
  functionsOf,
  isSoundPayload,
  loadPayload,
  NoFunctionError,
} from './payload.ts';
export { readRdbFile, RdbFileError, RdbFileWriter, type RdbSource } from './rdb-file.ts';
export { storeFinished, type ValueLimits } from './read-value.ts';
export type { FinishedValue } from './finished-value.ts';
