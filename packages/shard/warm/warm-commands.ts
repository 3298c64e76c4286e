/**
 * Commands on warm keys: they are deferred, with their keys locked, until their values are in memory. Commands on other
 * keys continue, and those on the same keys wait in order. Undeclared keys, such as those of scripts, are read
 * synchronously, and the shard waits for them.
 */

import { type Bytes, ByteSlab, type CommandError, keyOfName } from '#base';
import { Arguments, type CommandEntry, commandTable, needsValue } from '#commands';
import { DATABASE_SHIFT, FrameKind, Request } from '#link';
import { type Keyspace, type Store, warm } from '#store';
import { warmFetch } from '#usdt';
import type { Executor } from '../execution/executor.ts';
import type { Frame } from '../frames/frame.ts';
import type { FrameDetour } from '../modules/shard-module.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import type { Slowness } from '../observation/slowness.ts';
import { isTraced } from '../observation/traced-commands.ts';
import type { WarmValues } from './warm-values.ts';
import type { WorkingSet } from './working-set.ts';

/** Below all numbers of transactions and of commands that take long. */
const FIRST_HOLD = -(2 ** 32);

const KINDS: ReadonlySet<number> = new Set([
  ...[FrameKind.command, FrameKind.part, FrameKind.share, FrameKind.exec],
  ...[FrameKind.host, FrameKind.lend, FrameKind.offer, FrameKind.migrate],
]);

/** Frames whose keys leave the shard, or are sent to other threads, with their values. */
const WHOLE_KINDS: ReadonlySet<number> = new Set([
  ...[FrameKind.host, FrameKind.lend, FrameKind.migrate],
]);

export interface WarmCommandsOptions {
  readonly store: Store;
  readonly values: WarmValues;
  readonly executor: Executor;
  readonly keyLocks: KeyLocks;
  readonly nowUs: () => number;
  readonly shardIndex: number;
  readonly workingSet: WorkingSet;
  readonly slowness: Pick<Slowness, 'occurred'>;
  /** The keys that a frame names; null when it concerns all. */
  keysOf(frame: Frame): readonly string[] | null;
}

/** A frame that waits for values. */
interface PutOff {
  frame: Frame;
  readonly hold: number;
  /** Values that it waits for, and values that it holds. */
  readonly loans: warm.Loan[];
  readonly sinceUs: number;
}

/** Need of a command that never looks at the value of its first argument, which is its one key. */
const NEVER = 0;
const ALWAYS = 1;
/** Need of one whose options say, and which needs nothing without any: SET with GET. */
const BY_OPTIONS = 2;
/** Need of one with other keys, or with more. */
const BY_KEYS = 3;

function firstNeedOf(entry: CommandEntry): number {
  const { command } = entry;
  const [spec] = command.keys.specs;
  if (!entry.looksAtFirstOnly || spec === undefined) return BY_KEYS;
  if (needsValue(command, spec, NO_ARGUMENTS))
    return spec.variable === undefined ? ALWAYS : BY_KEYS;
  return spec.variable === undefined ? NEVER : BY_OPTIONS;
}

/** Stands for the arguments where they say nothing about what is needed. */
const NO_ARGUMENTS = new Arguments();

/** Needs of the values of first arguments, by number of the command. */
const firstNeeds = Uint8Array.from(commandTable.entries, (entry) => firstNeedOf(entry));

