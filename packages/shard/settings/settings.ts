/** The settings that a shard acts on, kept current by control frames from main. */

import { assert, unreachable } from '#base';
import {
  shardSettingNames,
  type ShardSettingOf,
  type ShardSettings,
  type ShardSettingValues,
} from '#commands';
import { settingsAppliedCall } from '#stats';
import type { SettingValue } from '#link';
import type { CallAnswerers } from '../frames/call-answerers.ts';

export class Settings implements ShardSettings {
  readonly #values = new Map<string, SettingValue>();
  readonly #listeners: ((settings: Settings) => void)[] = [];
  revision = {};

  constructor(values: ShardSettingValues) {
    this.#merge(values);
    // One that is missing would be found out by the first command that reads it.
    for (const name of shardSettingNames) {
      assert(this.#values.has(name), `the shard receives the setting ${name}`);
    }
  }

  number(name: ShardSettingOf<number>): number {
    const value = this.#values.get(name);
    return typeof value === 'number' ? value : unreachable(`setting ${name} is a number`);
  }

  boolean(name: ShardSettingOf<boolean>): boolean {
    const value = this.#values.get(name);
    return typeof value === 'boolean' ? value : unreachable(`setting ${name} is a boolean`);
  }

  string(name: ShardSettingOf<string>): string {
    const value = this.#values.get(name);
    return typeof value === 'string' ? value : unreachable(`setting ${name} is a string`);
  }

  numbers(name: ShardSettingOf<readonly number[]>): readonly number[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? (value as number[]) : unreachable(`setting ${name} is a list`);
  }

  strings(name: ShardSettingOf<readonly string[]>): readonly string[] {
    const value = this.#values.get(name);
    return Array.isArray(value) ? (value as string[]) : unreachable(`setting ${name} is a list`);
  }

  /** All of them, as they are now. */
  get all(): ShardSettingValues {
    return Object.fromEntries(this.#values) as unknown as ShardSettingValues;
  }

  /** Calls `apply` now and after every change of any setting. */
  follow(apply: (settings: Settings) => void): void {
    this.#listeners.push(apply);
    apply(this);
  }

  /** Replies to main after all earlier control frames have taken effect. */
  answer(answerers: CallAnswerers): void {
    answerers.on(settingsAppliedCall, () => null);
  }

  update(values: Readonly<Record<string, SettingValue>>): void {
    this.#merge(values);
    for (const apply of this.#listeners) apply(this);
  }

  #merge(values: Readonly<Record<string, SettingValue>>): void {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
    this.revision = {};
  }
}
