/**
 * The gate that every command has to pass: the judges of all modules, one after the other. Each command has a list of the
 * judges that may refuse it, created at its first use, so that other judges cost nothing.
 */

import type { Arguments, CommandEntry } from '#commands';
import type { Client } from '#router';
import { JUDGE_PLACES, type Judge, type JudgePlace, type Verdict } from './main-module.ts';

export class Gate {
  /** Judges of each place, in the order in which they were added. */
  readonly #judges = new Map<JudgePlace, Judge[]>();
  /** Judges of each command, by its id; empty after a change. */
  #byCommand: (readonly Judge[])[] = [];

  /** Adds judges behind those of the same places. */
  add(judges: Readonly<Partial<Record<JudgePlace, Judge>>>): void {
    for (const place of JUDGE_PLACES) {
      const judge = judges[place];
      if (judge === undefined) continue;
      this.#judges.set(place, [...(this.#judges.get(place) ?? []), judge]);
    }
    this.#byCommand = [];
  }

  /** Removes the judges of a place. */
  drop(place: JudgePlace): void {
    this.#judges.delete(place);
    this.changed();
  }

  /** A judge concerns other commands than before: must be called when the result of a `concerns` changes. */
  readonly changed = (): void => {
    this.#byCommand = [];
  };

  /** Returns why a client may not run a command now. */
  judge(client: Client, entry: CommandEntry, args: Arguments): Verdict {
    const judges = this.#byCommand[entry.id] ?? this.#judgesOf(entry);
    for (const judge of judges) {
      const verdict = judge.judge(client, entry, args);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  #judgesOf(entry: CommandEntry): readonly Judge[] {
    const all = JUDGE_PLACES.flatMap((place) => this.#judges.get(place) ?? []);
    const judges = all.filter((judge) => judge.concerns?.(entry) !== false);
    this.#byCommand[entry.id] = judges;
    return judges;
  }
}
