/**
 * Writes the log: to standard output or error, to a rotating file, and to memory. It runs in the ops thread and
 * receives the records of all threads. No thread waits for it: lines that cannot be written in time are dropped and
 * counted, and a failing file is reported once.
 */
import { isatty } from 'node:tty';
import {
  LOG_LEVELS,
  type LogLevel,
  type LogRecord,
  type LogThreshold,
  systemClock,
  thresholdIndex,
} from '#base';
import { LineOutput } from './line-output.ts';
import type { LogFile, LogFileOptions } from './log-file.ts';
import { formatRecord, type LogFormat } from './log-format.ts';

/** Lines kept in memory, for bundles and the debug pages. */
const RECENT_LINES_MAX = 1_000;
/** Most characters kept of a line in memory. */
const RECENT_LINE_CHARS_MAX = 4_096;
/** Lines for the file that are kept while it is being opened. */
const EARLY_LINES_MAX = 10_000;
/** Milliseconds of log time after a failure in which the file is not tried again. */
const FILE_PAUSE_MS = 30_000;
const DESCRIPTORS = { stdout: 1, stderr: 2 };

/** Destinations and format of the log. */
export interface LogWriterOptions {
  readonly level: LogThreshold;
  readonly format: LogFormat;
  readonly output: 'stdout' | 'stderr' | 'none';
  readonly file?: LogFileOptions;
  /** Another descriptor than the output's own. */
  readonly descriptor?: number;
}

/** The one writer of log lines in the process. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #output: LineOutput | undefined;
  readonly #hasColour: boolean;
  readonly #recent: string[] = [];
  /** Lines for the file while it is being opened; undefined at other times. */
  #early: string[] | undefined;
  /** Settles when no file is being opened. */
  #opening: Promise<void> = Promise.resolve();
  #file: LogFile | undefined;
  #fileFailedAtMs: number | undefined;
  #isFailureReported = false;
  #minimum: number;
  #droppedLines = 0;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#minimum = thresholdIndex(options.level);
    const descriptor =
      options.output === 'none' ? undefined : (options.descriptor ?? DESCRIPTORS[options.output]);
    if (descriptor !== undefined) this.#output = new LineOutput(descriptor);
    this.#hasColour = descriptor !== undefined && isatty(descriptor);
    this.#openFile(systemClock.wallMs());
  }

  /** Lines lost because the reader or the disk was too slow, or the file failing. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** Returns the latest lines, oldest first, regardless of the outputs. */
  recent(): readonly string[] {
    return this.#recent;
  }

  setLevel(level: LogThreshold): void {
    this.#minimum = thresholdIndex(level);
  }

  /** Writes the records whose level is high enough. */
  write(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (LOG_LEVELS.indexOf(record.level) < this.#minimum) continue;
      this.#reportDropped(record.time);
      this.#writeOne(record);
    }
  }

  /** Closes and reopens the log file under the same name. Earlier lines are still written. */
  reopenFile(nowMs: number): void {
    if (this.#options.file === undefined) return;
    // It ends when its pending lines are written.
    void this.#file?.close();
    this.#file = undefined;
    this.#fileFailedAtMs = undefined;
    this.#isFailureReported = false;
    this.#openFile(nowMs);
    this.#writeOwn('info', {
      time: nowMs,
      event: 'log-file-reopened',
      message: 'Log file reopened',
      fields: {},
    });
  }

  /** Settles when everything is written; nothing may be written afterwards. */
  async close(): Promise<void> {
    await this.#output?.flush();
    await this.#opening;
    await this.#file?.close();
    // The failure of the file may have been reported meanwhile.
    await this.#output?.flush();
  }

  #writeOne(record: LogRecord): void {
    const line = formatRecord(record, this.#options.format);
    if (this.#recent.length >= RECENT_LINES_MAX) this.#recent.shift();
    this.#recent.push(line.slice(0, RECENT_LINE_CHARS_MAX));
    this.#output?.write(this.#hasColour ? formatRecord(record, this.#options.format, true) : line);
    this.#writeToFile(record.time, line);
  }

  #writeToFile(nowMs: number, line: string): void {
    if (this.#fileFailedAtMs !== undefined && nowMs - this.#fileFailedAtMs >= FILE_PAUSE_MS) {
      this.#openFile(nowMs);
    }
    if (this.#early !== undefined) {
      if (this.#early.length < EARLY_LINES_MAX) this.#early.push(line);
      else this.#droppedLines += 1;
      return;
    }
    if (this.#file?.write(line) === false) this.#droppedLines += 1;
  }

  /** A line of its own for lines lost, once there is room for it again. */
  #reportDropped(time: number): void {
    if (this.#output?.hasRoom !== true) return;
    const lines = this.#output.takeDropped();
    if (lines === 0) return;
    this.#droppedLines += lines;
    const message = 'Log lines dropped: not written in time';
    this.#writeOwn('error', { time, event: 'log-lines-dropped', message, fields: { lines } });
  }

  /** Opens the file, if there is one. The writer takes long to load, and nothing waits for it. */
  #openFile(nowMs: number): void {
    const { file } = this.#options;
    // One that is being opened takes these lines too.
    if (file === undefined || this.#early !== undefined) return;
    this.#early = [];
    this.#opening = this.#openLater(file, nowMs);
  }

  async #openLater(options: LogFileOptions, nowMs: number): Promise<void> {
    let failure: Error | undefined;
    try {
      const { LogFile } = await import('./log-file.ts');
      const opened = new LogFile(options, (error) => {
        if (this.#file === opened) this.#failFile(error, nowMs);
      });
      this.#file = opened;
      this.#fileFailedAtMs = undefined;
    } catch (error) {
      failure = error as Error;
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const line of early) {
      if (this.#file?.write(line) === false) this.#droppedLines += 1;
    }
    if (failure !== undefined) this.#failFile(failure, nowMs);
  }

  #failFile(error: Error, nowMs: number): void {
    this.#fileFailedAtMs = nowMs;
    this.#file = undefined;
    if (this.#isFailureReported) return;
    this.#isFailureReported = true;
    this.#writeOwn('error', {
      time: nowMs,
      event: 'log-file-failed',
      message: 'Log file cannot be written: retrying',
      fields: { reason: error.message },
    });
  }

  #writeOwn(level: LogLevel, record: Omit<LogRecord, 'level' | 'thread'>): void {
    if (LOG_LEVELS.indexOf(level) < this.#minimum) return;
    this.#writeOne({ ...record, level, thread: 'ops' });
  }
}
