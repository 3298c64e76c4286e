/** The token of viewers reads what is below /debug, and nothing else: by header, by cookie, from files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ChildServer, type HttpAnswer, type HttpAsking, request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const viewers = suite('token of viewers');

const TOKEN = 'token-of-owners';
const VIEWER_TOKEN = 'token-of-viewers';

let folder: string;
let server: ChildServer;

viewers.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-tokens-'));
  const fileOf = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    return file;
  };
  server = await startServer({
    http: true,
    shards: 1,
    environment: {
      SVC_HTTP__TOKEN_FILE: fileOf('token', TOKEN),
      SVC_HTTP__VIEWER_TOKEN_FILE: fileOf('viewer-token', VIEWER_TOKEN),
    },
  });
});
viewers.after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (target: string, asking: HttpAsking = {}): Promise<HttpAnswer> =>
  request(server.httpPort, target, asking);
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });
const JSON_TYPE = { 'content-type': 'application/json' };

/** Every path of the index with its methods. */
async function allPaths(): Promise<readonly (readonly [method: string, target: string])[]> {
  const { text } = await ask('/debug/paths', { headers: bearer(TOKEN) });
  const rows = [...text.matchAll(/<tr><td>([^<]+)<\/td><td>(?:<a [^>]*>)?([^<]+)/g)];
  return rows.flatMap(([, methods, target]) =>
    methods!.split(', ').map((method) => [method, target!] as const),
  );
}

function isRead(method: string, target: string): boolean {
  const isBelow = target.startsWith('/debug') && !target.startsWith('/debug/api/bundle/');
  return isBelow && (method === 'GET' || method === 'HEAD');
}

const OPEN = ['/debug/login', '/debug/logout', '/debug/login.css', '/debug/login.js'];

async function demandForbidden(method: string, target: string, headers: object): Promise<void> {
  const body = method === 'POST' ? { body: '{}' } : {};
  const answer = await ask(target, { method, headers: { ...JSON_TYPE, ...headers }, ...body });
  assert.is(answer.status, 403, `${method} ${target}`);
  const { error, message } = answer.json() as { error: string; message: string };
  assert.is(error, 'forbidden');
  assert.match(message, /http\.viewer-token reads .* http\.token does everything/);
}

viewers('every path is for viewers, or is not', async () => {
  const paths = await allPaths();
  assert.ok(paths.length > 40);
  let forbidden = 0;
  for (const [method, pattern] of paths) {
    if (OPEN.includes(pattern) || /^\/(health|ready|metrics|status|live)/.test(pattern)) continue;
    const target = pattern.replace(':id', 'x').replace('*', 'x');
    if (!isRead(method, target)) {
      if (method === 'HEAD') continue;
      await demandForbidden(method, target, bearer(VIEWER_TOKEN));
      forbidden += 1;
    } else {
      const { status } = await ask(target, { method, headers: bearer(VIEWER_TOKEN) });
      assert.ok([200, 304, 308, 404].includes(status), `${method} ${target}: ${status}`);
    }
  }
  assert.ok(forbidden > 15, `${forbidden} are forbidden`);
  await demandForbidden('GET', '/admin/none', bearer(VIEWER_TOKEN));
  await demandForbidden('GET', '/debug/../admin/health', bearer(VIEWER_TOKEN));
  await demandForbidden('PUT', '/debug/api/config', bearer(VIEWER_TOKEN));
});

viewers('what is forbidden is not done', async () => {
  const client = await server.client();
  const id = (await client.call('CLIENT', 'ID')) as number;
  const kill = (token: string): Promise<HttpAnswer> =>
    ask('/debug/api/clients/kill', {
      method: 'POST',
      headers: { ...JSON_TYPE, ...bearer(token) },
      body: `{"id":${id}}`,
    });
  assert.is((await kill(VIEWER_TOKEN)).status, 403);
  assert.is(await client.call('PING'), 'PONG');
  assert.is((await kill(TOKEN)).status, 200);
  await client.closed;
});

async function cookieOf(token: string): Promise<string> {
  const answer = await ask('/debug/login', { method: 'POST', body: `token=${token}` });
  assert.is(answer.status, 303);
  const [cookie = ''] = answer.headers['set-cookie'] ?? [];
  assert.not.ok(cookie.includes(token));
  return cookie.split(';')[0]!;
}

const scopeOf = async (headers: Record<string, string>): Promise<unknown> =>
  ((await ask('/debug/api/session', { headers })).json() as { scope: unknown }).scope;

viewers('the log-in takes either, and the cookie keeps what it stands for', async () => {
  const [all, viewer] = [await cookieOf(TOKEN), await cookieOf(VIEWER_TOKEN)];
  assert.is(await scopeOf({ cookie: all }), 'all');
  assert.is(await scopeOf({ cookie: viewer }), 'viewer');
  assert.is(await scopeOf(bearer(TOKEN)), 'all');
  assert.is(await scopeOf(bearer(VIEWER_TOKEN)), 'viewer');
  // Who has both has more.
  assert.is(await scopeOf({ cookie: viewer, ...bearer(TOKEN) }), 'all');
  assert.is(await scopeOf({ cookie: all, ...bearer(VIEWER_TOKEN) }), 'all');
  await demandForbidden('POST', '/debug/api/slowlog/reset', { cookie: viewer });
  await demandForbidden('GET', '/admin/health', { cookie: viewer });
  assert.is((await ask('/admin/health', { headers: { cookie: all } })).status, 200);
  const longer = viewer.replace(/=(\d+)/, (_, time: string) => `=${Number(time) + 1}`);
  assert.is((await ask('/debug/', { headers: { cookie: longer } })).status, 401);
});

viewers('what is nearly the token of viewers is none', async () => {
  for (const token of ['', 'x', VIEWER_TOKEN.slice(0, -1), `${VIEWER_TOKEN}x`]) {
    assert.is((await ask('/debug/', { headers: bearer(token) })).status, 401, token);
  }
});

viewers('without tokens everybody has everything', async () => {
  const open = await startServer({ http: true, shards: 1 });
  const answer = await request(open.httpPort, '/debug/api/session');
  assert.equal(answer.json(), { expires_time_ms: null, scope: 'all' });
  await open.stop();
});

viewers.run();
