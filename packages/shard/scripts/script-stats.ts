/** Statistics of the scripts and functions that this shard has run, by name; the one that was used longest ago goes first. */

import { type ScriptFigures, ScriptTimes } from '#stats';
import type { ScriptRun } from './script-run.ts';

/** Most scripts and functions that are remembered. */
const SCRIPTS_MAX = 1_000;

/** Script or function whose runs are counted. */
interface CountedScript {
  /** The script's digest, or the function's library and name with a dot between them. */
  readonly fullName: string;
  readonly isFunction: boolean;
  readonly sourceBytes: number;
}

type EndedRun = Pick<ScriptRun, 'calls' | 'callsOnMain' | 'hasBarrier'>;

/** Counts of one script or function. */
export class ScriptCounts {
  readonly name: string;
  readonly #isFunction: boolean;
  #sourceBytes: number;
  #calls = 0;
  #errors = 0;
  #us = 0;
  #usMax = 0;
  #keys = 0;
  #commands = 0;
  #callsOnMain = 0;
  #barrierRuns = 0;
  #killed = 0;
  readonly #times = new ScriptTimes();

  constructor({ fullName, isFunction, sourceBytes }: CountedScript) {
    this.name = fullName;
    this.#isFunction = isFunction;
    this.#sourceBytes = sourceBytes;
  }

  /** A library of the same name may be another one by now. */
  set sourceBytes(bytes: number) {
    this.#sourceBytes = bytes;
  }

  /** Counts a run that has ended. */
  ended({ calls, callsOnMain, hasBarrier }: EndedRun, keys: number, us: number): void {
    this.#calls += 1;
    this.#us += us;
    if (us > this.#usMax) this.#usMax = us;
    this.#keys += keys;
    this.#commands += calls;
    this.#callsOnMain += callsOnMain;
    if (hasBarrier) this.#barrierRuns += 1;
    this.#times.add(us);
  }

  /** Counts the error by which a run has ended. */
  failed(isKilled: boolean): void {
    this.#errors += 1;
    if (isKilled) this.#killed += 1;
  }

  get figures(): ScriptFigures {
    return {
      name: this.name,
      isFunction: this.#isFunction,
      sourceBytes: this.#sourceBytes,
      calls: this.#calls,
      errors: this.#errors,
      us: this.#us,
      usMax: this.#usMax,
      keys: this.#keys,
      commands: this.#commands,
      callsOnMain: this.#callsOnMain,
      barrierRuns: this.#barrierRuns,
      killed: this.#killed,
      times: this.#times.times,
    };
  }
}

export class ScriptStats {
  /** The one that was used longest ago first. */
  readonly #scripts = new Map<string, ScriptCounts>();
  #latest: ScriptCounts | undefined;

  /** Counts of a script that is about to run. */
  of(script: CountedScript): ScriptCounts {
    const { fullName, sourceBytes } = script;
    if (this.#latest?.name === fullName) {
      this.#latest.sourceBytes = sourceBytes;
      return this.#latest;
    }
    const known = this.#scripts.get(fullName);
    const counts = known ?? new ScriptCounts(script);
    counts.sourceBytes = sourceBytes;
    if (known !== undefined) this.#scripts.delete(fullName);
    else if (this.#scripts.size >= SCRIPTS_MAX) this.#forgetOldest();
    this.#scripts.set(fullName, counts);
    this.#latest = counts;
    return counts;
  }

  get figures(): readonly ScriptFigures[] {
    return [...this.#scripts.values()].map(({ figures }) => figures);
  }

  reset(): void {
    this.#scripts.clear();
    this.#latest = undefined;
  }

  #forgetOldest(): void {
    const [oldest] = this.#scripts.keys();
    if (oldest !== undefined) this.#scripts.delete(oldest);
  }
}
