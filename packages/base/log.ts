/** Records that log lines are made of. Only the ops thread writes log files; others post these records. */

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** From most to least talkative; a level's number is its index. */
export const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

export interface LogRecord {
  /** Unix time in milliseconds. */
  time: number;
  level: LogLevel;
  thread: string;
  /** A stable kebab-case code, for machines. */
  event: string;
  /** A sentence, for people. */
  message: string;
  fields?: Record<string, string | number | boolean | null>;
}

export type LogFields = Record<string, string | number | boolean | null>;

/** Writes log records, dropping those below the current level before any work is done. */
export class Logger {
  readonly #thread: string;
  readonly #wallMs: () => number;
  readonly #level: () => number;
  readonly #post: (record: LogRecord) => void;

  constructor(
    thread: string,
    wallMs: () => number,
    level: () => number,
    post: (record: LogRecord) => void,
  ) {
    this.#thread = thread;
    this.#wallMs = wallMs;
    this.#level = level;
    this.#post = post;
  }

  /** True when lines of the level are written; asked before what makes a line is put together. */
  isOn(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#level();
  }

  trace(event: string, message: string, fields?: LogFields): void {
    this.#write('trace', event, message, fields);
  }

  debug(event: string, message: string, fields?: LogFields): void {
    this.#write('debug', event, message, fields);
  }

  info(event: string, message: string, fields?: LogFields): void {
    this.#write('info', event, message, fields);
  }

  warn(event: string, message: string, fields?: LogFields): void {
    this.#write('warn', event, message, fields);
  }

  error(event: string, message: string, fields?: LogFields): void {
    this.#write('error', event, message, fields);
  }

  #write(level: LogLevel, event: string, message: string, fields?: LogFields): void {
    if (!this.isOn(level)) return;
    const record: LogRecord = {
      time: this.#wallMs(),
      level,
      thread: this.#thread,
      event,
      message,
    };
    if (fields !== undefined) record.fields = fields;
    this.#post(record);
  }
}
