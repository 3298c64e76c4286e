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
    meaning: 'Listens for TLS connections on the addresses of server.bind.',
  },
  'tls.port': {
    kind: integer({ least: 1, most: 65_535 }),
    default: 6380,
    effect: 'live',
    meaning: 'TCP port for TLS connections, if tls.enabled is set.',
    // Not Redis' tls-port, which is 0 while TLS is off.
    config: 'tls-listener-port',
  },
  'tls.cert-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: "File with the server's certificate (PEM), followed by the intermediate certificates.",
  },
  'tls.key-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'File with the private key of the certificate (PEM).',
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
    meaning: 'File with the certificate authorities for client certificates (PEM).',
  },
  'tls.ca-dir': {
    kind: text,
    default: '',
    effect: 'live',
    config: 'tls-ca-cert-dir',
    meaning:
      'Folder with further certificate authorities: files that end in .pem, .crt or .cer, or are named by their hash.',
  },
  'tls.replication': {
    kind: yesOrNo,
    default: false,
    effect: 'live',
    config: 'tls-replication',
    meaning:
      'Connects to the primary over TLS, whose certificate must be signed by an authority of tls.ca-file or tls.ca-dir. Replicas may connect to either port.',
  },
  'tls.client-cert-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning:
      'File with the client certificate for links to a primary (PEM); empty for tls.cert-file.',
  },
  'tls.client-key-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'File with the private key of the client certificate (PEM); empty for tls.key-file.',
  },
  'tls.client-key-file-pass': {
    kind: text,
    default: '',
    effect: 'live',
    isSecret: true,
    meaning: 'Passphrase of the private key of the client certificate; empty for none.',
  },
  'tls.client-certs': {
    kind: oneOf('none', 'optional', 'required'),
    default: 'none',
    effect: 'live',
    meaning:
      'Client certificates: none are requested, optional ones are verified if present, required ones must be present.',
  },
  'tls.client-certs-user': {
    kind: oneOf('off', 'cn'),
    default: 'off',
    effect: 'live',
    config: 'tls-auth-clients-user',
    meaning:
      'User to which a client certificate authenticates: none (off), or the enabled user named by its common name (cn).',
  },
  'tls.protocols': {
    kind: chosenWords('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
    default: [],
    effect: 'live',
    meaning: 'Enabled TLS versions; empty means TLSv1.2 and TLSv1.3.',
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
    meaning: "Selects the cipher by the server's order instead of the client's.",
  },
  'tls.dh-params-file': {
    kind: text,
    default: '',
    effect: 'live',
    meaning: 'File with Diffie-Hellman parameters (PEM); empty for those of OpenSSL.',
  },
  'tls.session-caching': {
    kind: yesOrNo,
    default: true,
    effect: 'live',
    meaning: 'Lets clients resume TLS sessions without a full handshake.',
  },
  'tls.session-cache-size': {
    kind: integer(),
    default: 20_480,
    effect: 'live',
    meaning:
      'Maximum number of cached sessions of clients up to TLSv1.2 without tickets; 0 means no limit. Tickets are stored by clients.',
  },
  'tls.session-cache-timeout': {
    kind: seconds,
    default: 300,
    effect: 'live',
    meaning: 'Time for which a TLS session can be resumed.',
  },
  'tls.handshake-timeout-ms': {
    kind: integer({ least: 1, most: 600_000, unit: 'milliseconds' }),
    default: 10_000,
    effect: 'live',
    meaning: 'Maximum duration of a TLS handshake, after which the connection is closed.',
  },
  'tls.max-handshakes': {
    kind: integer({ least: 1, most: 1_000_000 }),
    default: 1_000,
    effect: 'live',
    meaning:
      'Maximum number of concurrent TLS handshakes of each reading thread; a further one closes the oldest of these connections.',
  },
});
