/**
 * Listeners for clients and their TLS, as CONFIG SET and SIGHUP change them: the new ones are opened before the old are closed,
 * and a certificate that cannot be used changes nothing.
 */

import { X509Certificate } from 'node:crypto';
import type { Logger } from '#base';
import { configSetFailed, type Settings } from '#config';
import type { Listener, TcpPlaces, TlsOptions } from '#net';
import type { TwoPhaseSetting, Pairs, SettingChanges } from '#main';
import { readOutgoingTls, readTls, valuesOf, type ValueOf } from './tls-files.ts';

/** Places of TCP by the settings. */
export function tcpPlaces(valueOf: ValueOf): TcpPlaces {
  return {
    binds: valueOf('server.bind') as readonly string[],
    port: valueOf('server.port') as number,
    tlsPort: valueOf('tls.enabled') === true ? (valueOf('tls.port') as number) : 0,
  };
}

/** Options of TLS where anything needs them; throws where they cannot be used. */
export function tlsOptions(valueOf: ValueOf): TlsOptions | undefined {
  return valueOf('tls.enabled') === true || valueOf('http.tls') === true
    ? readTls(valueOf)
    : undefined;
}

interface ClientListenersOptions {
  readonly settings: Settings;
  readonly listener: Listener;
  /** Options in force at the start. */
  readonly tls: TlsOptions | undefined;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Gives HTTP its certificate. */
  readonly secureHttp: (options: TlsOptions | undefined) => void;
  /** Publishes the end of the certificate in Unix milliseconds; 0 without TLS. */
  readonly publishCertificateEnd: (unixMs: number) => void;
}

export class ClientListeners implements TwoPhaseSetting {
  readonly listener: Listener;
  readonly #settings: Settings;
  readonly #secureHttp: ClientListenersOptions['secureHttp'];
  readonly #publishCertificateEnd: ClientListenersOptions['publishCertificateEnd'];
  readonly #log: ClientListenersOptions['log'];
  #tls: TlsOptions | undefined;

  constructor(options: ClientListenersOptions) {
    const { settings, listener, tls, log, secureHttp } = options;
    this.#settings = settings;
    this.listener = listener;
    this.#tls = tls;
    this.#log = log;
    this.#publishCertificateEnd = options.publishCertificateEnd;
    this.#publishCertificateEnd(certificateEndMs(tls));
    this.#secureHttp = secureHttp;
  }

  /** A file of TLS that is named again is read again, as in Redis. */
  concerns(changes: SettingChanges, pairs: Pairs): boolean {
    return (
      changes.has('server.port') || changes.has('server.bind') || tlsNameIn(pairs) !== undefined
    );
  }

  async make(changes: SettingChanges, pairs: Pairs): Promise<() => Promise<void>> {
    const before = valuesOf(this.#settings);
    const valueOf: ValueOf = (name) => changes.get(name) ?? before(name);
    const oldTls = this.#tls;
    const tlsName = tlsNameIn(pairs);
    try {
      if (tlsName !== undefined) {
        readOutgoingTls(valueOf);
        await this.#secure(tlsOptions(valueOf));
      }
    } catch (error) {
      const reason = `Unable to update TLS configuration: ${(error as Error).message}`;
      throw configSetFailed(tlsName ?? '', reason);
    }
    try {
      await this.listener.move(tcpPlaces(valueOf));
    } catch (error) {
      await this.#secure(oldTls);
      throw cannotMove(changes, tlsName, error as Error);
    }
    return async () => {
      await this.#secure(oldTls);
      await this.listener.move(tcpPlaces(before));
    };
  }

  /** Reads the files of TLS again; those in use are kept where they cannot be used. */
  async readAgain(): Promise<void> {
    try {
      const options = tlsOptions(valuesOf(this.#settings));
      if (options === undefined) return;
      await this.#secure(options);
      this.#log.info('tls-read-again', 'TLS certificate reloaded for new connections');
    } catch (error) {
      const fields = { error: (error as Error).message };
      const message = 'TLS files cannot be used: the previous ones stay in use';
      this.#log.error('tls-not-read', message, fields);
    }
  }

  async #secure(options: TlsOptions | undefined): Promise<void> {
    if (options !== undefined) await this.listener.secure(options);
    this.#tls = options;
    this.#secureHttp(options);
    this.#publishCertificateEnd(certificateEndMs(options));
  }
}

/** The first name of TLS that CONFIG SET names. */
function tlsNameIn(pairs: Pairs): string | undefined {
  return pairs.find(([name]) => /^tls-/i.test(name))?.[0];
}

function cannotMove(
  changes: SettingChanges,
  tlsName: string | undefined,
  { message }: Error,
): Error {
  if (changes.has('server.port')) {
    return configSetFailed('port', `Unable to listen on this port: ${message}`);
  }
  return tlsName === undefined
    ? configSetFailed('bind', `Failed to bind to specified addresses: ${message}`)
    : configSetFailed(tlsName, `Unable to listen on this port: ${message}`);
}

/** End of the server's certificate in Unix milliseconds; 0 without TLS. */
function certificateEndMs(options: TlsOptions | undefined): number {
  return options === undefined ? 0 : Date.parse(new X509Certificate(options.certificate).validTo);
}
