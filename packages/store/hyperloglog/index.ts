export { estimate } from './estimate.ts';
export {
  cacheCount,
  cachedCount,
  denseRegister,
  emptyDense,
  emptySparse,
  fillDense,
  forgetCount,
  HEADER_BYTES,
  isDense,
  isHyperLogLog,
  locate,
  mergeInto,
  place,
  REGISTERS,
  runAt,
  setDenseRegister,
  toDense,
} from './registers.ts';
export { SparseCode, type SparseOutcome } from './sparse.ts';
