/** What commands about slowness ask of the server. */

import type { Bytes } from '#base';
import type { MainContext } from '../contexts.ts';
import type { CommandTable } from '../table.ts';

/** A command that was logged as slow. */
export interface LoggedCommand {
  readonly id: number;
  /** When it ended. */
  readonly unixMs: number;
  readonly executeUs: number;
  /** The name first; long ones shortened, secrets left out. */
  readonly args: readonly Bytes[];
  readonly client: { readonly address: string; readonly name: string };
}

export interface SlowlogPort {
  /** Entries of all threads. */
  readonly length: number;
  /** Those of all threads that answer in time, newest first. */
  newest(count: number): Promise<readonly LoggedCommand[]>;
  /** Forgets what was logged before, in order with the commands. */
  reset(): Promise<void>;
}

export interface EventSample {
  readonly unixSeconds: number;
  readonly us: number;
}

/** What is known of one event. */
export interface EventSeries {
  readonly event: string;
  readonly samples: readonly EventSample[];
  readonly latest: EventSample | undefined;
  /** Of all occurrences, also of those whose samples are gone. */
  readonly usMax: number;
}

/** How often a command took less than so many microseconds. */
export type Steps = readonly (readonly [us: number, count: number])[];

export interface LatencyPort {
  /** Events that have occurred. */
  readonly events: readonly EventSeries[];
  /** The event of that name, if it has occurred. */
  event(name: string): EventSeries | undefined;
  /** Forgets the events named, or all; answers how many there were. */
  reset(names?: readonly string[]): number;
  /** Executions of a command, over all threads. */
  histogram(commandId: number): Steps;
  /** What seems wrong, and what to do about it. */
  diagnose(): Promise<string>;
}

export interface BandsPort {
  readonly isEnabled: boolean;
  /** What each count is of. */
  readonly labels: readonly string[];
  readonly counts: readonly number[];
  /** The same of each shard; they add up to `counts`. */
  readonly perShard: readonly (readonly number[])[];
  reset(): void;
}

/** What a handler of this family gets. */
export interface DiagnosticsContext extends MainContext {
  readonly commands: CommandTable;
  readonly slowlog: SlowlogPort;
  readonly latency: LatencyPort;
  readonly bands: BandsPort;
}
