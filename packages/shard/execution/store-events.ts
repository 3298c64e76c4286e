/** Notifications for changes of keys without a command: expiry and eviction. */

import { type Bytes, latin1 } from '#base';
import { commandTable } from '#commands';
import { AT, type Page } from '#stats';
import { keyEvicted, keyExpired } from '#usdt';
import type { Store, StoreEvents } from '#store';
import type { ExecutionContext } from './context.ts';
import type { Effects } from './effects.ts';
import type { KeyEvents } from './key-events.ts';

interface StoreEventsOptions {
  readonly store: Store;
  readonly context: ExecutionContext;
  readonly events: KeyEvents;
  readonly effects: Effects;
  /** Hears of keys that clients of a replica give an end. */
  readonly ownExpiry: { changed(database: number, bytes: Bytes, at: number, length: number): void };
  readonly shardIndex: number;
  readonly page: Pick<Page, 'values'>;
}

export function ownChanges(options: StoreEventsOptions): StoreEvents {
  const { store, context, events, effects, ownExpiry, shardIndex } = options;
  const changed = (database: number, bytes: Bytes, at: number, length: number): void => {
    context.keyChanged(database, bytes, at, length);
  };
  const readerOf = (): number => {
    // Maintenance runs between commands, and the page then shows none.
    const command = options.page.values[AT.executing]! - 1;
    return commandTable.entries[command]?.mayChange === false ? context.connection : -1;
  };
  return {
    expired(database, bytes, at, length) {
      if (keyExpired.isWatched) keyExpired.fire(latin1(bytes, at, length), shardIndex);
      events.expired(database, bytes, at, length);
      effects.removed(database, bytes, at, length, readerOf());
      changed(database, bytes, at, length);
    },
    evicted(database, bytes, at, length) {
      const { policy } = store;
      if (keyEvicted.isWatched) keyEvicted.fire(latin1(bytes, at, length), shardIndex, policy);
      events.evicted(database, bytes, at, length);
      effects.removed(database, bytes, at, length);
      changed(database, bytes, at, length);
    },
    fieldsDropped(database, bytes, at, length, fields) {
      effects.fieldsDropped(database, bytes.slice(at, at + length), fields);
    },
    fieldsExpired(database, bytes, at, length, gone) {
      events.fieldsExpired(database, bytes, at, length, gone);
      effects.fieldsExpired(database, bytes, at, length, gone.fields);
      changed(database, bytes, at, length);
    },
    endSet(database, bytes, at, length) {
      ownExpiry.changed(database, bytes, at, length);
    },
  };
}
