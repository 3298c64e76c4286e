/** The databases of a store with what they share, for whoever works on all of them between commands. */
import { StoreContext } from '../store-context.ts';
import type { Keyspace } from './keyspace.ts';

export class Databases extends StoreContext {
  readonly databases: Keyspace[] = [];
}
