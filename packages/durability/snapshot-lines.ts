/** Lines of the log about snapshots. */

import { type Clock, LineLimit, type Logger } from '#base';
import { bytesOf, keysIn, type Manifest } from '#persistence';

/** Lines about failed snapshots within a minute: clients may try as often as they like. */
const FAILURES_MAX = 10;
const FAILURES_WINDOW_MS = 60_000;

export class SnapshotLines {
  readonly #log: Logger;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #failures = new LineLimit(FAILURES_MAX, FAILURES_WINDOW_MS);

  constructor(log: Logger, clock: Pick<Clock, 'wallMs'>) {
    this.#log = log;
    this.#clock = clock;
  }

  began(number: number, changes: number): void {
    this.#log.debug('snapshot-begun', `Snapshot ${number} started`, { changes });
  }

  /** Logs a finished snapshot; with `left`, older files could not be removed for that reason. */
  finished(manifest: Manifest, us: number, left: string | undefined): void {
    const keys = keysIn(manifest);
    const message = `Snapshot ${manifest.number} finished: ${keys} keys`;
    const fields = { keys, bytes: bytesOf(manifest), ms: Math.round(us / 1_000) };
    this.#log.info('snapshot', message, fields);
    if (left === undefined) return;
    this.#log.warn('old-files-left', `Older snapshots and logs could not be removed: ${left}`);
  }

  /** Logs a failed snapshot; one that a planned stop ends is no fault. */
  failed(number: number, { message }: Error, isStopping: boolean): void {
    const text = `Snapshot ${number} failed: ${message}`;
    if (isStopping) this.#log.info('snapshot-abandoned', text);
    else if (this.#failures.take(this.#clock.wallMs())) this.#log.error('snapshot-failed', text);
  }
}
