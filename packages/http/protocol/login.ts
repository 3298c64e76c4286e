/** Logging in with a browser: the token is given once, and a cookie made from it goes along from then on. */

import type { SessionDocument } from '#api-types';
import { HTML_TYPE, HttpError, json, redirect, type Answer } from './answer.ts';
import type { Access } from './access.ts';
import type { Exchange } from './exchange.ts';
import { flag } from './parameters.ts';
import { documentRoute, type Route } from './route.ts';

const ENDED = 'Your session has ended. Log in to return to your page.';

export function loginRoutes(access: Access): Route[] {
  return [
    {
      path: '/debug/login',
      about: 'Exchanges the token for a cookie.',
      isOpen: true,
      parameters: [flag('ended', 'The form says that a session has ended.')],
      media: 'text/html',
      methods: {
        GET: ({ query }) =>
          access.isTokenSet ? form(200, query.has('ended') ? ENDED : '') : redirect('/debug/'),
        POST: (exchange) => login(access, exchange),
      },
    },
    {
      path: '/debug/logout',
      about: 'Removes the cookie, and redirects to the log-in page.',
      isOpen: true,
      status: 303,
      methods: {
        POST: async (exchange) =>
          redirect('/debug/login', { 'Set-Cookie': await access.logOut(exchange) }),
      },
    },
    documentRoute(
      'session',
      'Permissions and expiry of the session of the caller.',
      (exchange): SessionDocument => ({
        expires_time_ms: access.sessionOf(exchange)?.endMs ?? null,
        scope: access.scopeOf(exchange),
      }),
    ),
  ];
}

async function login(access: Access, exchange: Exchange): Promise<Answer> {
  const isJson = exchange.header('content-type').startsWith('application/json');
  const text = (await exchange.body()).toString('utf8');
  const token = isJson ? tokenOfJson(text) : (new URLSearchParams(text).get('token') ?? '');
  const scope = access.isTokenSet ? await access.judge(token, exchange) : 'all';
  if (scope === undefined) {
    if (!isJson) return form(401, 'This is not the token.');
    throw new HttpError(401, 'unauthorized', { 'WWW-Authenticate': 'Bearer' });
  }
  const headers = access.isTokenSet ? { 'Set-Cookie': access.sessionCookie(exchange, scope) } : {};
  return isJson ? { ...json({ status: 'ok' }), headers } : redirect('/debug/', headers);
}

function tokenOfJson(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const token = (body as { token?: unknown } | null)?.token;
    if (typeof token === 'string') return token;
  } catch {
    // Reported below, together with a body of another shape.
  }
  throw new HttpError(400, 'the body must be {"token": "..."}');
}

function form(status: number, message: string): Answer {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>svc: log in</title>
<link rel="stylesheet" href="/debug/login.css">
<script src="/debug/login.js" defer></script>
<h1>svc</h1>
<p role="alert">${message}</p>
<form method="post" action="/debug/login">
<label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
<button>Log in</button>
</form>
</html>
`;
  return { status, type: HTML_TYPE, body };
}
