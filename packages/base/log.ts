/** Records that log lines are made of. Only the ops thread writes log files; others post these records. */

import { eventKind } from './event-kinds.ts';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** From most to least talkative; a level's number is its index. */
export const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

/** Redis' words for levels, each with the level that it stands for. */
const REDIS_LEVELS = { verbose: 'debug', notice: 'info', warning: 'warn' } as const;

/** Least level that is written, as the setting says it: a level, Redis' word for one, or `nothing`. */
export type LogThreshold = LogLevel | keyof typeof REDIS_LEVELS | 'nothing';

/** Words of the setting, Redis' own last. */
export const LOG_THRESHOLDS: readonly LogThreshold[] = [
  ...LOG_LEVELS,
  ...(Object.keys(REDIS_LEVELS) as (keyof typeof REDIS_LEVELS)[]),
  'nothing',
];

/** Returns the index into LOG_LEVELS from which on lines are written; beyond the last for `nothing`. */
export function thresholdIndex(word: LogThreshold): number {
  if (word === 'nothing') return LOG_LEVELS.length;
  const level = Object.hasOwn(REDIS_LEVELS, word)
    ? REDIS_LEVELS[word as keyof typeof REDIS_LEVELS]
    : (word as LogLevel);
  return LOG_LEVELS.indexOf(level);
}

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
    // Events of the time line reach the ops thread in any case, which drops their lines.
    if (!this.isOn(level) && eventKind(event) === undefined) return;
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
