/** Browser functions of the pages beside the document: clock, storage, requests. */

import type { Failure } from '../model/freshness.ts';

/** A request the server has refused or could not answer, in its own words. */
class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Timeout of requests: the server itself reports a busy main thread after a second. */
const ANSWER_MS_MAX = 5_000;
const NOT_LOGGED_IN = 401;
const NOT_MODIFIED = 304;
const NOT_FOUND = 404;

/** A response with its ETag, for conditional requests. */
export interface Tagged<T> {
  readonly body: T;
  readonly tag: string | null;
}

/** Asks for a document; answers `before` itself when it has not changed. */
export async function get<T>(path: string, before: Tagged<T> | null = null): Promise<Tagged<T>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (typeof before?.tag === 'string') headers['if-none-match'] = before.tag;
  const response = await call(path, { headers });
  if (response.status === NOT_MODIFIED && before !== null) return before;
  return { body: (await response.json()) as T, tag: response.headers.get('etag') };
}

/** Sends a request with a JSON body. With `keepalive` the browser sends it also while the page is closed. */
export async function post<T>(path: string, body: unknown = {}, keepalive = false): Promise<T> {
  const response = await call(path, {
    method: 'POST',
    keepalive,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await response.json()) as T;
}

async function call(path: string, init: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(path, { ...init, signal, credentials: 'same-origin' });
  if (response.ok || response.status === NOT_MODIFIED) return response;
  throw new ApiError(response.status, await reasonOf(response));
}

/** The file that is answered, with the name the server gives it. */
export async function download(path: string): Promise<{ blob: Blob; name: string }> {
  const response = await fetch(path, { credentials: 'same-origin' });
  if (!response.ok) throw new ApiError(response.status, await reasonOf(response));
  const header = response.headers.get('content-disposition') ?? '';
  const name = /filename="?([\w.-]+)"?/.exec(header)?.[1] ?? 'svc-bundle.tar.gz';
  return { blob: await response.blob(), name };
}

/** Downloads a file in the browser. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

async function reasonOf(response: Response): Promise<string> {
  if (response.status === NOT_LOGGED_IN) return 'your session has ended';
  try {
    const body = (await response.json()) as { error?: unknown; message?: unknown } | null;
    const parts = [body?.error, body?.message].filter((part) => typeof part === 'string');
    if (parts.length > 0) return parts.join(': ');
  } catch {
    // What is no JSON has no reason in it.
  }
  return `the server returned status ${response.status}`;
}

/** True when the server does not have what was asked for. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === NOT_FOUND;
}

/** Returns the failure to show for anything that was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof ApiError) {
    const isForbidden = error.status === NOT_LOGGED_IN || error.status === 403;
    return { kind: isForbidden ? 'forbidden' : 'refused', message: error.message };
  }
  return { kind: 'unreachable', message: messageOf(error) };
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'the server did not reply in time';
  }
  if (error instanceof TypeError) return 'the server cannot be reached';
  return error instanceof Error ? error.message : String(error);
}

export function nowMs(): number {
  return performance.now();
}

/** Unix milliseconds by the clock of the reader. */
export function wallMs(): number {
  return Date.now();
}

/** Something to remember in this browser; private windows may refuse. */
export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(`svc.${name}`, value);
  } catch {
    // It is asked again next time.
  }
}

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`svc.${name}`);
  } catch {
    return null;
  }
}
