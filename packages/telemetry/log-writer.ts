/**
 * Writes the log: to the standard output or error, to a rotating file, and to memory.
 *
 * It lives in the ops thread and takes the records of all threads. Nothing here waits for it: what
 * cannot be written in time is dropped and counted, and a failing file is told of once.
 */
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { LOG_LEVELS, systemClock, type LogLevel, type LogRecord } from '#base';
import winston from 'winston';
import { LineOutput } from './line-output.ts';
import { LogFile, type LogFileOptions } from './log-file.ts';
import { formatRecord, type LogFormat } from './log-format.ts';

/** Lines kept in memory, for bundles and the debug pages. */
const RECENT_LINES_MAX = 1_000;
/** How much of a line is kept there. */
const RECENT_LINE_CHARS_MAX = 4_096;
/** After a failure the file is left alone for so many milliseconds of log time. */
const FILE_PAUSE_MS = 30_000;
const MESSAGE = Symbol.for('message');
const DESCRIPTORS = { stdout: 1, stderr: 2 };

/** Where the log goes and how it looks. */
export interface LogWriterOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly output: 'stdout' | 'stderr' | 'none';
  readonly file?: LogFileOptions;
  /** Another descriptor than the output's own. */
  readonly descriptor?: number;
}

interface Line extends winston.Logform.TransformableInfo {
  readonly record: LogRecord;
}

/** The one writer of log lines in the process. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  readonly #logger: winston.Logger;
  readonly #output: LineOutput | undefined;
  readonly #recent: string[] = [];
  #file: LogFile | undefined;
  #fileFailedAtMs: number | undefined;
  #minimum: number;
  #droppedLines = 0;

  constructor(options: LogWriterOptions) {
    this.#options = options;
    this.#minimum = LOG_LEVELS.indexOf(options.level);
    this.#logger = winston.createLogger({
      // Which lines are written is decided before winston is asked, which would take longer.
      level: 'trace',
      levels: Object.fromEntries(LOG_LEVELS.toReversed().map((level, index) => [level, index])),
      format: lineFormat(options.format, false),
      transports: [],
    });
    if (options.output !== 'none') {
      const descriptor = options.descriptor ?? DESCRIPTORS[options.output];
      this.#output = new LineOutput(descriptor);
      const format = lineFormat(options.format, isatty(descriptor));
      const stream = asStream(this.#output);
      this.#logger.add(new winston.transports.Stream({ stream, format, eol: '' }));
    }
    this.#openFile(systemClock.wallMs());
  }

  /** Lines lost because the reader or the disk was too slow, or the file failing. */
  get droppedLines(): number {
    return this.#droppedLines;
  }

  /** The latest lines, oldest first, whatever the outputs are. */
  recent(): readonly string[] {
    return this.#recent;
  }

  setLevel(level: LogLevel): void {
    this.#minimum = LOG_LEVELS.indexOf(level);
  }

  /** Writes those of the records that are important enough. */
  write(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (LOG_LEVELS.indexOf(record.level) < this.#minimum) continue;
      this.#tellDropped(record.time);
      this.#writeOne(record);
    }
  }

  /** Closes the log file and opens it anew, under the same name. What was taken before is still written. */
  reopenFile(nowMs: number): void {
    if (this.#options.file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    // Removed, it ends its stream when that has written what it has.
    if (file !== undefined) this.#logger.remove(file.transport);
    this.#fileFailedAtMs = undefined;
    this.#openFile(nowMs);
    this.#writeOwn('info', {
      ...{ time: nowMs, event: 'log-file-reopened', message: 'The log file was opened anew.' },
      fields: {},
    });
  }

  /** Settles when everything is written; nothing may be written afterwards. */
  async close(): Promise<void> {
    await this.#output?.flush();
    await this.#file?.close();
    this.#logger.close();
  }

  #writeOne(record: LogRecord): void {
    const line = formatRecord(record, this.#options.format);
    if (this.#recent.length >= RECENT_LINES_MAX) this.#recent.shift();
    this.#recent.push(line.slice(0, RECENT_LINE_CHARS_MAX));
    this.#prepareFile(record.time, line);
    // winston warns on stderr, once per line, when nobody listens.
    if (this.#logger.transports.length === 0) return;
    // As one object: given apart, winston would glue a field called "message" to the message.
    this.#logger.log({ level: record.level, message: record.message, record });
  }

  #prepareFile(nowMs: number, line: string): void {
    if (this.#fileFailedAtMs !== undefined && nowMs - this.#fileFailedAtMs >= FILE_PAUSE_MS) {
      this.#openFile(nowMs);
    }
    const file = this.#file;
    if (file === undefined) return;
    file.transport.silent = !file.hasRoom;
    if (file.hasRoom) file.expect(line);
    else this.#droppedLines += 1;
  }

  /** A line of its own for lines lost, once there is room for it again. */
  #tellDropped(time: number): void {
    if (this.#output?.hasRoom !== true) return;
    const lines = this.#output.takeDropped();
    if (lines === 0) return;
    this.#droppedLines += lines;
    const message = 'Log lines were dropped: nobody read them in time.';
    this.#writeOwn('error', { time, event: 'log-lines-dropped', message, fields: { lines } });
  }

  #openFile(nowMs: number): void {
    const { file } = this.#options;
    if (file === undefined) return;
    try {
      const opened = new LogFile(file, (error) => {
        this.#failFile(error, nowMs, opened);
      });
      this.#file = opened;
      this.#logger.add(opened.transport);
    } catch (error) {
      this.#failFile(error as Error, nowMs, undefined);
    }
  }

  #failFile(error: Error, nowMs: number, file: LogFile | undefined): void {
    const isFirst = this.#fileFailedAtMs === undefined;
    this.#fileFailedAtMs = nowMs;
    this.#file = undefined;
    if (file !== undefined) this.#logger.remove(file.transport);
    if (!isFirst) return;
    this.#writeOwn('error', {
      ...{ time: nowMs, event: 'log-file-failed' },
      message: 'The log file cannot be written; it is tried again.',
      fields: { reason: error.message },
    });
  }

  #writeOwn(level: LogLevel, record: Omit<LogRecord, 'level' | 'thread'>): void {
    if (LOG_LEVELS.indexOf(level) < this.#minimum) return;
    this.#writeOne({ ...record, level, thread: 'ops' });
  }
}

/** Hands finished lines to an output that never makes winston wait. */
function asStream(output: LineOutput): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, next) {
      output.write(line);
      next();
    },
  });
}

function lineFormat(format: LogFormat, hasColour: boolean): winston.Logform.Format {
  return winston.format((info) => {
    const { record } = info as Line;
    return { ...info, [MESSAGE]: formatRecord(record, format, hasColour) };
  })();
}
