/** Counts what becomes of TLS handshakes, and logs those that fail: a line a second at the most, with how many they were. */

import type { Clock, Logger } from '#base';
import type { TlsFailure, TlsInfo } from '#net';
import { TLS_QUANTITIES, type Page } from '#stats';

/** Time between two lines of the log about failures. */
const QUIET_US = 1_000_000;

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
  readonly #log: Pick<Logger, 'warn'>;
  readonly #clock: Pick<Clock, 'nowUs'>;
  #toldUs = -Infinity;
  /** Failures that no line has told of. */
  #untold = 0;

  constructor(page: Page, log: Pick<Logger, 'warn'>, clock: Pick<Clock, 'nowUs'>) {
    this.#page = page;
    this.#log = log;
    this.#clock = clock;
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
    this.#untold += 1;
    const nowUs = this.#clock.nowUs();
    if (nowUs - this.#toldUs < QUIET_US) return;
    const fields = { count: this.#untold, addr: address, reason: failure, error };
    this.#log.warn('tls-handshake-failed', 'A TLS handshake has failed.', fields);
    this.#toldUs = nowUs;
    this.#untold = 0;
  }
}
