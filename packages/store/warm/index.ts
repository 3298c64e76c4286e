export { compactAll, moveLive, sparseExtent } from './compaction.ts';
export { entryBytes, entryOf, ExtentWriter, isSound } from './extent.ts';
export { arrived } from './lend.ts';
export type { Loan } from './loan.ts';
export { keyspaceOf, settleLoans } from './settle.ts';
export { extentOf, nthOf } from './warm-tier.ts';
