/**
 * Receives the log records of all threads in the ops thread, and writes them with winston. No thread waits for it: lines
 * that cannot be written in time are dropped and counted. Winston is loaded in the background; records wait for it.
 */
import {
  LOG_LEVELS,
  type LogRecord,
  type LogThreshold,
  recordWithoutUserData,
  thresholdIndex,
} from '#base';
import type { RecentLine } from './log-ring.ts';
import type { LogWriterOptions, WinstonLog } from './winston-log.ts';

/** Records that are kept until winston is loaded. */
const EARLY_RECORDS_MAX = 10_000;

/** The one writer of log lines in the process. */
export class LogWriter {
  readonly #loading: Promise<void>;
  /** Undefined until winston is loaded. */
  #log: WinstonLog | undefined;
  #early: LogRecord[] = [];
  #droppedEarly = 0;
  #level: LogThreshold;
  /** Least level that is written, as an index into LOG_LEVELS. */
  #minimum: number;
  #hidesUserData: boolean;

  constructor(options: LogWriterOptions) {
    this.#level = options.level;
    this.#minimum = thresholdIndex(options.level);
    this.#hidesUserData = options.hidesUserData;
    this.#loading = this.#load(options);
  }

  async #load(options: LogWriterOptions): Promise<void> {
    const { WinstonLog } = await import('./winston-log.ts');
    this.#log = new WinstonLog(options, this.#level);
    for (const record of this.#early.splice(0)) this.#log.write(record);
    // Winston's stream hands lines on from the turn after the one in which it was made.
    await new Promise(setImmediate);
  }

  /** Settles when lines are written immediately: winston is loaded, and earlier lines are written. */
  ready(): Promise<void> {
    return this.#loading;
  }

  /** Lines lost because the reader or the disk was too slow, or the file failing. */
  get droppedLines(): number {
    return this.#droppedEarly + (this.#log?.droppedLines ?? 0);
  }

  /** Returns the latest lines with a number above that, oldest first, regardless of the outputs. */
  recentAfter(number: number): readonly RecentLine[] {
    return this.#log?.recentAfter(number) ?? [];
  }

  setLevel(level: LogThreshold): void {
    this.#level = level;
    this.#minimum = thresholdIndex(level);
    this.#log?.setLevel(level);
  }

  /** Hides user data in lines from here on, or shows it. */
  setHidesUserData(hides: boolean): void {
    this.#hidesUserData = hides;
  }

  /** Writes the records whose level is high enough. */
  write(records: readonly LogRecord[]): void {
    for (const given of records) {
      // Winston would format a line before its transports look at its level.
      if (LOG_LEVELS.indexOf(given.level) < this.#minimum) continue;
      const record = this.#hidesUserData ? recordWithoutUserData(given) : given;
      if (this.#log !== undefined) this.#log.write(record);
      else if (this.#early.length < EARLY_RECORDS_MAX) this.#early.push(record);
      else this.#droppedEarly += 1;
    }
  }

  /** Closes and reopens the log file under the same name. Earlier lines are still written. */
  reopenFile(nowMs: number): void {
    this.#log?.reopenFile(nowMs);
  }

  /** Settles when everything is written; nothing may be written afterwards. */
  async close(): Promise<void> {
    await this.#loading;
    await this.#log?.close();
  }
}
