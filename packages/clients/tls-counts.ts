/** Counts what becomes of TLS handshakes, and logs those that fail. */

import type { Clock, Logger } from '#base';
import type { TlsFailure, TlsInfo } from '#net';
import { TLS_QUANTITIES } from '#quantities';
import type { Page } from '#stats';
import { FailureLog } from '#diagnostics';

type TlsCounter = (typeof TLS_QUANTITIES)['versions' | 'ciphers' | 'failures'][number]['counter'];

interface LabelledRow {
  readonly counter: TlsCounter;
  readonly label: readonly [name: string, value: string];
}

/** Counters by the value of their label. */
function byLabel(rows: readonly LabelledRow[]): ReadonlyMap<string, TlsCounter> {
  return new Map(rows.map(({ counter, label }) => [label[1], counter]));
}

const VERSIONS = byLabel(TLS_QUANTITIES.versions);
const CIPHERS = byLabel(TLS_QUANTITIES.ciphers);
const FAILURES = byLabel(TLS_QUANTITIES.failures);

export class TlsCounts {
  readonly #page: Page;
  readonly #clock: Pick<Clock, 'wallMs'>;
  readonly #failures: FailureLog;

  constructor(page: Page, log: Pick<Logger, 'warn'>, clock: Pick<Clock, 'wallMs'>) {
    this.#page = page;
    this.#clock = clock;
    this.#failures = new FailureLog((fields) => {
      log.warn('tls-handshake-failed', 'TLS handshake failed', fields);
    });
  }

  opened({ version, cipher, isResumed }: TlsInfo): void {
    const page = this.#page;
    page.add('tlsConnections', 1);
    const versionCounter = VERSIONS.get(version);
    if (versionCounter !== undefined) page.add(versionCounter, 1);
    page.add(CIPHERS.get(cipher) ?? 'tlsOtherCipher', 1);
    if (isResumed) page.add('tlsResumed', 1);
  }

  closed(): void {
    this.#page.add('tlsConnections', -1);
  }

  failed(failure: TlsFailure, address: string, error: string): void {
    this.#page.add(FAILURES.get(failure) ?? 'tlsOtherFailure', 1);
    this.#failures.add({ addr: address, reason: failure, error }, this.#clock.wallMs());
  }

  /** Logs failures that exceeded the rate limit of the log. */
  tick(nowMs: number): void {
    this.#failures.tick(nowMs);
  }
}
