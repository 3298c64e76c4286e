/** A plain HTTP client for tests: the path goes out as it is given, and nothing is followed. */

import http, { type IncomingHttpHeaders } from 'node:http';

const WAIT_MS_MAX = 60_000;

export interface HttpAsking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  json(): unknown;
}

/** Sends a request to this machine, on a connection of its own. */
export function request(port: number, path: string, asking: HttpAsking = {}): Promise<HttpAnswer> {
  const { method = 'GET', headers = {}, body } = asking;
  return new Promise((resolve, reject) => {
    const outgoing = http.request(
      { host: '127.0.0.1', port, path, method, headers, agent: false, timeout: WAIT_MS_MAX },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            bytes,
            text,
            json: () => JSON.parse(text) as unknown,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${path}`)));
    outgoing.end(body);
  });
}
