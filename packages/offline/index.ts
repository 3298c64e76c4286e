export { OfflineData, type OfflineReport } from './offline-data.ts';
export { backupData, oldestOf } from './backup/backup-manifest.ts';
export { failureOf, takeBackup } from './backup/take-backup.ts';
export { backupPlan, isoTime, verifyBackup } from './backup/verify-backup.ts';
export { verifySnapshot } from './backup/verify-snapshot.ts';
export {
  openTiers,
  readFolder,
  redistribute,
  type OfflineOptions,
  type Redistribution,
} from './data-folder.ts';
