export { OfflineData, type OfflineReport } from './offline-data.ts';
export {
  openTiers,
  readFolder,
  redistribute,
  type OfflineOptions,
  type Redistribution,
} from './data-folder.ts';
