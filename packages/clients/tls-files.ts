/** Reads the options of TLS from the settings and the files that they name. */

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { SettingName, Settings, Value } from '#config';
import { type ClientCertificates, demandUsable, type TlsOptions, tlsReason } from '#net';
import { hasCertificates, hasDhParameters } from './pem.ts';

/** Bytes of the key of session tickets, as OpenSSL wants it. */
const TICKET_KEYS_BYTES = 48;
/**
 * Keys of session tickets for the life of the process: tickets remain valid after a change of certificates, and in
 * every thread.
 */
const ticketKeys = randomBytes(TICKET_KEYS_BYTES);

/** Names of certificates in a folder: with an extension of theirs, or named by their hash as `openssl rehash` does. */
const AUTHORITY_FILE = /\.(pem|crt|cer)$|^[0-9a-f]{8}\.\d+$/;

/** Values of settings by name, in force or about to be. */
export type ValueOf = (name: SettingName) => Value;

/** Reads the values in force. */
export function valuesOf(settings: Settings): ValueOf {
  return (name) => settings.get(name);
}

/** Reads and judges all files; throws an error that names the setting and the file. */
export function readTls(valueOf: ValueOf): TlsOptions {
  const text = (name: SettingName): string => valueOf(name) as string;
  const options = readShared(valueOf, {
    certificate: demandFile('tls.cert-file', text('tls.cert-file')),
    key: demandFile('tls.key-file', text('tls.key-file')),
    passphrase: text('tls.key-file-pass'),
  });
  const { clientCertificates, authorities } = options;
  if (clientCertificates !== 'none' && authorities.length === 0) {
    throw new Error(
      `tls.client-certs is ${clientCertificates}, which needs authorities in tls.ca-file or tls.ca-dir`,
    );
  }
  demandPair(options, text);
  return options;
}

/**
 * Reads the TLS options of links to other servers, if these use TLS: with their own certificate, with that of the
 * server, or with none.
 */
export function readOutgoingTls(valueOf: ValueOf): TlsOptions | undefined {
  if (valueOf('tls.replication') !== true) return undefined;
  const text = (name: SettingName): string => valueOf(name) as string;
  const isOwn = text('tls.client-cert-file') !== '' && text('tls.client-key-file') !== '';
  const names: PairNames = isOwn
    ? ['tls.client-cert-file', 'tls.client-key-file', 'tls.client-key-file-pass']
    : ['tls.cert-file', 'tls.key-file', 'tls.key-file-pass'];
  const [certificate, key, passphrase] = names;
  const options = readShared(valueOf, {
    certificate: readNamed(certificate, text(certificate)),
    key: readNamed(key, text(key)),
    passphrase: text(passphrase),
  });
  if (options.authorities.length === 0) {
    throw new Error('tls.replication needs authorities in tls.ca-file or tls.ca-dir');
  }
  demandPair(options, text, names);
  return options;
}

/** Names of the settings of a certificate: its file, that of its key, and the passphrase. */
type PairNames = readonly [certificate: SettingName, key: SettingName, passphrase: SettingName];

function readShared(
  valueOf: ValueOf,
  pair: Pick<TlsOptions, 'certificate' | 'key' | 'passphrase'>,
): TlsOptions {
  const text = (name: SettingName): string => valueOf(name) as string;
  const number = (name: SettingName): number => valueOf(name) as number;
  return {
    ...pair,
    authorities: readAuthorities(text('tls.ca-file'), text('tls.ca-dir')),
    dhParameters: readDhParameters(text('tls.dh-params-file')),
    clientCertificates: text('tls.client-certs') as ClientCertificates,
    protocols: valueOf('tls.protocols') as readonly string[],
    ciphers: text('tls.ciphers'),
    cipherSuites: text('tls.ciphersuites'),
    prefersOwnCiphers: valueOf('tls.prefer-server-ciphers') as boolean,
    sessions: {
      areKept: valueOf('tls.session-caching') as boolean,
      countMax: number('tls.session-cache-size'),
      seconds: number('tls.session-cache-timeout'),
      ticketKeys,
    },
    handshakeMs: number('tls.handshake-timeout-ms'),
    handshakesMax: number('tls.max-handshakes'),
  };
}

function demandFile(name: SettingName, file: string): string {
  if (file === '') throw new Error(`${name} is not set, which TLS needs`);
  return readNamed(name, file);
}

/** Text of the file that a setting names; empty without one. */
function readNamed(name: SettingName, file: string): string {
  if (file === '') return '';
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotRead(name, file, error);
  }
}

function readDhParameters(file: string): string {
  const text = readNamed('tls.dh-params-file', file);
  if (file === '' || hasDhParameters(text)) return text;
  throw new Error(`tls.dh-params-file: ${file} contains no Diffie-Hellman parameters`);
}

function readAuthorities(file: string, folder: string): readonly string[] {
  const texts = file === '' ? [] : [readNamed('tls.ca-file', file)];
  if (!texts.every((text) => hasCertificates(text))) {
    throw new Error(`tls.ca-file: ${file} contains no readable certificates`);
  }
  if (folder === '') return texts;
  try {
    const names = readdirSync(folder).filter((each) => AUTHORITY_FILE.test(each));
    const found = names.map((each) => readFileSync(path.join(folder, each), 'utf8'));
    // Keys and lists of revoked certificates may lie there as well.
    return [...texts, ...found.filter((text) => hasCertificates(text))];
  } catch (error) {
    throw cannotRead('tls.ca-dir', folder, error);
  }
}

function cannotRead(name: SettingName, file: string, cause: unknown): Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'it is not there',
    EACCES: 'this user may not read it',
    EISDIR: 'it is a folder',
    ENOTDIR: 'it is no folder',
  };
  const reason = reasons[code ?? ''] ?? message;
  return new Error(`${name}: cannot read ${file}: ${reason}`, { cause });
}

/** Throws where OpenSSL refuses certificate, key, ciphers or authorities, with the files it is about. */
function demandPair(
  options: TlsOptions,
  text: (name: SettingName) => string,
  [certificate, key]: readonly SettingName[] = ['tls.cert-file', 'tls.key-file'],
): void {
  try {
    demandUsable(options);
  } catch (cause) {
    if (/NO_CIPHER/.test((cause as NodeJS.ErrnoException).code ?? '')) {
      const names = `tls.ciphers ("${text('tls.ciphers')}") and tls.ciphersuites ("${text('tls.ciphersuites')}")`;
      throw new Error(`${names} cannot be used: OpenSSL knows no such cipher`, { cause });
    }
    const files = `${text(certificate!)} with the key ${text(key!)}`;
    const reason = tlsReason(cause as Error);
    throw new Error(`the certificate ${files} cannot be used: ${reason}`, { cause });
  }
}
