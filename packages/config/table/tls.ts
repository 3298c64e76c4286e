import { integer, oneOf, text, yesOrNo } from '../kinds.ts';
import { chosenWords } from '../list-kinds.ts';
import { rows } from '../setting.ts';

const seconds = integer({ unit: 'seconds' });

/** [tls]: secured connections, of clients and of HTTP. */
export const tlsSettings = rows({
  'tls.enabled': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: 'Listens for TLS connections as well, on the addresses of server.bind.',
  },
  'tls.port': {
    kind: integer({ least: 1, most: 65_535 }),
    default: 6380,
    effect: 'live',
    meaning: 'Port for TLS connections, while tls.enabled.',
    // Not Redis' tls-port, which is 0 while TLS is off.
    config: 'tls-listener-port',
  },
  'tls.cert-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: "The server's certificate, as PEM, with those that lead to its authority behind it.",
  },
  'tls.key-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: "The certificate's private key, as PEM.",
  },
  'tls.key-file-pass': {
    kind: text,
    default: '',
    effect: 'live',
    isSecret: true,
    meaning: 'Passphrase of the private key; empty for none.',
  },
  'tls.ca-file': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'tls-ca-cert-file',
    meaning: 'Authorities whose client certificates are accepted, as PEM.',
  },
  'tls.ca-dir': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'tls-ca-cert-dir',
    meaning:
      'Folder of further authorities: all its files that end in .pem, .crt or .cer, or are named by their hash.',
  },
  'tls.replication': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    config: 'tls-replication',
    meaning:
      'Links to a primary are made over TLS, to a certificate of the authorities of tls.ca-file and tls.ca-dir. Replicas come to the port of either kind.',
  },
  'tls.client-cert-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'Certificate that is shown to a primary, as PEM; empty for that of tls.cert-file.',
  },
  'tls.client-key-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'Its private key, as PEM; empty for that of tls.key-file.',
  },
  'tls.client-key-file-pass': {
    kind: text,
    default: '',
    effect: 'live',
    isSecret: true,
    meaning: 'Passphrase of that key; empty for none.',
  },
  'tls.client-certs': {
    kind: oneOf('none', 'optional', 'required'),
    default: 'none',
    effect: 'live',
    meaning:
      'Client certificates: none are asked for; optional ones are checked; required ones have to be there.',
  },
  'tls.client-certs-user': {
    kind: oneOf('off', 'cn'),
    default: 'off',
    effect: 'live',
    config: 'tls-auth-clients-user',
    meaning:
      'User as which a client certificate logs its client in: none (off), or the one of its common name (cn), if there is one that is on.',
  },
  'tls.protocols': {
    kind: chosenWords('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
    default: [],
    effect: 'live',
    meaning: 'Versions of TLS that are spoken; none named means TLSv1.2 and TLSv1.3.',
  },
  'tls.ciphers': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: "Ciphers up to TLSv1.2, as OpenSSL lists them; empty for Node's.",
  },
  'tls.ciphersuites': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: "Cipher suites of TLSv1.3, separated by colons; empty for Node's.",
  },
  'tls.prefer-server-ciphers': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    meaning: "Chooses by the server's order of ciphers, not by the client's.",
  },
  'tls.dh-params-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'Parameters of Diffie-Hellman exchanges, as PEM; empty for those of OpenSSL.',
  },
  'tls.session-caching': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Lets clients resume a session without a whole handshake.',
  },
  'tls.session-cache-size': {
    kind: integer(),
    default: 20_480,
    effect: 'live',
    meaning:
      'Most sessions kept for clients up to TLSv1.2 that take no tickets; 0 means no limit. Tickets are kept by clients.',
  },
  'tls.session-cache-timeout': {
    kind: seconds,
    default: 300,
    effect: 'live',
    meaning: 'Time for which a session can be resumed.',
  },
  'tls.handshake-timeout-ms': {
    kind: integer({ least: 1, most: 600_000, unit: 'milliseconds' }),
    default: 10_000,
    effect: 'live',
    meaning: 'Longest handshake; then the connection is closed.',
  },
  'tls.max-handshakes': {
    kind: integer({ least: 1, most: 1_000_000 }),
    default: 1_000,
    effect: 'live',
    meaning:
      'Handshakes under way at a time, for each thread that reads; a further one closes the oldest connection among them.',
  },
});
