export { OfflineData, type OfflineReport } from './offline-data.ts';
export {
  readFolder,
  redistribute,
  type OfflineOptions,
  type Redistribution,
} from './data-folder.ts';
