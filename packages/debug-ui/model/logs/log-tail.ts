/** The end of the log in a page: each request brings the lines after the last. */

import type { LogLine, Logs } from '../api.ts';

/** Lines that a page keeps: as many as the server does. */
const LINES_MAX = 1_000;

/** Selection of lines; an empty text selects all. */
export interface LogFilter {
  readonly level: string;
  readonly thread: string;
  readonly event: string;
  readonly text: string;
}

const FILTERS = ['level', 'thread', 'event', 'text'] as const;

/** Lines of a page, oldest first, and the facts of the last response. */
export interface LogTailContent extends Omit<Logs, 'lines' | 'missed'> {
  readonly lines: readonly LogLine[];
  /** Lines that came while the page did not ask, and that the server no longer holds. */
  readonly missed: number;
}

/** Path of the lines after a number. */
export function logsPath(filter: LogFilter, after: number): string {
  const query = new URLSearchParams({ count: String(LINES_MAX), after: String(after) });
  for (const name of FILTERS) if (filter[name] !== '') query.set(name, filter[name]);
  return `/debug/api/logs?${query.toString()}`;
}

export class LogTail {
  readonly #ask: (after: number) => Promise<Logs>;
  #content: LogTailContent | null = null;

  constructor(ask: (after: number) => Promise<Logs>) {
    this.#ask = ask;
  }

  /** Asks for newer lines, and returns all. */
  async next(): Promise<LogTailContent> {
    const before = this.#content;
    const answer = await this.#ask(before?.last ?? 0);
    // A restarted server counts from 1 again.
    if (before !== null && answer.last < before.last) {
      this.#content = null;
      return this.next();
    }
    const missed = before === null ? 0 : before.missed + answer.missed;
    const lines = [...(before?.lines ?? []), ...answer.lines].slice(-LINES_MAX);
    this.#content = { ...answer, lines, missed };
    return this.#content;
  }
}
