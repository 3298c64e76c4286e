import { readFileSync } from 'node:fs';
import { globMatches } from '#base';
import { configPair, targets, type Assignment, type Target } from './config-names.ts';
import { takeTable } from './sources/file-source.ts';
import { ValueError, type Value } from './kinds.ts';
import { HIDDEN, renderToml } from './render.ts';
import { isRedisFile, rewriteRedisFile, takeRedisText } from './redis/redis-file.ts';
import { replaceFile, rewriteToml } from './rewrite.ts';
import {
  rowOf,
  settingNames,
  type NameOf,
  type SettingName,
  type SettingsSnapshot,
  type ValueOf,
} from './settings.ts';
import { Gathered, sameValue, type Held, type Origin } from './sources/source.ts';
import { parseToml, readToml } from './sources/toml-file.ts';
import { USERS } from './user-kind.ts';

/** One setting as diagnostics show it. */
interface SettingEntry {
  readonly name: string;
  readonly value: string;
  readonly source: Origin;
  readonly mutable: boolean;
  readonly description: string;
}

/** A CONFIG command that cannot be done; the message is Redis' text without its code. */
export class ConfigCommandError extends Error {
  override readonly name = 'ConfigCommandError';
}

type Listener = (value: Value) => void;

/** Changes of a CONFIG SET, and the name that asked for each. */
interface Changes {
  readonly changes: ReadonlyMap<SettingName, Held>;
  readonly askedBy: ReadonlyMap<SettingName, string>;
}

/** The settings of a running server: read by name, changed by CONFIG SET, followed by listeners. */
export class Settings {
  /** The configuration file, when there is one. */
  readonly file: string | undefined;
  readonly #held: Map<SettingName, Held>;
  readonly #listeners = new Map<SettingName, Listener[]>();

  constructor(held: ReadonlyMap<SettingName, Held> = new Gathered().values, file?: string) {
    this.#held = new Map(held);
    this.file = file;
  }

  get<Name extends SettingName>(name: Name): ValueOf<Name> {
    return this.#value(name) as ValueOf<Name>;
  }

  number(name: NameOf<number>): number {
    return this.#value(name) as number;
  }

  boolean(name: NameOf<boolean>): boolean {
    return this.#value(name) as boolean;
  }

  string(name: NameOf<string>): string {
    return this.#value(name) as string;
  }

  list(name: NameOf<readonly string[]>): readonly string[] {
    return this.#value(name) as readonly string[];
  }

  numbers(name: NameOf<readonly number[]>): readonly number[] {
    return this.#value(name) as readonly number[];
  }

  /** True if the setting was set, even to its default. */
  isSet(name: SettingName): boolean {
    return this.#held.get(name)!.origin !== 'default';
  }

  /**
   * Calls back with each new value. If a listener throws, CONFIG SET is reverted, and the client gets its message.
   */
  onChange<Name extends SettingName>(name: Name, listener: (value: ValueOf<Name>) => void): void {
    const listeners = this.#listeners.get(name) ?? [];
    this.#listeners.set(name, listeners);
    listeners.push(listener as Listener);
  }

