/** HTTP responses, and the headers that every response has. */

import type { Readable } from 'node:stream';
import type { ErrorDocument } from '#api-types';

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
  /** Compressed forms of the body, by name of the encoding; the first is preferred. */
  readonly encodings?: Readonly<Record<string, Buffer>>;
}

export const JSON_TYPE = 'application/json; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const HTML_TYPE = 'text/html; charset=utf-8';

/**
 * Nothing but our own files, no script in a page's text, no framing: a name of a client that is shown
 * somewhere can then never become a program.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

/** A request that is refused, or cannot be done; thrown wherever that is found. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** More than the code that `message` is, for people. */
  readonly detail: string;

  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    detail = '',
  ) {
    super(message);
    this.detail = detail;
    this.status = status;
    this.headers = headers;
  }

  get answer(): Answer {
    const { detail } = this;
    const body: ErrorDocument = {
      error: this.message,
      ...(detail === '' ? {} : { message: detail }),
    };
    return { ...json(body, this.status), headers: this.headers };
  }
}

export function json(body: unknown, status = 200): Answer {
  return { status, type: JSON_TYPE, body: JSON.stringify(body) };
}

export function redirect(location: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 303, type: TEXT_TYPE, body: '', headers: { Location: location, ...headers } };
}
