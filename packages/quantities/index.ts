export { ACCESS_QUANTITIES } from './access.ts';
export { CLIENT_QUANTITIES } from './clients.ts';
export { CLUSTER_QUANTITIES } from './cluster.ts';
export { COMMAND_QUANTITIES } from './commands.ts';
export { DURABILITY_QUANTITIES } from './durability.ts';
export { KEY_QUANTITIES } from './keys.ts';
export { LOG_QUANTITIES } from './logs.ts';
export { MEMORY_QUANTITIES } from './memory.ts';
export type { InfoForm, LogQuantity, Quantity } from './quantity.ts';
export { REPLICATION_QUANTITIES } from './replication.ts';
export { SCRIPT_QUANTITIES } from './scripts.ts';
export {
  QUANTITIES,
  STORE_COUNTERS,
  type Counter,
  type LiveRate,
  type PageQuantity,
  type ShardField,
  type StatusField,
  type StoreCounter,
} from './table.ts';
export { THREAD_QUANTITIES } from './threads.ts';
export { TIER_QUANTITIES } from './tier.ts';
export { TLS_QUANTITIES } from './tls.ts';
export { USER_QUANTITIES, type UserFieldName, type UserPath, type UserQuantity } from './users.ts';
