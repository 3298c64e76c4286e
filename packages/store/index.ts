export { EVICTION_POLICIES, type EvictionPolicy } from './access.ts';
export type { Ref } from './segment.ts';
export { Keyspace } from './keyspace.ts';
export type { MemoryCount } from './memory-count.ts';
export type { ValueView } from './records.ts';
export { Store, type StoreEvents, type StoreOptions, type StoreStats } from './store.ts';
export { ValueType } from './value-type.ts';
