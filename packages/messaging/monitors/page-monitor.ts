/**
 * A monitor of a debug page: selects commands, makes lines of the first ones of each second, and keeps the newest lines
 * until the page takes them. It ends by itself when the page does not ask for a while, and after its time in any case.
 */

import type { MonitorDocument, MonitorEnd, MonitorOptions } from '#api-types';
import { readable } from '#base';
import { KeptArguments } from '#stats';
import { LineRing, type NewLine } from './line-ring.ts';
import { addressOf, databaseOf, type MonitoredCommand } from './monitored-command.ts';
import { Selection, sourceOf } from './selection.ts';

/** Longest time without a request of the page. */
const RENEWAL_MS = 60_000;

const LINES_MAX = 2_000;
const CHARS_MAX = 512 * 1_024;
/** Bytes that are shown of an argument, as in the slow log by default. */
const ARGUMENT_BYTES_MAX = 128;

/** Only used within one command. */
const kept = new KeptArguments();

export class PageMonitor {
  readonly id: string;
  readonly #options: MonitorOptions;
  readonly #selection: Selection;
  readonly #ring = new LineRing(LINES_MAX, CHARS_MAX);
  readonly #startMs: number;
  #endMs: number;
  #renewedMs: number;
  #endedBy: MonitorEnd | null = null;
  #seen = 0;
  #matched = 0;
  #leftOut = 0;
  /** Current second, and its number of lines. */
  #second = 0;
  #linesOfSecond = 0;

  constructor(id: string, options: MonitorOptions, nowMs: number) {
    this.id = id;
    this.#options = options;
    this.#selection = new Selection(options.filter);
    this.#startMs = nowMs;
    this.#renewedMs = nowMs;
    this.#endMs = nowMs + options.duration_ms;
  }

  get isRunning(): boolean {
    return this.#endedBy === null;
  }

  get hasCalls(): boolean {
    return this.#selection.hasCalls;
  }

  /** Counts a command, and keeps a line of it if it is selected and the second has room. */
  see(command: MonitoredCommand, nowMs: number): void {
    if (!this.#selection.hasSource(command)) return;
    this.#seen += 1;
    if (!this.#selection.admits(command)) return;
    this.#matched += 1;
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#linesOfSecond = 0;
    }
    if (this.#linesOfSecond >= this.#options.lines_per_sec) {
      this.#leftOut += 1;
      return;
    }
    this.#linesOfSecond += 1;
    this.#ring.add(lineOf(command, nowMs));
  }

  /** Extends the time until the monitor ends for want of requests. */
  renew(nowMs: number): void {
    this.#renewedMs = nowMs;
  }

  /** Returns why a running monitor has to end now; undefined if it does not. */
  expiry(nowMs: number): MonitorEnd | undefined {
    if (nowMs >= this.#endMs) return 'time-limit';
    return nowMs - this.#renewedMs >= RENEWAL_MS ? 'not-renewed' : undefined;
  }

  end(by: MonitorEnd, nowMs: number): void {
    this.#endedBy = by;
    this.#endMs = nowMs;
  }

  /** True when an ended monitor has been kept long enough for its page to read the last lines. */
  isForgettable(nowMs: number): boolean {
    return !this.isRunning && nowMs - this.#endMs >= RENEWAL_MS;
  }

  /** Returns the state with the kept lines whose number is above `after`. */
  document(after: number): MonitorDocument {
    return {
      id: this.id,
      ...this.#options,
      start_time_ms: this.#startMs,
      end_time_ms: this.#endMs,
      ended_by: this.#endedBy,
      seen: this.#seen,
      matched: this.#matched,
      left_out: this.#leftOut,
      last: this.#ring.last,
      ...this.#ring.after(after),
    };
  }
}

function lineOf(command: MonitoredCommand, nowMs: number): NewLine {
  const { client, entry, args } = command;
  kept.keep(args, entry.secretsOf(args), ARGUMENT_BYTES_MAX);
  return {
    time_ms: nowMs,
    db: databaseOf(command),
    client_id: client.id,
    addr: addressOf(client),
    user: client.session.user,
    source: sourceOf(command),
    args: kept.shown.map(readable),
  };
}
