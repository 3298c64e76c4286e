export { runDataTask } from './data-task.ts';
export { checkData, exportRdb, importAtFirstStart, importRdb, unreadData } from './data-tools.ts';
export { DiskWait } from './disk-wait.ts';
export { durabilityModule } from './durability-module.ts';
export type { KeyFreeze } from './key-freeze.ts';
export { openDataFolder, type OwnFolder, type PersistenceSwitch } from './persistence-switch.ts';
