/**
 * Key fates: reasons of removed keys, counted by fate, with the latest ones recorded together with the client of the
 * command. The store reports a removal at the moment it happens, so the command that the page shows as being executed
 * is the cause. Overwriting is as frequent as SET, so it is only counted unless recording is enabled.
 */

import { type Bytes, KeyFate } from '#base';
import { KEY_QUANTITIES } from '#quantities';
import {
  AT,
  type Page,
  REMOVED_KEYS,
  REMOVED_KEYS_RESET,
  type RemovedKeyHead,
  RemovedKeys,
} from '#stats';
import type { FateListener } from '#store';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Settings } from '../settings/settings.ts';
import type { Slowness } from './slowness.ts';

/** Index of the counter of the first fate; the others follow. */
const FIRST_COUNTER = AT[KEY_QUANTITIES.fates[0].counter];

/** The time of the current command. */
interface Time {
  readonly unixMs: number;
}

interface KeyFatesOptions {
  /** Index of the shard. */
  readonly index: number;
  readonly page: Page;
  /** Returns the next id of a removed key, unique in the process. */
  readonly nextRemovedKeyId: () => number;
}

export class ShardKeyFates implements FateListener {
  readonly #values: Float64Array;
  readonly #removedKeys: RemovedKeys;
  readonly #slowness: Slowness;
  readonly #time: Time;
  #keeps = false;
  #keepsOverwritten = false;
  /** Reused for each key, so that recording one creates no garbage. */
  readonly #head: { -readonly [Name in keyof RemovedKeyHead]: RemovedKeyHead[Name] } = {
    unixMs: 0.5,
    database: 0,
    fate: 0,
    command: 0,
    client: null,
    keys: 0,
  };

  /** `slowness` knows the clients. */
  constructor(options: KeyFatesOptions, slowness: Slowness, time: Time) {
    const { index, page, nextRemovedKeyId } = options;
    this.#values = page.values;
    this.#removedKeys = new RemovedKeys(index, nextRemovedKeyId);
    this.#slowness = slowness;
    this.#time = time;
  }

  apply(settings: Settings): void {
    this.#removedKeys.lengthMax = settings.number('keyfate.max-len');
    this.#keeps = this.#removedKeys.isOn;
    this.#keepsOverwritten = this.#keeps && settings.boolean('keyfate.overwritten');
  }

  answer(answerers: CallAnswerers): void {
    answerers.on(REMOVED_KEYS, (question) => this.#removedKeys.newest(question));
    answerers.on(REMOVED_KEYS_RESET, ({ beforeId }) => {
      this.#removedKeys.reset(beforeId);
      return null;
    });
  }

  gone(database: number, fate: number, key: Bytes, at: number, length: number): void {
    const counter = FIRST_COUNTER + fate;
    this.#values[counter] = this.#values[counter]! + 1;
    if (fate === KeyFate.overwritten ? !this.#keepsOverwritten : !this.#keeps) return;
    this.#removedKeys.add(this.#headOf(database, fate, 1), key, at, length);
  }

  flushed(database: number, keys: number): void {
    this.#values[AT.fateFlushed] = this.#values[AT.fateFlushed]! + keys;
    if (this.#keeps) this.#removedKeys.addFlush(this.#headOf(database, KeyFate.flushed, keys));
  }

  #headOf(database: number, fate: number, keys: number): RemovedKeyHead {
    const values = this.#values;
    const head = this.#head;
    // Maintenance runs between commands, and the page then shows none.
    const command = values[AT.executing]! - 1;
    head.unixMs = this.#time.unixMs;
    head.database = database;
    head.fate = fate;
    head.command = command;
    head.client = command < 0 ? null : this.#slowness.clientIn(values[AT.executingClient]!);
    head.keys = keys;
    return head;
  }
}
