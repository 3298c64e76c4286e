/** The databases of a store with their shared state, for work on all of them between commands. */
import { StoreContext } from './store-context.ts';
import type { Keyspace } from './keyspace.ts';

export abstract class Databases extends StoreContext {
  readonly databases: Keyspace[] = [];

  /** Number of keys of all databases, including expired ones that were not removed yet. */
  get keyCount(): number {
    let sum = 0;
    for (const { size } of this.databases) sum += size;
    return sum;
  }

  /** An empty database beside those that are served. */
  abstract newDatabase(): Keyspace;
}
