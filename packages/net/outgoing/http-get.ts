/** Questions to the HTTP side of a server, whose answers are taken as they come. */

import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Bytes } from '#base';

interface HttpGetOptions {
  /** Bearer token; empty for none. */
  readonly token: string;
  /** Longest time without a byte, in milliseconds. */
  readonly idleMs: number;
  /** PEM texts of authorities, and of a certificate with its key; authorities of the system where there are none. */
  readonly authorities: readonly string[];
  readonly certificate: string;
  readonly key: string;
}

interface HttpReply {
  readonly status: number;
  /** Length in bytes as sent by the server; NaN if unknown. */
  readonly byteCount: number;
  /** Pieces of the body; throws if it is truncated. */
  readonly body: AsyncIterable<Bytes>;
}

/** Requests a document; rejects if there is no response. */
export function httpGet(url: string, options: HttpGetOptions): Promise<HttpReply> {
  const { token, idleMs, authorities, certificate, key } = options;
  const { protocol } = new URL(url);
  const isSecure = protocol === 'https:';
  return new Promise((resolve, reject) => {
    const asked = {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      timeout: idleMs,
      agent: false,
    } as const;
    const taken = (message: IncomingMessage): void => {
      resolve({
        status: message.statusCode ?? 0,
        byteCount: Number(message.headers['content-length'] ?? NaN),
        body: message,
      });
    };
    const sent = isSecure
      ? requestSecure(
          url,
          {
            ...asked,
            ...(authorities.length === 0 ? {} : { ca: [...authorities] }),
            ...(certificate === '' ? {} : { cert: certificate, key }),
            // Addresses of nodes change: the authority counts, as with links between them.
            ...(authorities.length === 0 ? {} : { checkServerIdentity: () => undefined }),
          },
          taken,
        )
      : requestPlain(url, asked, taken);
    sent.on('timeout', () => {
      sent.destroy(new Error(`no data received for ${idleMs} ms`));
    });
    sent.on('error', reject);
    sent.end();
  });
}
