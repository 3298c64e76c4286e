/** Scripts that run in shards now: which have run for too long, and how they are stopped. */

import { type Clock, type CommandError, errors } from '#base';
import type { RunningScript } from '#commands';
import { type ScriptControl, ScriptFlag } from '#link';

export interface BusyScriptsOptions {
  readonly clock: Clock;
  /** Words about the script of each shard. */
  readonly controls: readonly ScriptControl[];
  /** Monotonic microseconds since when a shard's script runs; 0 while none does. */
  sinceUs(shard: number): number;
  /** Words of the command that runs a shard's script, its name first. */
  commandOf(shard: number): readonly string[];
  /** Digest of the script that a shard runs, or the function's name; null if unknown. */
  nameOf(shard: number): string | null;
  /** Line that a shard's script executes, as of its last interrupt; 0 while it is not known. */
  lineOf(shard: number): number;
  /** Milliseconds from which on a script is busy; 0 = never. */
  thresholdMs(): number;
}

export class BusyScripts {
  readonly #options: BusyScriptsOptions;
  /** Shards whose script has run for too long, as bits; as of the last look. */
  #busy = 0;

  constructor(options: BusyScriptsOptions) {
    this.#options = options;
  }

  /** Looks which scripts are busy; once for a turn. */
  look(nowUs: number): void {
    const { controls } = this.#options;
    let busy = 0;
    for (let shard = 0; shard < controls.length; shard += 1) {
      const sinceUs = this.#options.sinceUs(shard);
      if (sinceUs === 0) continue;
      const limitMs = this.#options.thresholdMs();
      if (limitMs > 0 && nowUs - sinceUs >= limitMs * 1_000) busy |= 1 << shard;
    }
    this.#busy = busy;
  }

  /** Microseconds for which the longest script has run; 0 while none does. */
  longestUs(nowUs: number): number {
    const [longest] = this.#running();
    return longest === undefined ? 0 : Math.max(1, nowUs - longest.sinceUs);
  }

  /** True when any script is busy. */
  get isAny(): boolean {
    return this.#busy !== 0;
  }

  get areAll(): boolean {
    return this.#busy === 2 ** this.#options.controls.length - 1;
  }

  isBusy(shard: number): boolean {
    return (this.#busy & (1 << shard)) !== 0;
  }

  /** Error of a command that would have to wait for a busy script. */
  get refusal(): CommandError {
    const shard = 31 - Math.clz32(this.#busy);
    const { flags } = this.#options.controls[shard]!;
    return (flags & ScriptFlag.isFunction) === 0 ? errors.busyScript : errors.busyFunction;
  }

  /**
   * Stops the script that has run longest; throws a CommandError if that is not possible. Returns the script, and a
   * function that returns whether it has ended.
   */
  kill(isFunction: boolean): KilledScript {
    const running = this.#running();
    const [longest] = running;
    if (longest === undefined) throw errors.noScriptRuns;
    const isOfKind = ({ control }: Running): boolean =>
      ((control.flags & ScriptFlag.isFunction) !== 0) === isFunction;
    const chosen = running.filter(isOfKind);
    if (chosen.length === 0) throw isFunction ? errors.busyScript : errors.busyFunction;
    // One that has written cannot be stopped; another that holds things up may be.
    const nowUs = this.#options.clock.nowUs();
    for (const each of chosen) {
      const { control, run } = each;
      // Afterwards the shard may have left its command already.
      const script = this.#describe(each, nowUs);
      if ((control.flags & ScriptFlag.hasWritten) === 0 && control.stop(run)) {
        return { script, hasEnded: () => control.run !== run };
      }
    }
    throw errors.scriptHasWritten;
  }

  /**
   * Stops one run of a shard; throws a CommandError if it has ended, or has written. Returns a function that returns
   * whether it has ended.
   */
  killRun(shard: number, run: number): () => boolean {
    const found = this.#running().find((each) => each.shard === shard && each.run === run);
    if (found === undefined) throw errors.noScriptRuns;
    const { control } = found;
    if (!control.stop(run)) throw errors.scriptHasWritten;
    return () => control.run !== run;
  }

  /** Scripts that run, the longest first. */
  get running(): readonly RunningScript[] {
    const nowUs = this.#options.clock.nowUs();
    return this.#running().map((each) => this.#describe(each, nowUs));
  }

  #describe({ control, sinceUs, shard, run }: Running, nowUs: number): RunningScript {
    return {
      shard,
      isFunction: (control.flags & ScriptFlag.isFunction) !== 0,
      name: this.#options.nameOf(shard) ?? '',
      command: this.#options.commandOf(shard),
      durationMs: Math.floor((nowUs - sinceUs) / 1_000),
      line: this.#options.lineOf(shard),
      hasWritten: (control.flags & ScriptFlag.hasWritten) !== 0,
      run,
    };
  }

  #running(): readonly Running[] {
    const found: Running[] = [];
    for (const [shard, control] of this.#options.controls.entries()) {
      const sinceUs = this.#options.sinceUs(shard);
      const { run } = control;
      if (run !== 0 && sinceUs > 0) found.push({ shard, control, run, sinceUs });
    }
    return found.sort((one, other) => one.sinceUs - other.sinceUs);
  }
}

/** Script that was stopped. */
interface KilledScript {
  readonly script: RunningScript;
  readonly hasEnded: () => boolean;
}

interface Running {
  readonly shard: number;
  readonly control: ScriptControl;
  readonly run: number;
  readonly sinceUs: number;
}
