/** What the pages have of the browser beside the document: its clock, its storage, requests. */

/** A request the server has refused or could not answer, in its own words. */
class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Longest wait for an answer; main may be busy for a second before the server says so. */
const ANSWER_MS_MAX = 5_000;

export async function get<T>(path: string): Promise<T> {
  return call<T>(path, { headers: { accept: 'application/json' } });
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  return call<T>(path, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function call<T>(path: string, init: RequestInit): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(path, { ...init, signal, credentials: 'same-origin' });
  if (response.status === 401) {
    location.assign('/debug/login');
    throw new ApiError(401, 'log in first');
  }
  if (!response.ok) throw new ApiError(response.status, await reasonOf(response));
  return (await response.json()) as T;
}

/** The file that is answered, with the name the server gives it. */
export async function download(path: string): Promise<{ blob: Blob; name: string }> {
  const response = await fetch(path, { credentials: 'same-origin' });
  if (!response.ok) throw new ApiError(response.status, await reasonOf(response));
  const header = response.headers.get('content-disposition') ?? '';
  const name = /filename="?([\w.-]+)"?/.exec(header)?.[1] ?? 'svc-bundle.tar.gz';
  return { blob: await response.blob(), name };
}

/** Gives a file to whoever looks at the page. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

async function reasonOf(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: unknown; message?: unknown } | null;
    const parts = [body?.error, body?.message].filter((part) => typeof part === 'string');
    if (parts.length > 0) return parts.join(': ');
  } catch {
    // What is no JSON has no reason in it.
  }
  return `the server answered ${response.status}`;
}

/** What to tell of anything that was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return 'the server did not answer in time';
  }
  if (error instanceof TypeError) return 'the server cannot be reached';
  return error instanceof Error ? error.message : String(error);
}

export function nowMs(): number {
  return performance.now();
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
