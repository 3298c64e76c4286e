/** Quantities of TLS: connections, and handshakes by what became of them. */

import { MAIN_COUNTER, MAIN_GAUGE } from './heads.ts';
import type { Quantity } from './quantity.ts';

const SECURED = {
  ...MAIN_COUNTER,
  help: 'Successful TLS handshakes, by TLS version.',
  metric: 'svc_tls_handshakes_total',
} as const;

const CIPHER = {
  ...MAIN_COUNTER,
  help: 'Successful TLS handshakes, by cipher; rare ciphers count as other.',
  metric: 'svc_tls_handshake_ciphers_total',
} as const;

const FAILED = {
  ...MAIN_COUNTER,
  help: 'Failed TLS handshakes, by reason.',
  metric: 'svc_tls_handshake_failures_total',
} as const;

export const TLS_QUANTITIES = {
  connections: [
    {
      ...MAIN_GAUGE,
      counter: 'tlsConnections',
      help: 'Open client connections with TLS.',
      metric: 'svc_tls_connections',
    },
    {
      ...MAIN_COUNTER,
      counter: 'tlsResumed',
      help: 'TLS handshakes that resumed a session.',
      metric: 'svc_tls_resumed_sessions_total',
    },
  ],
  /** End of the certificate of client connections in Unix milliseconds; 0 without TLS. */
  certificate: [{ ...MAIN_GAUGE, counter: 'tlsCertificateEndMs' }],
  versions: [
    { ...SECURED, counter: 'tlsV10', label: ['version', 'TLSv1'] },
    { ...SECURED, counter: 'tlsV11', label: ['version', 'TLSv1.1'] },
    { ...SECURED, counter: 'tlsV12', label: ['version', 'TLSv1.2'] },
    { ...SECURED, counter: 'tlsV13', label: ['version', 'TLSv1.3'] },
  ],
  ciphers: [
    { ...CIPHER, counter: 'tlsAes256', label: ['cipher', 'TLS_AES_256_GCM_SHA384'] },
    { ...CIPHER, counter: 'tlsAes128', label: ['cipher', 'TLS_AES_128_GCM_SHA256'] },
    { ...CIPHER, counter: 'tlsChacha20', label: ['cipher', 'TLS_CHACHA20_POLY1305_SHA256'] },
    {
      ...CIPHER,
      counter: 'tlsRsaAes128',
      label: ['cipher', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256'],
    },
    {
      ...CIPHER,
      counter: 'tlsRsaAes256',
      label: ['cipher', 'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384'],
    },
    {
      ...CIPHER,
      counter: 'tlsEcdsaAes128',
      label: ['cipher', 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'],
    },
    {
      ...CIPHER,
      counter: 'tlsEcdsaAes256',
      label: ['cipher', 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'],
    },
    { ...CIPHER, counter: 'tlsOtherCipher', label: ['cipher', 'other'] },
  ],
  failures: [
    { ...FAILED, counter: 'tlsTimedOut', label: ['reason', 'timeout'] },
    { ...FAILED, counter: 'tlsClosed', label: ['reason', 'closed'] },
    { ...FAILED, counter: 'tlsNoCertificate', label: ['reason', 'no-certificate'] },
    { ...FAILED, counter: 'tlsBadCertificate', label: ['reason', 'bad-certificate'] },
    { ...FAILED, counter: 'tlsWrongVersion', label: ['reason', 'version'] },
    { ...FAILED, counter: 'tlsNoCipher', label: ['reason', 'cipher'] },
    { ...FAILED, counter: 'tlsNotSpoken', label: ['reason', 'no-tls'] },
    { ...FAILED, counter: 'tlsBeyondLimit', label: ['reason', 'limit'] },
    { ...FAILED, counter: 'tlsOtherFailure', label: ['reason', 'other'] },
  ],
} as const satisfies Readonly<Record<string, readonly Quantity[]>>;
