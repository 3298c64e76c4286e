/** The databases of a store with what they share, for whoever works on all of them between commands. */
import { StoreContext } from '../store-context.ts';
import type { Keyspace } from './keyspace.ts';

export abstract class Databases extends StoreContext {
  readonly databases: Keyspace[] = [];

  /** An empty database beside those that are served. */
  abstract newDatabase(): Keyspace;
}
