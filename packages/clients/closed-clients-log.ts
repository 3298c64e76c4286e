/** Logs refused connections, and clients closed because of unread output: a few lines, however many there are. */

import { LineLimit, type Logger } from '#base';
import { clientFields, type ClientPort } from '#commands';
import { FailureLog } from '#diagnostics';

/** Minimum interval of lines about refused connections, in milliseconds. */
const REFUSED_INTERVAL_MS = 5_000;

/** Reasons for which connections are refused, as fields of a line. */
type RefusalReason = 'max_clients' | 'protected_mode';

/** Limit of unread output that a client exceeds. */
export interface ExceededLimit {
  /** Class of clients that the limit is for. */
  readonly class: 'normal' | 'pubsub' | 'replica' | 'unauthenticated';
  /** Bytes. */
  readonly limit: number;
  /** Seconds for which the client may exceed the limit; 0 for a hard limit. */
  readonly seconds: number;
}

export class ClosedClientsLog {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #refused: FailureLog;
  readonly #limit = new LineLimit();
  /** Refused connections by reason, since the last line. */
  #counts: Record<RefusalReason, number> = { max_clients: 0, protected_mode: 0 };

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
    this.#refused = new FailureLog((fields) => {
      log.warn('connections-refused', 'Connections refused', { ...fields, ...this.#counts });
      this.#counts = { max_clients: 0, protected_mode: 0 };
    }, REFUSED_INTERVAL_MS);
  }

  /** Counts a refused connection; `connected` clients have one. */
  refused(reason: RefusalReason, addr: string, connected: number, nowMs: number): void {
    this.#counts[reason] += 1;
    this.#refused.add({ connected, addr }, nowMs);
  }

  /** Logs a client that is closed because it leaves too much output unread. */
  outputExceeded(
    client: ClientPort,
    exceeded: ExceededLimit & { readonly bytes: number },
    nowMs: number,
  ): void {
    if (!this.#limit.take(nowMs)) return;
    const message = 'Client closed: output buffer limit exceeded';
    this.#log.warn('output-limit-reached', message, { ...clientFields(client), ...exceeded });
  }

  /** Logs what exceeded the rate limits of the log. */
  tick(nowMs: number): void {
    this.#refused.tick(nowMs);
    const count = this.#limit.takeOmitted(nowMs);
    if (count === 0) return;
    const message = 'Further clients closed: output buffer limit exceeded';
    this.#log.warn('output-limits-reached', message, { count });
  }
}
