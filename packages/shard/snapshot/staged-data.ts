/**
 * A primary's data during a full sync, in databases that serve no client. When it is complete, it replaces the served
 * data at one place of the order on all shards.
 */

import { type Bytes, isResourceError } from '#base';
import { valueLimits } from '#commands';
import { dropStagedCall, type Staged } from '#stats';
import { accessOfUse, type Keyspace, rdb, type Store } from '#store';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Settings } from '../settings/settings.ts';
import type { OwnExpiry } from '../replica/own-expiry.ts';

interface StagedDataOptions {
  readonly store: Store;
  readonly settings: Settings;
  readonly context: ExecutionContext;
  readonly ownExpiry: OwnExpiry;
}

export class StagedData {
  readonly #options: StagedDataOptions;
  #databases: readonly Keyspace[] | undefined;

  constructor(options: StagedDataOptions) {
    this.#options = options;
  }

  answer(answerers: CallAnswerers): void {
    answerers.onStage((batch) => this.#stage(batch));
    answerers.on(dropStagedCall, () => {
      this.#drop();
      return null;
    });
  }

  #stage(batch: Bytes): Staged {
    const { store, settings } = this.#options;
    this.#databases ??= store.newDatabases();
    const databases = this.#databases;
    const loader = new rdb.SplitKeyLoader({
      limits: valueLimits({ store, settings }),
      nowMs: store.nowMs,
      // The primary decides when they expire.
      keepsExpired: true,
      accessOf: (use) => accessOfUse(use, store),
    });
    let keys = 0;
    const empty: string[] = [];
    try {
      rdb.readKeyBatch(batch, (split) => {
        const database = databases[split.database];
        if (database === undefined) throw new NoDatabaseError(split.database);
        if (!this.#load(loader, database, split, empty)) return;
        keys += 1;
      });
    } catch (error) {
      return { keys, empty, problem: problemOf(error) };
    }
    return { keys, empty, problem: null };
  }

  /** Stores a key; false where it is skipped. */
  #load(
    loader: rdb.SplitKeyLoader,
    database: Keyspace,
    split: rdb.SplitKey,
    empty: string[],
  ): boolean {
    const { bytes, at, length } = split.key;
    const name = (): string => rdb.shownKey(bytes.subarray(at, at + length));
    try {
      loader.load(database, split);
      return true;
    } catch (error) {
      if (error instanceof rdb.EmptyValueError) {
        empty.push(name());
        return false;
      }
      if (!(error instanceof rdb.MalformedValueError)) throw error;
      throw new DamagedValueError(name());
    }
  }

  /** Drops the received data, which will not be completed. */
  #drop(): void {
    for (const database of this.#databases ?? []) database.clear();
    this.#databases = undefined;
  }

  /** Replaces the served data by the received data. */
  adopt(): void {
    const { store, context, ownExpiry } = this.#options;
    const databases = this.#databases ?? store.newDatabases();
    this.#databases = undefined;
    context.flushed(ALL_DATABASES, store.keyCount);
    store.replaceAll(databases);
    ownExpiry.clear();
    // Clients that watch a key, or wait for one, see the new data.
    for (const database of databases.keys()) context.swapped(database, database);
  }
}

const ALL_DATABASES = -1;

/** The data have a database that this server does not. */
class NoDatabaseError extends Error {
  override readonly name = 'NoDatabaseError';

  constructor(database: number) {
    super(`they have keys in database ${database}, which this server does not have (databases)`);
  }
}

/** A value of theirs cannot be read. */
class DamagedValueError extends Error {
  override readonly name = 'DamagedValueError';

  constructor(key: string) {
    super(`the value of key ${key} is malformed`);
  }
}

/** Returns the fault of the data; throws other errors. */
function problemOf(error: unknown): string {
  if (error instanceof NoDatabaseError || error instanceof DamagedValueError) return error.message;
  if (error instanceof rdb.MalformedValueError) return 'a value in them is malformed';
  if (isResourceError(error)) return 'out of memory';
  throw error;
}
