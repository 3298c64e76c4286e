/**
 * Failure of the logs: error replies to clients, and snapshots that are retried until one contains what the logs lack.
 */

import { type CommandError, errnoIn, errors, type Logger, RetryDelay } from '#base';
import type { Settings } from '#config';
import { AT, type FlightEvent } from '#stats';
import { refusesUnsaved, type ServerMemory } from '#main';

/** Shortest and longest delay before a snapshot that could heal the failure, in milliseconds. */
const HEAL_MS_MIN = 1_000;
const HEAL_MS_MAX = 30_000;

interface LogFailureOptions {
  readonly settings: Settings;
  readonly serverMemory: ServerMemory;
  readonly log: Logger;
  readonly note: (event: FlightEvent, numbers: readonly number[]) => void;
  /** Begins a snapshot, unless one is under way. */
  readonly tryAgain: () => void;
}

export class LogFailure {
  readonly #options: LogFailureOptions;
  #message: string | undefined;
  readonly #delay = new RetryDelay(HEAL_MS_MIN, HEAL_MS_MAX);
  #healing: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: LogFailureOptions) {
    this.#options = options;
  }

  /** Error of the logs; undefined while they can be written. */
  get message(): string | undefined {
    return this.#message;
  }

  /** Error with which writes are refused, or undefined. */
  get refusal(): CommandError | undefined {
    const { settings, serverMemory } = this.#options;
    if (this.#message !== undefined) {
      const isReadOnly = settings.string('persistence.wal-failure-policy') === 'readonly';
      return isReadOnly ? errors.logFailed(this.#message) : undefined;
    }
    const isUnsaved = serverMemory.mainPage.values[AT.lastSaveFailed] === 1;
    return isUnsaved && refusesUnsaved(settings) ? errors.snapshotFailed : undefined;
  }

  /** Records that the log of a shard cannot be written; with -1, that no log can. */
  begin(message: string, shard = -1): void {
    const { log, serverMemory, settings, note } = this.#options;
    const isNew = this.#message === undefined;
    this.#message = message;
    serverMemory.mainPage.set('logFailed', 1);
    serverMemory.mainPage.set('logErrno', errnoIn(message));
    note('log-failed', [shard]);
    if (isNew) {
      const policy = settings.string('persistence.wal-failure-policy');
      const then =
        policy === 'readonly' ? 'writes are refused' : 'writes continue and ARE NOT KEPT';
      log.error('log-failed', `Log write failed: ${message}; ${then} until a snapshot succeeds`);
    }
    this.#heal();
  }

  /** Starts a snapshot after a delay: it contains what the log lacks, and the log continues after it. */
  #heal(): void {
    if (this.#isStopped || this.#healing !== undefined) return;
    this.#healing = setTimeout(() => {
      this.#healing = undefined;
      if (this.#message !== undefined && !this.#isStopped) this.#options.tryAgain();
    }, this.#delay.next());
    this.#healing.unref();
  }

  /** Notes that a snapshot has ended and did not heal the logs: the next one is tried later. */
  stillFails(): void {
    if (this.#message === undefined) return;
    clearTimeout(this.#healing);
    this.#healing = undefined;
    this.#heal();
  }

  /** All logs are written again, after the snapshot of that number. */
  healed(number: number): void {
    this.forget();
    this.#options.note('log-healed', [number]);
    this.#options.log.info('log-healed', 'Log writes resumed');
  }

  /** There are no logs that could be written. */
  forget(): void {
    this.#message = undefined;
    this.#delay.reset();
    this.#options.serverMemory.mainPage.set('logFailed', 0);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#healing);
  }
}
