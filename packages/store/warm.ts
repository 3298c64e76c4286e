export { compactAll, moveLive, sparseExtent } from './timed/compaction.ts';
export { entryBytes, entryOf, ExtentWriter, isSound } from './warm/extent.ts';
export { arrived } from './warm/lend.ts';
export type { Loan } from './warm/loan.ts';
export { keyspaceOf, settleLoans } from './timed/settle.ts';
export { extentOf, nthOf } from './warm/warm-tier.ts';
