/** Ports of the server that commands about slowness use. */

import type { Bytes, ByLogKind } from '#base';
import type { PrefixReport } from '#stats';
import type { MainContext } from '../contexts/contexts.ts';
import type { CommandTable } from '../definition/command-table.ts';

/** A command that was logged as slow, or as large. */
export interface LoggedCommand {
  readonly id: number;
  /** End of the command, in Unix milliseconds. */
  readonly unixMs: number;
  readonly executeUs: number;
  /** Size of its request or reply, where that was logged; 0 in the slow log. */
  readonly bytes: number;
  /** The name first; long ones shortened, secrets left out. */
  readonly args: readonly Bytes[];
  readonly client: { readonly address: string; readonly name: string };
}

export interface CommandLogPort {
  /** Entries of all threads. */
  readonly length: number;
  /** Returns the newest entries of all threads that answer in time, newest first. */
  newest(count: number): Promise<readonly LoggedCommand[]>;
  /** Forgets what was logged before, in order with the commands. */
  reset(): Promise<void>;
}

interface EventSample {
  readonly unixSeconds: number;
  readonly us: number;
}

/** Data of one event. */
export interface EventSeries {
  readonly event: string;
  readonly samples: readonly EventSample[];
  readonly latest: EventSample | undefined;
  /** Maximum of all occurrences, including those whose samples were dropped. */
  readonly usMax: number;
}

/** Pairs of a limit in microseconds and how often a command took less. */
export type Steps = readonly (readonly [us: number, count: number])[];

export interface LatencyPort {
  /** Events that have occurred. */
  readonly events: readonly EventSeries[];
  /** The event of that name, if it has occurred. */
  event(name: string): EventSeries | undefined;
  /** Forgets the events named, or all; returns how many there were. */
  reset(names?: readonly string[]): number;
  /** Executions of a command, over all threads. */
  histogram(commandId: number): Steps;
  /** Describes what seems wrong, and what to do about it. */
  diagnose(): Promise<string>;
}

export interface BandsPort {
  readonly isEnabled: boolean;
  /** Labels of the counts, in their order. */
  readonly labels: readonly string[];
  readonly counts: readonly number[];
  /** Counts of each shard, which add up to `counts`. */
  readonly perShard: readonly (readonly number[])[];
  reset(): void;
}

/** A removed key, or a flushed database. */
export interface RemovedKeyEntry {
  readonly id: number;
  readonly unixMs: number;
  readonly database: number;
  readonly shard: number;
  /** One of KEY_FATES. */
  readonly fate: string;
  /** The beginning of the key; empty for a database. */
  readonly key: Bytes;
  /** Bytes of the whole key. */
  readonly keyBytes: number;
  /** Number of removed keys: 1, or all of a database on that shard. */
  readonly keys: number;
  /** In lower case; empty when the shard did it by itself. */
  readonly command: string;
  readonly client: {
    readonly id: number;
    readonly address: string;
    readonly name: string;
    readonly user: string;
  } | null;
}

export interface KeyFatePort {
  /** Removed keys that are kept, over all shards. */
  readonly length: number;
  /** Number of removed keys, by key fate. */
  readonly counts: readonly (readonly [fate: string, keys: number])[];
  /** The newest first; of all keys, or of one and of its whole database. */
  newest(
    count: number,
    of?: { readonly database: number; readonly key: Bytes },
  ): Promise<readonly RemovedKeyEntry[]>;
  /** Forgets what was kept before, in order with the commands. */
  reset(): Promise<void>;
}

export interface PrefixesPort {
  /** One for each configured prefix, and the last for the other keys; empty when there is none. */
  readonly entries: readonly PrefixReport[];
}

/** Context of a handler of this family. */
export interface DiagnosticsContext extends MainContext {
  readonly commands: CommandTable;
  /** Logs of slow commands, of large requests and of large replies. */
  readonly commandLogs: ByLogKind<CommandLogPort>;
  readonly latency: LatencyPort;
  readonly bands: BandsPort;
  readonly keyFates: KeyFatePort;
  readonly prefixes: PrefixesPort;
}
