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

  /** Returns the database of stored keys; throws an Error that names the settings where there are fewer. */
  databaseOfKeys(number: number): Keyspace {
    const keyspace = this.databases[number];
    if (keyspace === undefined) throw new Error(`there are ${missingDatabase(number)}`);
    return keyspace;
  }

  /** An empty database beside those that are served. */
  abstract newDatabase(): Keyspace;
}

/** Describes keys of a database that the server does not have, and what to set. */
export function missingDatabase(number: number): string {
  const needed = `set server.databases, or in a cluster cluster.databases, to ${number + 1} or more`;
  return `keys in database ${number}: ${needed}`;
}
