/** The latest lines of the log in memory, as a transport of winston: for bundles and the debug pages. */

import type { LogFields, LogRecord } from '#base';
import { lineOf, recordOf } from './log-format.ts';
import { Transport } from './transport.ts';

/** Lines that are kept. */
const RECENT_LINES_MAX = 1_000;
/** Most characters kept of a line, of a message, and of each text field. */
const RECENT_LINE_CHARS_MAX = 4_096;

/** A line of the ring. */
export interface RecentLine {
  /** Number of the line since the start, from 1 on. */
  readonly number: number;
  readonly line: string;
  readonly record: LogRecord;
}

export class LogRing extends Transport {
  readonly #lines: RecentLine[] = [];
  #count = 0;

  /** Takes a line; the oldest makes room for it. */
  override log(info: object, next: () => void): void {
    const line = lineOf(info).slice(0, RECENT_LINE_CHARS_MAX);
    const at = this.#count % RECENT_LINES_MAX;
    this.#count += 1;
    this.#lines[at] = { number: this.#count, line, record: shortened(recordOf(info)) };
    next();
  }

  /** Returns lines with a number above that, oldest first. */
  after(number: number): readonly RecentLine[] {
    const oldest = Math.max(0, this.#count - RECENT_LINES_MAX, Math.min(number, this.#count));
    return Array.from(
      { length: this.#count - oldest },
      (_, index) => this.#lines[(oldest + index) % RECENT_LINES_MAX]!,
    );
  }
}

function shortened({ time, level, thread, event, message, fields }: LogRecord): LogRecord {
  return {
    time,
    level,
    thread,
    event,
    message: message.slice(0, RECENT_LINE_CHARS_MAX),
    ...(fields === undefined ? {} : { fields: shortenedFields(fields) }),
  };
}

function shortenedFields(fields: LogFields): LogFields {
  const isLong = Object.values(fields).some(
    (value) => typeof value === 'string' && value.length > RECENT_LINE_CHARS_MAX,
  );
  if (!isLong) return fields;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, RECENT_LINE_CHARS_MAX) : value,
    ]),
  );
}
