/** What commands touch in a shard; one object, pointed at each command in turn. */

import { unreachable, type Bytes } from '#base';
import type { EventClass, ShardContext } from '#commands';
import { AT, type Page } from '#diag';
import type { ReplyWriter } from '#resp';
import type { Keyspace, Store } from '#store';
import type { KeyEvents } from './key-events.ts';
import type { Settings } from './settings.ts';

export interface ContextParts {
  store: Store;
  reply: ReplyWriter;
  settings: Settings;
  page: Page;
  events: KeyEvents;
  shardIndex: number;
  shardCount: number;
  random: () => number;
  sleep: (seconds: number) => void;
}

export class ExecutionContext implements ShardContext {
  keyspace: Keyspace;
  readonly store: Store;
  readonly reply: ReplyWriter;
  readonly settings: Settings;
  readonly shardIndex: number;
  readonly shardCount: number;
  database = 0;
  connection = 0;
  nowMs = 0;
  readonly random: () => number;
  readonly sleep: (seconds: number) => void;
  readonly #values: Float64Array;
  readonly #events: KeyEvents;

  constructor(parts: ContextParts) {
    this.store = parts.store;
    this.reply = parts.reply;
    this.settings = parts.settings;
    this.shardIndex = parts.shardIndex;
    this.shardCount = parts.shardCount;
    this.random = parts.random;
    this.sleep = parts.sleep;
    this.keyspace = parts.store.databases[0] ?? unreachable('a store has a database');
    this.#values = parts.page.values;
    this.#events = parts.events;
  }

  hit(): void {
    this.#values[AT.hits] = this.#values[AT.hits]! + 1;
  }

  miss(): void {
    this.#values[AT.misses] = this.#values[AT.misses]! + 1;
  }

  changed(type: EventClass, event: string, key: Bytes, at: number, length: number): void {
    this.#values[AT.changes] = this.#values[AT.changes]! + 1;
    if (!this.#events.isOn) return;
    this.#events.add(type, event, this.database, key.subarray(at, at + length), true);
  }

  flushed(_database: number): void {
    this.#values[AT.changes] = this.#values[AT.changes]! + 1;
    this.#events.flushed();
  }

  swapped(_one: number, _other: number): void {
    this.#values[AT.changes] = this.#values[AT.changes]! + 1;
  }

  notify(type: EventClass, event: string, key: Bytes, at: number, length: number): void {
    if (!this.#events.isOn) return;
    this.#events.add(type, event, this.database, key.subarray(at, at + length), false);
  }
}
