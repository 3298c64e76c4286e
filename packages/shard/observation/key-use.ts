/**
 * Followers of key use: the session of HOTKEYS, its windows, and the counts by prefix.
 *
 * While there are none, a command costs one look at `isOn`.
 */

import { type Bytes, type Clock, keyName, type PrefixMatcher, threadCpuReader } from '#base';
import { type Arguments, type CommandEntry, findKeys, type ShardContext } from '#commands';
import {
  HOT_KEYS,
  HOT_WINDOW,
  HotKeys,
  type HotKeysQuestion,
  type HotKeysShare,
  HotWindows,
  type Page,
} from '#stats';
import { slotOfKeys, SlotStats } from './slot-stats.ts';
import { CommandCpu } from './command-cpu.ts';
import { PrefixUse } from './prefix-use.ts';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Settings } from '../settings/settings.ts';

const FIRST_KEY = 1;

interface KeyUseOptions {
  readonly page: Page;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  readonly clock: Clock;
}

export class KeyUse {
  isOn = false;
  readonly prefixes: PrefixUse;
  readonly slots = new SlotStats();
  readonly #session: HotKeys;
  readonly #windows: HotWindows;
  readonly #clock: Clock;
  /** Since the first session. */
  #cpu: CommandCpu | undefined;
  /** Bytes of the request and of the reply of the command passed to `executed`; reused for each. */
  readonly traffic = { inputBytes: 0, outputBytes: 0 };
  /** Prefixes or windows are counted: a command's keys are looked at even without a sample. */
  #countsUse = false;
  /** True when keys are counted, or a session is active. */
  #countsKeys = false;
  /** Indexes of the keys of the current command. */
  readonly #keys: number[] = [];

  constructor({ page, random, clock }: KeyUseOptions) {
    this.prefixes = new PrefixUse(page);
    this.#session = new HotKeys(random);
    this.#windows = new HotWindows(random);
    this.#clock = clock;
  }

  /** Applies the settings; returns true if the counted prefixes have changed. */
  apply(settings: Settings): boolean {
    const isNew = this.prefixes.configure(settings.strings('key-prefixes.prefixes'));
    const windows = {
      isEnabled: settings.boolean('hotkeys.window-enabled'),
      topKeys: settings.number('hotkeys.window-top-k'),
      seconds: settings.number('hotkeys.window-seconds'),
      sample: settings.number('hotkeys.window-sample'),
    };
    this.#windows.configure(windows, this.#clock.wallMs());
    const isInCluster = settings.boolean('cluster.enabled');
    this.slots.apply(isInCluster && settings.boolean('cluster.slot-stats-enabled'));
    this.#decide();
    return isNew;
  }

  /** True while `lookedUp` must be called for look-ups. */
  get reportsLookUps(): boolean {
    return this.prefixes.matcher !== undefined;
  }

  answer(answerers: CallAnswerers): void {
    answerers.on(HOT_KEYS, (question) => this.#toSession(question));
    answerers.on(HOT_WINDOW, ({ number }) => this.#windows.answer(number, this.#clock.wallMs()));
  }

  #toSession(question: HotKeysQuestion): HotKeysShare | null {
    const share = this.#session.answer(question);
    if (this.#session.isActive) this.#cpu ??= new CommandCpu(threadCpuReader());
    this.#decide();
    this.begin(this.#clock.nowUs());
    return share;
  }

  #decide(): void {
    this.#countsUse = this.#windows.isActive || this.reportsLookUps;
    this.#countsKeys = this.#session.isActive || this.#countsUse;
    this.isOn = this.#countsKeys || this.slots.isOn;
  }

  /** Starts measuring: earlier CPU time of the thread belongs to no command. */
  begin(nowUs: number): void {
    if (this.#session.isActive) this.#cpu?.begin(nowUs);
  }

  /** A command that reads has looked a key up; only while prefixes are counted. */
  lookedUp(key: Bytes, at: number, length: number, isHit: boolean): void {
    const { matcher } = this.prefixes;
    if (matcher !== undefined) this.prefixes.lookedUp(matcher, key, at, length, isHit);
  }

  /** Counts a command that was run in `us` microseconds, and its keys where they are sampled. */
  executed(
    entry: CommandEntry,
    args: Arguments,
    us: number,
    context: Pick<ShardContext, 'database' | 'nowMs'>,
  ): void {
    if (!this.#countsKeys) return;
    const { traffic } = this;
    const session = this.#session;
    const bytes = traffic.inputBytes + traffic.outputBytes;
    let cpuUs = us;
    let isSampled = false;
    if (session.isActive) {
      cpuUs = this.#cpu?.of(us) ?? us;
      isSampled = session.counts(cpuUs, bytes, entry.hasKeys);
      if (session.hasSlots)
        isSampled = session.selects(slotOfKeys(entry, args), cpuUs, bytes, isSampled);
    }
    if (!entry.hasKeys) return;
    if (this.#countsUse) this.#countUse(entry, args, context);
    if (!isSampled) return;
    const keys = this.#keysOf(entry, args);
    for (const index of keys) {
      const [at, length] = [args.at(index), args.length(index)];
      session.sampled(args.source, at, length, cpuUs / keys.length, bytes / keys.length);
    }
  }

  #countUse(
    entry: CommandEntry,
    args: Arguments,
    context: Pick<ShardContext, 'database' | 'nowMs'>,
  ): void {
    const isInWindow = this.#windows.isActive && this.#windows.samples();
    if (isInWindow) this.#countInWindow(this.#keysOf(entry, args), entry, args, context);
    const { matcher } = this.prefixes;
    if (matcher === undefined) return;
    if (!entry.firstArgumentIsKey) {
      this.#countPrefixes(matcher, this.#keysOf(entry, args), args);
      return;
    }
    const row = matcher.match(args.source, args.at(FIRST_KEY), args.length(FIRST_KEY));
    this.prefixes.used(row, this.traffic.inputBytes, this.traffic.outputBytes);
  }

  #keysOf(entry: CommandEntry, args: Arguments): readonly number[] {
    const keys = this.#keys;
    keys.length = 0;
    if (entry.firstArgumentIsKey) keys.push(FIRST_KEY);
    else for (const { index } of findKeys(entry.command.keys, args) ?? []) keys.push(index);
    return keys;
  }

  #countInWindow(
    keys: readonly number[],
    { isWrite }: CommandEntry,
    args: Arguments,
    { database, nowMs }: Pick<ShardContext, 'database' | 'nowMs'>,
  ): void {
    for (const index of keys) {
      const name = keyName(database, args.source, args.at(index), args.length(index));
      this.#windows.sampled(name, isWrite, nowMs);
    }
  }

  /** Several keys share the bytes; what does not divide is the first one's, so that all add up. */
  #countPrefixes(matcher: PrefixMatcher, keys: readonly number[], args: Arguments): void {
    const { prefixes } = this;
    const { inputBytes, outputBytes } = this.traffic;
    const inputShare = Math.floor(inputBytes / keys.length);
    const outputShare = Math.floor(outputBytes / keys.length);
    let input = inputBytes - inputShare * (keys.length - 1);
    let output = outputBytes - outputShare * (keys.length - 1);
    for (const index of keys) {
      const row = matcher.match(args.source, args.at(index), args.length(index));
      prefixes.used(row, input, output);
      input = inputShare;
      output = outputShare;
    }
  }
}
