/** TLS options as plain data that can be sent to any thread, and their conversion for OpenSSL. */

import { constants, createHash } from 'node:crypto';
import {
  createSecureContext,
  DEFAULT_CIPHERS,
  type SecureContextOptions,
  type SecureVersion,
  type TlsOptions as NodeOptions,
} from 'node:tls';

/** Demand on clients for certificates: `optional` accepts none, but no wrong one. */
export type ClientCertificates = 'none' | 'optional' | 'required';

export interface TlsOptions {
  /** PEM texts. */
  readonly certificate: string;
  readonly key: string;
  readonly passphrase: string;
  readonly authorities: readonly string[];
  /** Parameters of a Diffie-Hellman exchange; empty for OpenSSL's own. */
  readonly dhParameters: string;
  readonly clientCertificates: ClientCertificates;
  /** Versions that are spoken; empty for 1.2 and 1.3. */
  readonly protocols: readonly string[];
  /** Ciphers up to TLS 1.2 and suites of TLS 1.3, in OpenSSL's form; empty for Node's defaults. */
  readonly ciphers: string;
  readonly cipherSuites: string;
  readonly prefersOwnCiphers: boolean;
  readonly sessions: {
    readonly areKept: boolean;
    /** Most sessions kept for clients without tickets; 0 = no limit. */
    readonly countMax: number;
    readonly seconds: number;
    /** Key of tickets: 48 bytes, the same for all threads. */
    readonly ticketKeys: Uint8Array;
  };
  readonly handshakeMs: number;
  /** Most handshakes under way; a connection beyond them is closed. */
  readonly handshakesMax: number;
}

/** Versions of TLS, the oldest first, each with the option that switches it off. */
const TLS_VERSIONS: ReadonlyMap<string, number> = new Map([
  ['TLSv1', constants.SSL_OP_NO_TLSv1],
  ['TLSv1.1', constants.SSL_OP_NO_TLSv1_1],
  ['TLSv1.2', constants.SSL_OP_NO_TLSv1_2],
  ['TLSv1.3', constants.SSL_OP_NO_TLSv1_3],
]);
/** Longest name of a context of sessions that OpenSSL takes. */
const SESSION_CONTEXT_CHARS = 32;
/** As in Redis: a handshake costs the server more than its client, and the demands on it were met. */
const NO_RENEGOTIATION = constants.SSL_OP_NO_RENEGOTIATION;
const PROTOCOLS_DEFAULT = ['TLSv1.2', 'TLSv1.3'];

/** Options of the context that all connections share. */
export function contextOptions(options: TlsOptions): SecureContextOptions {
  const { sessions } = options;
  const wanted = options.protocols.length > 0 ? options.protocols : PROTOCOLS_DEFAULT;
  const spoken = [...TLS_VERSIONS.keys()].filter((version) => wanted.includes(version));
  const isOff = [...TLS_VERSIONS].filter(([version]) => !spoken.includes(version));
  const noTickets = sessions.areKept ? 0 : constants.SSL_OP_NO_TICKET;
  return {
    ...(options.certificate === '' ? {} : { cert: options.certificate, key: options.key }),
    ...(options.passphrase === '' ? {} : { passphrase: options.passphrase }),
    ...(options.authorities.length === 0 ? {} : { ca: [...options.authorities] }),
    dhparam: options.dhParameters === '' ? 'auto' : options.dhParameters,
    minVersion: spoken[0] as SecureVersion,
    maxVersion: spoken.at(-1) as SecureVersion,
    ciphers: cipherList(options),
    honorCipherOrder: options.prefersOwnCiphers,
    secureOptions: isOff.reduce((bits, [, bit]) => bits | bit, noTickets | NO_RENEGOTIATION),
    sessionTimeout: sessions.seconds,
    ticketKeys: Buffer.from(sessions.ticketKeys),
    sessionIdContext: sessionContext(options),
  };
}

/**
 * Name of the demands under which a session began: it is not resumed under others. A resumed session brings the verdict
 * on its client's certificate along, which other authorities might not have given.
 */
function sessionContext({ authorities, clientCertificates }: TlsOptions): string {
  const hash = createHash('sha256').update(JSON.stringify([clientCertificates, authorities]));
  return hash.digest('hex').slice(0, SESSION_CONTEXT_CHARS);
}

/** Converts options for a server, including requirements for client connections. */
export function serverOptions(options: TlsOptions): NodeOptions {
  return {
    ...contextOptions(options),
    handshakeTimeout: options.handshakeMs,
    requestCert: options.clientCertificates !== 'none',
    // A wrong certificate is counted before its connection is closed.
    rejectUnauthorized: false,
  };
}

/** Reason of an error of TLS, without OpenSSL's numbers and files. */
export function tlsReason(error: Error & { readonly reason?: string }): string {
  return error.reason ?? error.message;
}

/** Throws where OpenSSL refuses the options: no PEM, a key of another certificate, unknown ciphers. */
export function demandUsable(options: TlsOptions): void {
  createSecureContext(contextOptions(options));
}

/** Node takes the ciphers of all versions in one list. */
function cipherList({ ciphers, cipherSuites }: TlsOptions): string {
  const standard = DEFAULT_CIPHERS.split(':');
  const isSuite = (name: string): boolean => name.startsWith('TLS_');
  return [
    cipherSuites === '' ? standard.filter(isSuite).join(':') : cipherSuites,
    ciphers === '' ? standard.filter((name) => !isSuite(name)).join(':') : ciphers,
  ].join(':');
}
