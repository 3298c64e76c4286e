/** Reading of options that subcommands have in common: the way to a server, the login, and TLS as redis-cli has it. */

import { readFileSync } from 'node:fs';
import type { TlsOptions } from '../tls/tls-options.ts';

const PORT_MAX = 65_535;
const HANDSHAKE_MS = 10_000;
/** A client gives no tickets; OpenSSL wants a key of this length all the same. */
const TICKET_KEYS_BYTES = 48;

/** Arguments of a subcommand. */
interface GivenOptions {
  text(option: string): string;
  has(option: string): boolean;
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

export function readCertificates(given: GivenOptions): ToolCertificates {
  const [cacert, cert, key] = [given.text('cacert'), given.text('cert'), given.text('key')];
  if ((cert === '') !== (key === '')) throw new Error('--cert and --key belong together');
  return {
    authorities: cacert === '' ? [] : [readGiven(cacert)],
    certificate: readGiven(cert),
    key: readGiven(key),
  };
}

/** TLS of connections to servers; undefined without --tls. */
export function readToolTls(given: GivenOptions): TlsOptions | undefined {
  if (!given.has('tls')) {
    if (['cacert', 'cert', 'key'].every((option) => given.text(option) === '')) return undefined;
    throw new Error('--cacert, --cert and --key need --tls');
  }
  return {
    ...readCertificates(given),
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

/** Returns the command that logs in by --user and a password, of a file rather than given itself; empty without them. */
export function readLogin(given: GivenOptions): readonly string[] {
  const user = given.text('user');
  const file = given.text('password-file');
  const password = file === '' ? given.text('password') : readGiven(file).trimEnd();
  if (user !== '' && password === '') throw new Error('--user needs a password: --password-file');
  if (password === '') return [];
  return user === '' ? ['AUTH', password] : ['AUTH', user, password];
}

/** Reads `HOST:PORT`, where an IPv6 host may be in brackets. */
export function readAddress(
  text: string,
  option = '--address',
): { readonly host: string; readonly port: number } {
  const [, bracketed, plain, port = ''] = /^(?:\[(.+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) throw new Error(`${option} ${text} is not HOST:PORT`);
  return { host, port: readPort(port, `the port of ${option}`) };
}
