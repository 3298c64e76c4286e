/** Lines of a monitor in a page: each request brings the lines after the last, and keeps the monitor running. */

import type { Monitor, MonitorLine } from '../api.ts';

/** Lines that a page keeps. */
const LINES_MAX = 1_000;

/** Counts of the monitor, and its newest lines, oldest first. */
export interface MonitorTailContent extends Omit<Monitor, 'ended_by'> {
  readonly ended_by: Monitor['ended_by'] | 'gone';
  /** Lines older than the kept ones. */
  readonly older: number;
}

export class MonitorTail {
  readonly #ask: (after: number) => Promise<Monitor | null>;
  #content: MonitorTailContent;

  /** `ask` returns null for a monitor that the server no longer has. */
  constructor(started: Monitor, ask: (after: number) => Promise<Monitor | null>) {
    this.#ask = ask;
    this.#content = { ...started, older: 0 };
  }

  get isRunning(): boolean {
    return this.#content.ended_by === null;
  }

  /** Asks for newer lines, and returns all. */
  async next(): Promise<MonitorTailContent> {
    const before = this.#content;
    const answer = await this.#ask(before.last);
    if (answer === null) {
      this.#content = { ...before, ended_by: 'gone' };
      return this.#content;
    }
    const all: readonly MonitorLine[] = [...before.lines, ...answer.lines];
    this.#content = {
      ...answer,
      lines: all.slice(-LINES_MAX),
      missed: before.missed + answer.missed,
      older: before.older + Math.max(0, all.length - LINES_MAX),
    };
    return this.#content;
  }
}
