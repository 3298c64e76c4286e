/**
 * Samples of the commands that shards execute, taken from outside while they run: the shares of a shard's time by
 * command, key and client cost the shard nothing. A sample is a glance at the page and at the frame that the shard has
 * not released; a frame that is released meanwhile may give a wrong name, which the many others outvote.
 */

import { readable } from '#base';
import { executingIn, scriptIn } from './executing.ts';
import type { Observer } from './observer.ts';

/** Period of samples while shards have work. */
export const SAMPLE_MS = 25;

/** Counts of samples by name. */
type Tally = ReadonlyMap<string, number>;

/** Samples of one shard within a window. */
interface ShardSamples {
  /** All samples, also those of an idle shard. */
  readonly total: number;
  readonly executing: number;
  readonly commands: Tally;
  readonly keys: Tally;
  /** Samples by main's slot of the client. */
  readonly clients: ReadonlyMap<number, number>;
  /** Script of the latest sample that had one. */
  readonly script: string | null;
}

/** Samples between two readings; merged for a window. */
export class SampleSlice {
  total = 0;
  executing = 0;
  readonly commands = new Map<string, number>();
  readonly keys = new Map<string, number>();
  readonly clients = new Map<number, number>();
  script: string | null = null;

  add(other: ShardSamples): void {
    this.total += other.total;
    this.executing += other.executing;
    addTally(this.commands, other.commands);
    addTally(this.keys, other.keys);
    addTally(this.clients, other.clients);
    this.script = other.script ?? this.script;
  }
}

function addTally<Name>(to: Map<Name, number>, from: ReadonlyMap<Name, number>): void {
  for (const [name, count] of from) to.set(name, (to.get(name) ?? 0) + count);
}

/** Returns the name with the highest count; undefined without any. */
export function mostOf<Name>(
  tally: ReadonlyMap<Name, number>,
): readonly [Name, number] | undefined {
  let most: readonly [Name, number] | undefined;
  for (const entry of tally) if (most === undefined || entry[1] > most[1]) most = entry;
  return most;
}

export class ExecutionSampler {
  readonly #observer: Observer;
  #slices: readonly SampleSlice[];

  constructor(observer: Observer) {
    this.#observer = observer;
    this.#slices = observer.shards.map(() => new SampleSlice());
  }

  /** Takes a sample of each shard; returns true if one executed a command. */
  sample(nowUs: number): boolean {
    let isAny = false;
    for (const [shard, page] of this.#observer.shards.entries()) {
      const slice = this.#slices[shard]!;
      slice.total += 1;
      const executing = executingIn(page, this.#observer.memory, nowUs);
      if (executing === null) continue;
      isAny = true;
      slice.executing += 1;
      count(slice.commands, executing.command);
      count(slice.clients, executing.connection);
      if (executing.key !== null) count(slice.keys, readable(executing.key));
      slice.script = scriptIn(page, this.#observer.memory) ?? slice.script;
    }
    return isAny;
  }

  /** Returns what was sampled since the last call, by shard. */
  take(): readonly SampleSlice[] {
    const slices = this.#slices;
    this.#slices = slices.map(() => new SampleSlice());
    return slices;
  }
}

function count<Name>(tally: Map<Name, number>, name: Name): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