  /** Returns the answer of CONFIG GET: names and values, each name once. */
  configGet(patterns: readonly string[]): (readonly [name: string, value: string])[] {
    const found = new Map<string, readonly [string, string]>();
    const add = (name: string, target: Target): void => {
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, [name, this.#shown(target)]);
    };
    for (const pattern of patterns) {
      const target = targets.get(pattern.toLowerCase());
      if (target !== undefined) add(pattern, target);
      if (!/[[*?]/.test(pattern)) continue;
      const bytes = Buffer.from(pattern);
      for (const [name, other] of targets) {
        if (!other.isHidden && globMatches(bytes, Buffer.from(name), true)) add(name, other);
      }
    }
    return [...found.values()];
  }

  /** Does CONFIG SET: all of the pairs or, with a ConfigCommandError, none. */
  configSet(pairs: readonly (readonly [name: string, text: string])[]): void {
    const { changes, askedBy } = this.#changesBy(pairs);
    this.#change(changes, askedBy);
  }

  /** A setting and its new text as CONFIG SET takes them; throws a ConfigCommandError where the text is none of its. */
  static pair(name: SettingName, text: string): readonly [name: string, text: string] {
    try {
      return configPair(name, text);
    } catch (error) {
      if (error instanceof ValueError) throw failed(name, error.message);
      throw error;
    }
  }

  /** The values that CONFIG SET of the pairs would change, by name; throws as it would. */
  changesBy(
    pairs: readonly (readonly [name: string, text: string])[],
  ): ReadonlyMap<SettingName, Value> {
    const { changes } = this.#changesBy(pairs);
    return new Map([...changes].map(([name, { value }]) => [name, value]));
  }

  #changesBy(pairs: readonly (readonly [name: string, text: string])[]): Changes {
    const changes = new Map<SettingName, Held>();
    const askedBy = new Map<SettingName, string>();
    const valueOf = (name: SettingName): Value => changes.get(name)?.value ?? this.#value(name);
    const found = this.#targetsOf(pairs);
    // What another setting may stand in the way of is judged by what that one is then.
    const isDependent = (target: Target): number => Number(target.obstacle !== undefined);
    found.sort(([, a], [, b]) => isDependent(a) - isDependent(b));
    for (const [name, target, text] of found) {
      // The text that CONFIG GET returns changes nothing, even if it could mean another value.
      if (text === target.read(valueOf) || this.#isMask(target, text)) continue;
      const assignments = assignmentsOf(name, target, text);
      const obstacle = target.obstacle?.(valueOf);
      if (obstacle !== undefined && text !== this.#read(target)) throw failed(name, obstacle);
      for (const [setting, value] of assignments) {
        if (sameValue(value, this.#value(setting))) continue;
        changes.set(setting, { value, origin: 'runtime' });
        askedBy.set(setting, name);
      }
    }
    return { changes, askedBy };
  }

  /** Returns the value as text; a secret is hidden. */
  textOf(name: SettingName): string {
    return shownEntry(name, this.#value(name));
  }

  /** Returns the value of a setting before and after a change to `text`, secrets hidden; throws as CONFIG SET would. */
  preview(
    name: SettingName,
    text: string,
  ): { readonly before: string; readonly after: string; readonly changed: boolean } {
    const changes = this.changesBy([Settings.pair(name, text)]);
    const before = this.#value(name);
    const after = changes.get(name) ?? before;
    return {
      before: shownEntry(name, before),
      after: shownEntry(name, after),
      changed: changes.size > 0,
    };
  }

  /** Every setting with its origin, secrets hidden. */
  entries(): SettingEntry[] {
    return settingNames.map((name) => {
      const row = rowOf(name);
      const { value, origin } = this.#held.get(name)!;
      return {
        name,
        value: shownEntry(name, value),
        source: origin,
        mutable: row.effect === 'live',
        description: row.meaning,
      };
    });
  }

  /** The effective configuration as TOML. */
  toToml(options: { readonly hideSecrets: boolean }): string {
    return renderToml({ valueOf: (name) => this.#value(name), ...options });
  }

  /** All values as plain data, for another thread. */
  snapshot(): SettingsSnapshot {
    const values = settingNames.map((name) => [name, this.#value(name)] as const);
    return Object.fromEntries(values) as unknown as SettingsSnapshot;
  }

  /** Takes the users as they are now, for CONFIG REWRITE to write. */
  holdUsers(lines: readonly string[]): void {
    this.#held.set(USERS, { value: lines, origin: 'runtime' });
  }

  /** Takes the primary as REPLICAOF has set it, for CONFIG REWRITE to write; undefined for none. */
  holdPrimary(primary: { readonly host: string; readonly port: number } | undefined): void {
    const { host, port } = primary ?? { host: '', port: this.number('replication.primary-port') };
    this.#held.set('replication.primary-host', { value: host, origin: 'runtime' });
    this.#held.set('replication.primary-port', { value: port, origin: 'runtime' });
  }

  /** Does CONFIG REWRITE: puts what CONFIG SET has changed into the configuration file. */
  rewrite(): void {
    const { file } = this;
    if (file === undefined) {
      throw new ConfigCommandError('The server is running without a config file');
    }
    const changed = settingNames.filter((name) => this.#held.get(name)!.origin === 'runtime');
    try {
      const content = isRedisFile(file)
        ? Buffer.from(this.#asRedis(file, changed), 'latin1')
        : Buffer.from(this.#asToml(file, changed));
      replaceFile(file, content);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigCommandError(`Rewriting config file: ${reason}`, { cause: error });
    }
    for (const name of changed) this.#held.set(name, { value: this.#value(name), origin: 'file' });
  }

  #asToml(file: string, changed: readonly SettingName[]): string {
    const changes = changed.map((name) => ({ name, toml: this.#toml(name) }));
    const text = rewriteToml(readToml(file, file).text, changes);
    const said = new Gathered();
    takeTable(said, parseToml(text, 'the new file'));
    this.#assertSays(said, changed);
    return text;
  }

  #asRedis(file: string, changed: readonly SettingName[]): string {
    const meant = [...targets].filter(([, { settings }]) =>
      settings.some((name) => changed.includes(name)),
    );
    // A target that has several names is written under its first.
    const directives = new Map(
      meant.map(([name, target]) => [target, name]).reverse() as [Target, string][],
    );
    const lines = [...directives].map(([target, name]) => ({ name, text: this.#read(target) }));
    const users = changed.includes(USERS) ? this.list(USERS) : undefined;
    const text = rewriteRedisFile(readFileSync(file, 'latin1'), lines, users);
    const said = new Gathered();
    takeRedisText(said, text, file);
    this.#assertSays(said, changed);
    return text;
  }

  #value(name: SettingName): Value {
    return this.#held.get(name)!.value;
  }

  #toml(name: SettingName): string {
    return rowOf(name).kind.toml(this.#value(name));
  }

  /** Finds what each pair stands for, and refuses what Redis refuses before it reads any value. */
  #targetsOf(
    pairs: readonly (readonly [name: string, text: string])[],
  ): (readonly [name: string, target: Target, text: string])[] {
    const found: (readonly [string, Target, string])[] = [];
    for (const [name, text] of pairs) {
      const target = targets.get(name.toLowerCase());
      if (target === undefined) {
        throw new ConfigCommandError(
          `Unknown option or number of arguments for CONFIG SET - '${name}'`,
        );
      }
      if (!target.isLive && !this.#isAlready(target, text)) {
        throw failed(name, "can't set immutable config");
      }
      if (found.some(([, other]) => other === target)) throw failed(name, 'duplicate parameter');
      found.push([name.toLowerCase(), target, text]);
    }
    return found;
  }

  #read(target: Target): string {
    return target.read((name) => this.#value(name));
  }

  /** Text of a setting in CONFIG GET. */
  #shown(target: Target): string {
    const text = this.#read(target);
    return target.isMasked && text !== '' ? HIDDEN : text;
  }

  #isMask(target: Target, text: string): boolean {
    return target.isMasked && text === this.#shown(target);
  }

  #isAlready(target: Target, text: string): boolean {
    if (text === this.#read(target) || this.#isMask(target, text)) return true;
    try {
      return target.assign(text).every(([name, value]) => sameValue(value, this.#value(name)));
    } catch (error) {
      if (error instanceof ValueError) return false;
      throw error;
    }
  }

  #change(changes: Changes['changes'], askedBy: Changes['askedBy']): void {
    const before = new Map([...changes.keys()].map((name) => [name, this.#held.get(name)!]));
    for (const [name, held] of changes) this.#held.set(name, held);
    for (const name of changes.keys()) {
      try {
        this.#report(name);
      } catch (error) {
        for (const [changed, held] of before) this.#held.set(changed, held);
        this.#reportAgain(before.keys());
        throw failed(askedBy.get(name)!, error instanceof Error ? error.message : String(error));
      }
    }
  }

  #report(name: SettingName): void {
    for (const listener of this.#listeners.get(name) ?? []) listener(this.#value(name));
  }

  /** Notifies listeners of the old values after a change was reverted; a second refusal changes nothing. */
  #reportAgain(names: Iterable<SettingName>): void {
    for (const name of names) {
      try {
        this.#report(name);
      } catch {
        continue;
      }
    }
  }

  /** Makes sure that a file of an unusual layout is left alone rather than broken. */
  #assertSays(said: Gathered, names: readonly SettingName[]): void {
    const wrong = names.find((name) => !sameValue(said.values.get(name)!.value, this.#value(name)));
    if (wrong !== undefined) throw new Error(`${wrong} cannot be changed in a file of this layout`);
  }
}

function assignmentsOf(name: string, target: Target, text: string): readonly Assignment[] {
  try {
    return target.assign(text);
  } catch (error) {
    if (error instanceof ValueError) throw failed(name, error.message);
    throw error;
  }
}

/** CONFIG SET's error about one of its arguments. */
export function failed(argument: string, reason: string): ConfigCommandError {
  return new ConfigCommandError(
    `CONFIG SET failed (possibly related to argument '${argument}') - ${reason}`,
  );
}

/** Text of a value for diagnostics: secrets are hidden. */
function shownEntry(name: SettingName, value: Value): string {
  const row = rowOf(name);
  if (row.isSecret === true && value !== '') return HIDDEN;
  return row.kind.format(row.kind.redact?.(value) ?? value);
}
