/** CONFIG SET of what takes time and may fail: it is done before the settings say so, one such change after the other. */

import type { LogFields } from '#base';
import type { SettingName, Settings } from '#config';
import type { SettingChange } from './setting-changes.ts';

export type Pairs = readonly (readonly [name: string, text: string])[];
/** New values by the names of their settings. */
export type SettingChanges = ReturnType<Settings['changesBy']>;

export interface TwoPhaseSetting {
  /** Throws a ConfigCommandError where these changes cannot be made now. */
  judge?(changes: SettingChanges, pairs: Pairs): void;
  /** True when it has to do something before these changes are made. */
  concerns(changes: SettingChanges, pairs: Pairs): boolean;
  /** Does it; answers what takes it back. Rejects with a ConfigCommandError. */
  make(changes: SettingChanges, pairs: Pairs): Promise<() => void | Promise<void>>;
  /** Hears that the changes are made. */
  changed?(changes: SettingChanges): void;
  /** Resolves when all work started by changes is done. */
  settled?(): Promise<void>;
}

export class TwoPhaseSettings {
  readonly #settings: Settings;
  /** Called with changes that are made, and the one who has made them. */
  readonly #changed: (changes: readonly SettingChange[], by: LogFields) => void;
  /** In the order in which they are made. */
  readonly #late: readonly TwoPhaseSetting[];
  /** One change follows the other. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    settings: Settings,
    late: readonly TwoPhaseSetting[],
    changed: (changes: readonly SettingChange[], by: LogFields) => void,
  ) {
    this.#settings = settings;
    this.#changed = changed;
    this.#late = late;
  }

  /**
   * Performs CONFIG SET; returns a promise if asynchronous work is needed. Throws, or rejects with, a
   * ConfigCommandError. While shards are stopped for the client (`mayWait` is false), none of them is waited for. `by`
   * identifies the client in the log.
   */
  set(pairs: Pairs, mayWait: boolean, by: LogFields): Promise<void> | undefined {
    const changes = this.#settings.changesBy(pairs);
    for (const each of this.#late) each.judge?.(changes, pairs);
    if (!this.#late.some((each) => each.concerns(changes, pairs))) {
      this.#apply(pairs, by);
      return undefined;
    }
    return this.#setLater(pairs, mayWait, by);
  }

  /** Throws a ConfigCommandError where CONFIG SET of the pairs cannot be made now; nothing is changed. */
  judge(pairs: Pairs): void {
    const changes = this.#settings.changesBy(pairs);
    for (const each of this.#late) each.judge?.(changes, pairs);
  }

  async #setLater(pairs: Pairs, mayWait: boolean, by: LogFields): Promise<void> {
    if (mayWait) await this.settled();
    const change = this.#last.then(() => this.#make(pairs, by));
    this.#last = change.catch(() => undefined);
    await change;
  }

  /** Settles when all that was changed is in force. */
  async settled(): Promise<void> {
    for (const each of this.#late) await each.settled?.();
  }

  async #make(pairs: Pairs, by: LogFields): Promise<void> {
    const changes = this.#settings.changesBy(pairs);
    const undo: (() => void | Promise<void>)[] = [];
    try {
      for (const each of this.#late) {
        if (each.concerns(changes, pairs)) undo.unshift(await each.make(changes, pairs));
      }
      this.#apply(pairs, by);
    } catch (error) {
      for (const takeBack of undo) await takeBack();
      throw error;
    }
  }

  #apply(pairs: Pairs, by: LogFields): void {
    const changes = this.#settings.changesBy(pairs);
    const before = [...changes.keys()].map((name) => [name, this.#settings.textOf(name)] as const);
    this.#settings.configSet(pairs);
    this.#changed(before.map(this.#changeOf), by);
    for (const each of this.#late) each.changed?.(changes);
  }

  readonly #changeOf = ([name, from]: readonly [SettingName, string]): SettingChange => {
    return { name, from, to: this.#settings.textOf(name) };
  };
}
