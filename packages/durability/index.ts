export { checkData, exportRdb, importAtFirstStart, importRdb, unreadData } from './data-tools.ts';
export { DiskWait } from './disk-wait.ts';
export { KeyFreeze } from './key-freeze.ts';
export { openDataFolder, type OwnFolder, PersistenceSwitch } from './persistence-switch.ts';
