/** What commands about the server ask of it. `server` implements these; tests imitate them. */

import type { MainContext } from '../contexts.ts';
import type { CommandTable } from '../table.ts';

/** Settings under Redis' names, as text. */
export interface SettingsPort {
  /** Names and values of the settings that match any of the glob patterns, each once. */
  get(patterns: readonly string[]): readonly (readonly [name: string, value: string])[];
  /** Changes all, or none and throws the CommandError to answer. */
  set(pairs: readonly (readonly [name: string, value: string])[]): void;
  /** Writes changed settings to the file they came from; throws the CommandError to answer. */
  rewrite(): void;
}

export interface InfoPort {
  /** The report with these sections, in lower case; the default ones when none is named. */
  render(sections: readonly string[]): string;
}

export interface StatusPort {
  /** The status document. */
  json(): string;
}

export interface StatisticsPort {
  /** Sets the counters back that CONFIG RESETSTAT is about. */
  reset(): void;
}

export interface ShutdownOptions {
  /** `default`: save when the configuration says so. */
  save: 'default' | 'always' | 'never';
  /** Waits for nothing and nobody. */
  now: boolean;
  /** Goes on though saving fails. */
  force: boolean;
}

export interface ProcessPort {
  /** Begins to end the process; throws the CommandError to answer when it cannot. */
  shutdown(options: ShutdownOptions): void;
  /** Answers false when nothing was there to be called off. */
  abortShutdown(): boolean;
}

export interface TimersPort {
  /** Calls back once, after that many milliseconds. */
  after(ms: number, callback: () => void): void;
}

export interface LogPort {
  warning(message: string): void;
}

/** What a handler of this family gets. */
export interface ServerContext extends MainContext {
  readonly commands: CommandTable;
  readonly settings: SettingsPort;
  readonly info: InfoPort;
  readonly status: StatusPort;
  readonly statistics: StatisticsPort;
  readonly process: ProcessPort;
  readonly timers: TimersPort;
  readonly log: LogPort;
  /** The Redis whose commands and replies this server has. */
  readonly redisVersion: string;
}
