/** Certificates for tests, made by `openssl`: authorities, pairs of a server, certificates of clients. */

import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Files of a certificate and its key. */
export interface Pair {
  readonly certificate: string;
  readonly key: string;
}

interface PairOptions {
  /** Passphrase of the key; without one the key is in the clear. */
  readonly passphrase?: string;
  /** True for a certificate that has run out. */
  readonly hasExpired?: boolean;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
const DAYS = 30;

/** A folder of certificates; the authority `ca` is there from the beginning. */
export class Certificates {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'svc-tls-'));
  readonly authority: Pair;
  /** Pair of a server on this machine. */
  readonly server: Pair;

  constructor() {
    this.authority = this.newAuthority('ca');
    this.server = this.newPair('server', 'server.test');
  }

  /** Makes an authority, which has signed itself. */
  newAuthority(name: string): Pair {
    const pair = this.#files(name);
    this.openssl('req', '-x509', '-nodes', ...CURVE, '-subj', `/CN=${name}`, '-days', `${DAYS}`, [
      ...['-keyout', pair.key, '-out', pair.certificate],
    ]);
    return pair;
  }

  /** Makes an authority that another one has signed. */
  newIntermediate(name: string, authority: Pair): Pair {
    const pair = this.#files(name);
    const request = path.join(this.folder, `${name}.csr`);
    this.openssl('req', '-new', '-nodes', ...CURVE, '-subj', `/CN=${name}`, [
      ...['-addext', 'basicConstraints=critical,CA:TRUE', '-keyout', pair.key, '-out', request],
    ]);
    this.#sign(request, pair, authority, DAYS);
    return pair;
  }

  /** Makes a pair under a name of files, signed by an authority. */
  newPair(
    name: string,
    commonName: string,
    options: PairOptions = {},
    authority: Pair = this.authority,
  ): Pair {
    const pair = this.#files(name);
    const request = path.join(this.folder, `${name}.csr`);
    const { passphrase, hasExpired = false } = options;
    const secrecy = passphrase === undefined ? ['-nodes'] : ['-passout', `pass:${passphrase}`];
    this.openssl('req', '-new', ...CURVE, ...secrecy, '-subj', `/O=svc/CN=${commonName}`, [
      ...['-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'],
      ...['-keyout', pair.key, '-out', request],
    ]);
    this.#sign(request, pair, authority, hasExpired ? -1 : DAYS);
    return pair;
  }

  /** Makes a pair with a key of RSA, which old ciphers need, signed by the authority. */
  newRsaPair(name: string, commonName: string): Pair {
    const pair = this.#files(name);
    const { certificate, key } = this.authority;
    this.openssl('req', '-x509', '-nodes', '-newkey', 'rsa:2048', '-subj', `/CN=${commonName}`, [
      ...['-CA', certificate, '-CAkey', key, '-days', `${DAYS}`],
      ...['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', 'basicConstraints=CA:FALSE'],
      ...['-keyout', pair.key, '-out', pair.certificate],
    ]);
    return pair;
  }

  /** Runs openssl to its end. */
  openssl(...args: readonly (string | readonly string[])[]): string {
    return this.opensslWith('', ...args.flat());
  }

  /** Runs openssl with an input. */
  opensslWith(input: string, ...args: readonly string[]): string {
    return execFileSync('openssl', args, { input, encoding: 'utf8', stdio: 'pipe' });
  }

  /** Runs openssl for a command that may fail; returns both outputs. */
  opensslAtLeastTried(input: string, args: readonly string[]): string {
    const { stdout, stderr } = spawnSync('openssl', args, { input, encoding: 'utf8' });
    return stdout + stderr;
  }

  /** Copies a file of the folder to another name, over what is there. */
  copy(from: string, to: string): void {
    const target = path.join(this.folder, to);
    mkdirSync(path.dirname(target), { recursive: true });
    copyFileSync(path.join(this.folder, from), target);
  }

  /** Puts one file behind another, as the certificates of a chain are. */
  append(from: string, to: string): void {
    appendFileSync(path.join(this.folder, to), readFileSync(path.join(this.folder, from)));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #sign(request: string, { certificate }: Pair, authority: Pair, days: number): void {
    this.openssl('x509', '-req', '-in', request, '-copy_extensions', 'copy', [
      ...['-CA', authority.certificate, '-CAkey', authority.key, '-CAcreateserial'],
      ...['-days', `${days}`, '-out', certificate],
    ]);
  }

  #files(name: string): Pair {
    const at = (ending: string): string => path.join(this.folder, `${name}.${ending}`);
    return { certificate: at('pem'), key: at('key') };
  }
}

/** Serial number of a certificate, as Node writes it. */
export function serialOf(certificates: Certificates, { certificate }: Pair): string {
  const line = certificates.openssl('x509', '-in', certificate, '-noout', '-serial');
  return line.trim().replace('serial=', '');
}

/** Content of a file of PEM. */
export function pem(file: string): Buffer {
  return readFileSync(file);
}
