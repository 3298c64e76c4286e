/**
 * Commands of a primary's stream that failed on this server. Its data may then differ from the primary's, so a full
 * sync is required before the link counts as up again. After repeated failures, full syncs follow at increasing
 * intervals.
 */

import { type Clock, errors, type Logger } from '#base';
import type { Page } from '#stats';
import { FailureLog } from '#diagnostics';
import type { NamedCommand } from './failed-command.ts';

/** Wait before a full synchronisation after the second failure in a row; it doubles with each further one. */
const WAIT_FIRST_MS = 1_000;
const WAIT_MS_MAX = 60_000;
/** A stream that has run for as long is in order. */
const FINE_MS = 60_000;

/** Failure of a command. */
export interface StreamFault extends NamedCommand {
  readonly error: string;
  /** Unix milliseconds. */
  readonly atMs: number;
}

interface StreamFaultsOptions {
  readonly page: Page;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
}

export class StreamFaults {
  readonly #options: StreamFaultsOptions;
  readonly #log: FailureLog;
  #differs = false;
  #last: StreamFault | undefined;
  /** Streams in a row that have failed. */
  #inRow = 0;
  #begunMs = 0;
  #notBeforeMs = 0;

  constructor(options: StreamFaultsOptions) {
    this.#options = options;
    this.#log = new FailureLog((fields) => {
      const message = 'Command of the primary failed: the data may differ, a full resync follows';
      options.log.error('replica-stream-error', message, fields);
    });
    this.#show();
  }

  /** True while the data may differ from the primary's. */
  get differs(): boolean {
    return this.#differs;
  }

  /** The last failure; undefined when there was none. */
  get last(): StreamFault | undefined {
    return this.#last;
  }

  /** True when the primary is not to be asked for its data yet. */
  get isWaiting(): boolean {
    return this.#differs && this.#options.clock.wallMs() < this.#notBeforeMs;
  }

  /** A stream begins, with data that do not differ. */
  begun(): void {
    this.#differs = false;
    this.#begunMs = this.#options.clock.wallMs();
    this.#show();
  }

  /** A command has failed; returns true when all data are needed for that. */
  add(error: string, named: NamedCommand): boolean {
    const nowMs = this.#options.clock.wallMs();
    this.#options.page.add('replicaErrors', 1);
    this.#last = { error, ...named, atMs: nowMs };
    this.#log.add({ error, ...named }, nowMs);
    // What the log could not take is done all the same.
    if (error === errors.unsafeReply.message || this.#differs) return false;
    this.#differs = true;
    this.#inRow = nowMs - this.#begunMs >= FINE_MS ? 1 : this.#inRow + 1;
    const waitMs = this.#inRow === 1 ? 0 : WAIT_FIRST_MS * 2 ** (this.#inRow - 2);
    this.#notBeforeMs = nowMs + Math.min(waitMs, WAIT_MS_MAX);
    this.#show();
    return true;
  }

  tick(): void {
    this.#log.tick(this.#options.clock.wallMs());
  }

  #show(): void {
    const { page } = this.#options;
    page.set('primaryDataDiffer', Number(this.#differs));
    page.set('primaryStreamFaultMs', this.#last?.atMs ?? 0);
  }
}
