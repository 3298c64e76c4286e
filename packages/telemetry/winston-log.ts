/** The log as winston writes it: to standard output or error, to a rotating file, and to memory. */
import { once } from 'node:events';
import { isatty } from 'node:tty';
import winston from 'winston';
import {
  LOG_LEVELS,
  type LogLevel,
  type LogRecord,
  type LogThreshold,
  systemClock,
  thresholdIndex,
} from '#base';
import { FileTransport } from './file-transport.ts';
import { LineTransport } from './line-transport.ts';
import type { LogFileOptions } from './log-file.ts';
import { type LogFormat, recordFormat } from './log-format.ts';
import { LogRing, type RecentLine } from './log-ring.ts';

const DESCRIPTORS = { stdout: 1, stderr: 2 };

/** Levels as winston has them: 0 is the most important. */
const LEVELS = Object.fromEntries(
  LOG_LEVELS.map((level, index) => [level, LOG_LEVELS.length - 1 - index]),
);

/** Destinations and format of the log. */
export interface LogWriterOptions {
  readonly level: LogThreshold;
  readonly format: LogFormat;
  readonly output: 'stdout' | 'stderr' | 'none';
  /** True when lines hold no user data. */
  readonly hidesUserData: boolean;
  readonly file?: LogFileOptions;
  /** Another descriptor than the output's own. */
  readonly descriptor?: number;
}

export class WinstonLog {
  readonly #logger: winston.Logger;
  readonly #ring = new LogRing();
  readonly #output: LineTransport | undefined;
  readonly #file: FileTransport | undefined;
  #minimum = 0;
  /** Lines dropped at the output, as far as they were reported. */
  #droppedLines = 0;

  constructor(options: LogWriterOptions, level: LogThreshold) {
    this.#output = newOutput(options);
    this.#file = this.#newFile(options.file);
    const transports = [this.#ring, this.#output, this.#file].filter((each) => each !== undefined);
    this.#logger = winston.createLogger({
      levels: LEVELS,
      format: recordFormat({ format: options.format }),
      transports,
    });
    this.setLevel(level);
  }

  /** Lines lost because the reader or the disk was too slow, or the file failing. */
  get droppedLines(): number {
    return this.#droppedLines + (this.#file?.droppedLines ?? 0);
  }

  /** Returns the latest lines with a number above that, oldest first. */
  recentAfter(number: number): readonly RecentLine[] {
    return this.#ring.after(number);
  }

  setLevel(level: LogThreshold): void {
    this.#minimum = thresholdIndex(level);
    const word = LOG_LEVELS[this.#minimum];
    this.#logger.silent = word === undefined;
    if (word !== undefined) this.#logger.level = word;
  }

  /** Writes a record whose level is high enough. */
  write(record: LogRecord): void {
    this.#reportDropped(record.time);
    this.#logger.log(record);
  }

  /** Closes and reopens the log file under the same name. Earlier lines are still written. */
  reopenFile(nowMs: number): void {
    if (this.#file === undefined) return;
    this.#file.reopen(nowMs);
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
    // Its failure is reported by a line.
    await this.#file?.ended();
    const finished = once(this.#logger, 'finish');
    this.#logger.end();
    await finished;
    await this.#output?.flush();
  }

  /** A line of its own for lines lost, once there is room for it again. */
  #reportDropped(time: number): void {
    const lines = this.#output?.takeDropped() ?? 0;
    if (lines === 0) return;
    this.#droppedLines += lines;
    const message = 'Log lines dropped: not written in time';
    this.#writeOwn('error', { time, event: 'log-lines-dropped', message, fields: { lines } });
  }

  #newFile(file: LogFileOptions | undefined): FileTransport | undefined {
    if (file === undefined) return undefined;
    const failed = (error: Error, time: number): void => {
      this.#writeOwn('error', {
        time,
        event: 'log-file-failed',
        message: 'Log file cannot be written: retrying',
        fields: { reason: error.message },
      });
    };
    return new FileTransport({ file, failed }, systemClock.wallMs());
  }

  #writeOwn(level: LogLevel, record: Omit<LogRecord, 'level' | 'thread'>): void {
    if (LOG_LEVELS.indexOf(level) < this.#minimum) return;
    this.#logger.log({ ...record, level, thread: 'ops' });
  }
}

function newOutput({ output, format, ...options }: LogWriterOptions): LineTransport | undefined {
  if (output === 'none') return undefined;
  const descriptor = options.descriptor ?? DESCRIPTORS[output];
  // Only a terminal gets lines of its own.
  const own = isatty(descriptor) ? { format: recordFormat({ format, hasColour: true }) } : {};
  return new LineTransport(descriptor, own);
}
