/** The databases of a store with what they share, for whoever works on all of them between commands. */
import { StoreContext } from './store-context.ts';
import type { Keyspace } from './keyspace.ts';

export abstract class Databases extends StoreContext {
  readonly databases: Keyspace[] = [];

  /** Keys of all databases, with expired ones that nobody has met yet. */
  get keyCount(): number {
    let sum = 0;
    for (const { size } of this.databases) sum += size;
    return sum;
  }

  /** An empty database beside those that are served. */
  abstract newDatabase(): Keyspace;
}