export class WarmCommands implements FrameDetour {
  readonly #options: WarmCommandsOptions;
  #lastHold = FIRST_HOLD;
  /** Numbers of the values that the current frame needs, some more than once. */
  #needed: number[] = [];
  readonly #ready: PutOff[] = [];
  readonly #frames = new ByteSlab();
  readonly #note = (database: number, key: Bytes, at: number, length: number): void => {
    const keyspace = this.#options.store.databases[database];
    if (keyspace !== undefined) this.#look(keyspace, key, at, length);
  };

  constructor(options: WarmCommandsOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#options.store.tier.keyCount > 0;
  }

  /** Defers a frame that needs values which are not in memory; returns true if it did. */
  putsOff(frame: Frame, knownNames?: readonly string[] | null): boolean {
    if (!this.#needsAny(frame)) return false;
    const { keyLocks } = this.#options;
    const names = knownNames === undefined ? this.#options.keysOf(frame) : knownNames;
    // A frame on all keys runs alone, and reads its values synchronously.
    if (names === null) return false;
    const needed = this.#needed;
    this.#needed = [];
    const putOff = this.#fetch(frame, needed.length > 1 ? [...new Set(needed)] : needed);
    if (putOff === undefined) return false;
    keyLocks.hold(putOff.hold, names, true);
    return true;
  }

  #needsAny(frame: Frame): boolean {
    const { kind, words, word } = frame;
    if (this.#needed.length > 0) this.#needed = [];
    if (kind === FrameKind.command) {
      const need = firstNeeds[words[word + Request.command]!]!;
      if (need === NEVER || (need === BY_OPTIONS && !this.#optionsNeed(frame))) return false;
      if (need !== BY_KEYS) this.#lookAtFirst(frame);
      else this.#options.executor.keys.eachNeeded(frame, this.#note);
    } else if (WHOLE_KINDS.has(kind)) {
      for (const name of this.#options.keysOf(frame) ?? []) {
        const { database, key } = keyOfName(name);
        this.#note(database, key, 0, key.length);
      }
    } else if (KINDS.has(kind)) {
      this.#options.executor.keys.eachNeeded(frame, this.#note);
    }
    return this.#needed.length > 0;
  }

  /** Asks the options of a command. */
  #optionsNeed(frame: Frame): boolean {
    const { executor } = this.#options;
    const { command } = executor.entryOf(frame);
    if (frame.words[frame.word + Request.argumentCount] === Math.abs(command.arity)) return false;
    executor.point(frame);
    return needsValue(command, command.keys.specs[0]!, executor.args);
  }

  #lookAtFirst(frame: Frame): void {
    const { words, word, bytes } = frame;
    if (words[word + Request.argumentCount]! < 2) return;
    const database = words[word + Request.kind]! >>> DATABASE_SHIFT;
    this.#note(database, bytes, frame.argumentAt(1), frame.argumentLength(1));
  }

  #look(keyspace: Keyspace, key: Bytes, at: number, length: number): void {
    const hash = keyspace.hash(key, at, length);
    const { workingSet, store } = this.#options;
    // Should that be wrong, the value is read when the command looks at it.
    if (store.keyPrefetch.wasInMemory(keyspace, key, at, length)) return;
    const isWatched = workingSet.isWatched(hash);
    const ref = keyspace.lookUpHashed(hash, key, length, at);
    if (ref === 0) return;
    const isWarm = keyspace.isWarm(ref);
    if (isWatched) {
      workingSet.note(hash, keyspace.recordBytes(ref) + (isWarm ? keyspace.warmSize(ref) : 0));
    }
    if (!isWarm) return;
    const number = keyspace.warmNumber(ref);
    if (!store.tier.loans.has(number)) this.#needed.push(number);
  }

  /** Asks for the values; undefined when all of them are in memory still. */
  #fetch(frame: Frame, numbers: readonly number[]): PutOff | undefined {
    const { store, values, nowUs } = this.#options;
    const hold = this.#lastHold - 1;
    const putOff: PutOff = { frame, hold, loans: [], sinceUs: nowUs() };
    let isAsking = true;
    for (const number of numbers) {
      values.fetch(number, (entry) => {
        const loan = this.#arrived(number, entry);
        putOff.loans.push(loan);
        if (isAsking) return;
        loan.awaited += 1;
        this.#countExpired(loan);
        if (putOff.loans.length === numbers.length) this.#ready.push(putOff);
      });
    }
    isAsking = false;
    store.stats.add('tierFetches', numbers.length);
    if (putOff.loans.length === numbers.length) return undefined;
    this.#lastHold = hold;
    putOff.frame = frame.detached(this.#frames);
    for (const loan of putOff.loans) loan.awaited += 1;
    return putOff;
  }

  #arrived(number: number, entry: Bytes | CommandError): warm.Loan {
    const { tier } = this.#options.store;
    return warm.arrived(tier, tier.extents.owner(warm.extentOf(number)), number, entry);
  }

  #countExpired({ owner, keyBytes, keyAt, keyLength }: warm.Loan): void {
    const { store } = this.#options;
    const keyspace = warm.keyspaceOf(store, owner);
    if (keyspace === undefined || keyLength === 0) return;
    const ref = keyspace.lookUp(keyBytes, keyLength, keyAt);
    const expireAt = ref === 0 ? 0 : keyspace.expireAt(ref);
    if (expireAt >= 0 && expireAt < store.nowMs) store.stats.add('tierExpired', 1);
  }

  /** Runs frames whose values are all in memory; returns true if there were any. */
  run(): boolean {
    if (this.#ready.length === 0) return false;
    const { executor, keyLocks, nowUs, slowness, shardIndex } = this.#options;
    for (const { frame, hold, loans, sinceUs } of this.#ready.splice(0)) {
      executor.nowUs = nowUs();
      executor.readWallClock();
      executor.fetchUs = executor.nowUs - sinceUs;
      if (warmFetch.isWatched) warmFetch.fire(shardIndex, loans.length, executor.fetchUs);
      if (isTraced(frame)) executor.traced.fetched(loans.length, sinceUs, executor.nowUs);
      slowness.occurred('warm-fetch', executor.fetchUs, executor.unixMs);
      keyLocks.runHeld(hold, frame);
      executor.fetchUs = 0;
      for (const loan of loans) loan.awaited -= 1;
    }
    return true;
  }
}
