/** Options that the tools for a cluster have in common: the way to a node, the login, and TLS as redis-cli has it. */

import { readFileSync } from 'node:fs';
import type { TlsOptions } from '#net';

const PORT_MAX = 65_535;
const HANDSHAKE_MS = 10_000;
/** A client gives no tickets; OpenSSL wants a key of this length all the same. */
const TICKET_KEYS_BYTES = 48;

export const TLS_OPTIONS = {
  tls: { type: 'boolean', default: false },
  cacert: { type: 'string', default: '' },
  cert: { type: 'string', default: '' },
  key: { type: 'string', default: '' },
} as const;

export const TLS_HELP = `  --tls                      connects with TLS
  --cacert FILE              certificate authorities (default: those of the system)
  --cert FILE  --key FILE    certificate and key of this client
`;

interface TlsValues {
  readonly tls: boolean;
  readonly cacert: string;
  readonly cert: string;
  readonly key: string;
}

/** Certificates as the command line names them; PEM texts. */
export interface ToolCertificates {
  readonly authorities: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

export function readPort(text: string, option: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= PORT_MAX) return port;
  throw new Error(`${option} is a number from 1 to ${PORT_MAX}`);
}

/** Reads a file that an option names; empty without one. */
export function readGiven(file: string): string {
  return file === '' ? '' : readFileSync(file, 'utf8');
}

export function readCertificates({ cacert, cert, key }: TlsValues): ToolCertificates {
  if ((cert === '') !== (key === '')) throw new Error('--cert and --key belong together');
  return {
    authorities: cacert === '' ? [] : [readGiven(cacert)],
    certificate: readGiven(cert),
    key: readGiven(key),
  };
}

/** TLS of connections to nodes; undefined without --tls. */
export function readToolTls(values: TlsValues): TlsOptions | undefined {
  if (!values.tls) {
    if (values.cacert + values.cert + values.key === '') return undefined;
    throw new Error('--cacert, --cert and --key need --tls');
  }
  return {
    ...readCertificates(values),
    passphrase: '',
    dhParameters: '',
    clientCertificates: 'none',
    protocols: [],
    ciphers: '',
    cipherSuites: '',
    prefersOwnCiphers: false,
    sessions: {
      areKept: false,
      countMax: 0,
      seconds: 0,
      ticketKeys: new Uint8Array(TICKET_KEYS_BYTES),
    },
    handshakeMs: HANDSHAKE_MS,
    handshakesMax: 0,
  };
}
