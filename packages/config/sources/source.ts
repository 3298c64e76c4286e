/**
 * Values of the settings from one source, validated by the table. Mistakes are collected, so that one start reports all
 * of them.
 */
import * as v from 'valibot';
import { bytesOf, password, ValueError, type Value } from '../kinds.ts';
import { rowOf, settingNames, type SettingName } from '../settings.ts';
import { parseToml, TomlError } from './toml-file.ts';
import type { ConfigWarning } from '../config-warning.ts';

/** Origin of a value, lowest first. */
export type Origin = 'default' | 'file' | 'env' | 'cli' | 'runtime';

/** A value and where it came from. */
export interface Held {
  readonly value: Value;
  readonly origin: Origin;
}

/** Values and mistakes, gathered from source after source; a later source wins. */
export class Gathered {
  readonly values = new Map<SettingName, Held>();
  readonly mistakes: string[] = [];
  readonly warnings: ConfigWarning[] = [];

  constructor() {
    for (const name of settingNames) {
      this.values.set(name, { value: rowOf(name).default, origin: 'default' });
    }
  }

  /** Takes a value as TOML gives it. `shown` is the value as it was written. */
  takeToml(
    name: SettingName,
    given: unknown,
    from: { origin?: Origin; where: string; shown: string },
  ): void {
    const judged = v.safeParse(rowOf(name).kind.schema, given);
    if (judged.success) this.takeValue(name, judged.output, from.origin ?? 'file');
    else this.#refuse(name, from);
  }

  /** Reads text as an array of TOML where the setting is a list; `[::1]` is none, and stays the text of an address. */
  #arrayOrNone(name: SettingName, text: string): readonly unknown[] | undefined {
    if (!Array.isArray(rowOf(name).default) || !text.trimStart().startsWith('[')) return undefined;
    try {
      const { list } = parseToml(`list = ${text}`, 'the value').data;
      return Array.isArray(list) ? list : undefined;
    } catch (error) {
      if (error instanceof TomlError) return undefined;
      throw error;
    }
  }

  /** Takes a value written as text. */
  takeText(name: SettingName, text: string, origin: 'env' | 'cli', where: string): void {
    // Beside Redis' yes and no, TOML's words are understood wherever people type.
    const word = { true: 'yes', false: 'no' }[text.toLowerCase()];
    const isBoolean = typeof rowOf(name).default === 'boolean';
    const list = this.#arrayOrNone(name, text);
    if (list !== undefined) {
      this.takeToml(name, list, { origin, where, shown: text });
      return;
    }
    try {
      const given = rowOf(name).kind === password ? bytesOf(text) : text;
      const value = rowOf(name).kind.parse(isBoolean && word !== undefined ? word : given);
      this.takeValue(name, value, origin);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      this.#refuse(name, { where, shown: text });
    }
  }

  /** Notes a name that is none. */
  unknown(what: string, where: string, suggestion: string | undefined): void {
    const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
    this.mistakes.push(`${where}: unknown ${what}${hint}`);
  }

  /** Takes a value that was read already. */
  takeValue(name: SettingName, value: Value, origin: Origin): void {
    this.values.set(name, { value, origin });
  }

  #refuse(name: SettingName, from: { where: string; shown: string }): void {
    const { kind, isSecret } = rowOf(name);
    const shown = isSecret === true ? '(hidden)' : from.shown;
    const rule = `${name} = ${shown} is not allowed; allowed is ${kind.allowed}`;
    this.mistakes.push(`${from.where}: ${rule}`);
  }
}

/** True when two values of a setting are equal. */
export function sameValue(one: Value, other: Value): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The name most like a misspelt one, if any is like it at all. */
export function closest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 4)) + 1;
  for (const name of names) {
    const distance = editDistance(word, name);
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = above[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[other.length]!;
}
