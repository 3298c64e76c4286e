/**
 * Who wants to know what commands do with keys: the session of HOTKEYS, its windows, and the counts by prefix.
 *
 * While nobody does, a command costs one look at `isOn`.
 */

import { keyName, threadCpuReader, type Bytes, type Clock, type PrefixMatcher } from '#base';
import { findKeys, type Arguments, type CommandEntry, type ShardContext } from '#commands';
import {
  HOT_KEYS,
  HOT_WINDOW,
  HotKeys,
  HotWindows,
  type HotKeysQuestion,
  type HotKeysShare,
} from '#diag';
import { CommandCpu } from './command-cpu.ts';
import type { MachineParts } from './machine-parts.ts';
import { PrefixUse } from './prefix-use.ts';
import type { Questions } from './questions.ts';
import type { Settings } from './settings.ts';

/** What a command has cost. */
export interface CommandCost {
  us: number;
  /** Of its request, and of its reply. */
  inputBytes: number;
  outputBytes: number;
  database: number;
  /** Unix milliseconds at its beginning. */
  nowMs: number;
}

const FIRST_KEY = 1;

export class KeyUse {
  isOn = false;
  readonly prefixes: PrefixUse;
  readonly #session: HotKeys;
  readonly #windows: HotWindows;
  readonly #clock: Clock;
  /** Since the first session. */
  #cpu: CommandCpu | undefined;
  /** Filled anew for each command. */
  readonly cost: CommandCost = {
    ...{ us: 0.5, inputBytes: 0, outputBytes: 0, database: 0, nowMs: 0.5 },
  };
  /** Indexes of the keys of the command at hand. */
  readonly #keys: number[] = [];

  constructor({ page, random, clock }: MachineParts) {
    this.prefixes = new PrefixUse(page);
    this.#session = new HotKeys(random);
    this.#windows = new HotWindows(random);
    this.#clock = clock;
  }

  /** Answers whether other prefixes are counted from now on. */
  apply(settings: Settings): boolean {
    const isNew = this.prefixes.configure(settings.strings('key-prefixes'));
    const windows = {
      isEnabled: settings.boolean('hotkeys-window-enabled'),
      topKeys: settings.number('hotkeys-window-top-k'),
      seconds: settings.number('hotkeys-window-seconds'),
      sample: settings.number('hotkeys-window-sample'),
    };
    this.#windows.configure(windows, this.#clock.wallMs());
    this.#decide();
    return isNew;
  }

  /** Whether `lookedUp` wants to hear. */
  get tellsLookUps(): boolean {
    return this.prefixes.matcher !== undefined;
  }

  answer(questions: Questions): void {
    questions.on(HOT_KEYS, (question) => this.#toSession(question));
    questions.on(HOT_WINDOW, ({ number }) => this.#windows.answer(number, this.#clock.wallMs()));
  }

  #toSession(question: HotKeysQuestion): HotKeysShare | null {
    const share = this.#session.answer(question);
    if (this.#session.isActive) this.#cpu ??= new CommandCpu(threadCpuReader());
    this.#decide();
    this.begin();
    return share;
  }

  #decide(): void {
    this.isOn = this.#session.isActive || this.#windows.isActive || this.tellsLookUps;
  }

  /** Commands follow: what the thread has used before is no command's time. */
  begin(): void {
    if (this.#session.isActive) this.#cpu?.begin();
  }

  /** A command that reads has looked a key up; only while prefixes are counted. */
  lookedUp(key: Bytes, at: number, length: number, isHit: boolean): void {
    const { matcher } = this.prefixes;
    if (matcher !== undefined) this.prefixes.lookedUp(matcher, key, at, length, isHit);
  }

  /** Notes what the command at hand has cost. */
  ran(
    us: number,
    inputBytes: number,
    outputBytes: number,
    { database, nowMs }: Pick<ShardContext, 'database' | 'nowMs'>,
  ): void {
    const { cost } = this;
    cost.us = this.#session.isActive ? (this.#cpu?.of(us) ?? us) : us;
    cost.inputBytes = inputBytes;
    cost.outputBytes = outputBytes;
    cost.database = database;
    cost.nowMs = nowMs;
  }

  /** A command was run, and `cost` says what it took. */
  executed(entry: CommandEntry, args: Arguments): void {
    const { us, inputBytes, outputBytes } = this.cost;
    const session = this.#session;
    const isSampled =
      session.isActive && session.counts(us, inputBytes + outputBytes, entry.hasKeys);
    const { matcher } = this.prefixes;
    if (!entry.hasKeys) return;
    const isInWindow = this.#windows.isActive && this.#windows.samples();
    if (!isSampled && !isInWindow && matcher === undefined) return;
    if (matcher !== undefined && entry.firstArgumentIsKey) {
      const row = matcher.match(args.source, args.at(FIRST_KEY), args.length(FIRST_KEY));
      this.prefixes.used(row, inputBytes, outputBytes);
      if (!isSampled && !isInWindow) return;
    }
    const keys = this.#keysOf(entry, args);
    if (matcher !== undefined && !entry.firstArgumentIsKey)
      this.#countPrefixes(matcher, keys, args);
    if (isInWindow) this.#countInWindow(keys, entry, args);
    if (!isSampled) return;
    const bytes = (inputBytes + outputBytes) / keys.length;
    for (const index of keys) session.sampled(args.latin1(index), us / keys.length, bytes);
  }

  #keysOf(entry: CommandEntry, args: Arguments): readonly number[] {
    const keys = this.#keys;
    keys.length = 0;
    if (entry.firstArgumentIsKey) keys.push(FIRST_KEY);
    else for (const { index } of findKeys(entry.command.keys, args) ?? []) keys.push(index);
    return keys;
  }

  #countInWindow(keys: readonly number[], { isWrite }: CommandEntry, args: Arguments): void {
    const { database, nowMs } = this.cost;
    for (const index of keys) {
      const name = keyName(database, args.source, args.at(index), args.length(index));
      this.#windows.sampled(name, isWrite, nowMs);
    }
  }

  /** Several keys share the bytes; what does not divide is the first one's, so that all add up. */
  #countPrefixes(matcher: PrefixMatcher, keys: readonly number[], args: Arguments): void {
    const { prefixes, cost } = this;
    const inputShare = Math.floor(cost.inputBytes / keys.length);
    const outputShare = Math.floor(cost.outputBytes / keys.length);
    let input = cost.inputBytes - inputShare * (keys.length - 1);
    let output = cost.outputBytes - outputShare * (keys.length - 1);
    for (const index of keys) {
      const row = matcher.match(args.source, args.at(index), args.length(index));
      prefixes.used(row, input, output);
      input = inputShare;
      output = outputShare;
    }
  }
}
