/** One request as the handlers see it: its path is already normal, its query parsed, its body bounded. */

import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { HttpError } from './answer.ts';

/** Longest path with its query. */
const URL_CHARS_MAX = 2_048;
/** Maximum size of a request body. */
const BODY_BYTES_MAX = 16 * 1_024;

interface Target {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The query as it was sent, for what is no text. */
  readonly search: string;
}

/**
 * Reads a request's target. The path is decoded once and freed of `.`, `..` and empty parts before
 * anybody judges it, so that who may see it is decided on what will be shown.
 */
export function targetOf(url: string): Target {
  if (url.length > URL_CHARS_MAX) throw new HttpError(414, 'the path is too long');
  const question = url.indexOf('?');
  const raw = question < 0 ? url : url.slice(0, question);
  const search = question < 0 ? '' : url.slice(question + 1);
  const query = new URLSearchParams(search);
  if (!raw.startsWith('/')) throw new HttpError(400, 'the path must begin with a slash');
  let decoded: string;
  try {
    decoded = decodeURIComponent(raw);
  } catch {
    throw new HttpError(400, 'the path is not well encoded');
  }
  // A second decoding anywhere behind us must find nothing; nor is any of these in a path of ours.
  if (/[%\\\0-\x1f\x7f]/.test(decoded))
    throw new HttpError(400, 'the path has forbidden characters');
  return { path: path.posix.normalize(decoded.replace(/^\/+/, '/')), query, search };
}

export class Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly search: string;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly #request: IncomingMessage;

  constructor(
    request: IncomingMessage,
    target: Target,
    params: Readonly<Record<string, string | undefined>>,
  ) {
    this.#request = request;
    this.method = request.method ?? 'GET';
    this.path = target.path;
    this.query = target.query;
    this.search = target.search;
    this.params = params;
  }

  /** The peer, which may be a proxy. */
  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '?';
  }

  get localPort(): number {
    return this.#request.socket.localPort ?? 0;
  }

  /** True over HTTPS. */
  get isSecure(): boolean {
    return 'encrypted' in this.#request.socket;
  }

  header(name: string): string {
    const value = this.#request.headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? '');
  }

  /** Reads the whole body, which may be short only. */
  async body(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of this.#request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > BODY_BYTES_MAX) {
          throw new HttpError(413, `the body is longer than ${BODY_BYTES_MAX} bytes`);
        }
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof HttpError) throw error;
      // The client has disconnected: no response can be sent.
      throw new HttpError(400, 'the body is incomplete');
    }
    return Buffer.concat(chunks);
  }
}
