/** Access over HTTP: who may ask for what, and the errors that wrong requests get. */
// test-tier: long
import { hostname } from 'node:os';
import {
  type ChildServer,
  type HttpAnswer,
  type HttpAsking,
  request,
  startServer,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const access = suite('HTTP access');

const TOKEN = 'a-token-of-the-test';

let closed: ChildServer;
let open: ChildServer;

access.before(async () => {
  closed = await startServer({ http: true, args: ['--set', `http.token=${TOKEN}`] });
  open = await startServer({ http: true });
});
access.after(async () => {
  await Promise.all([closed.stop(), open.stop()]);
});

const ask = (path: string, asking?: HttpAsking): Promise<HttpAnswer> =>
  request(closed.httpPort, path, asking);
const bearer = (token: string, scheme = 'Bearer'): HttpAsking => ({
  headers: { authorization: `${scheme} ${token}` },
});

access('leaves probes and the status open', async () => {
  for (const path of ['/health/live', '/health/ready', '/healthz', '/readyz', '/status/json']) {
    assert.is((await ask(path)).status, 200, path);
  }
});

const PROTECTED = [
  ...['/debug/', '/debug/api/config', '/admin/health', '/debug/none', '/debug'],
  ...['/debug/api/key-fates', '/debug/api/flight-recorder', '/debug/api/flight-recorder/kinds'],
  ...['/debug/api/scripts', '/debug/api/users', '/debug/api/logs'],
];

const refused: readonly (readonly [what: string, asking: HttpAsking])[] = [
  ['no token', {}],
  ['a wrong token', bearer('wrong')],
  ['a longer token', bearer(`${TOKEN}x`)],
  ['a beginning of the token', bearer(TOKEN.slice(0, -1))],
  ['an empty token', bearer('')],
  ['another scheme', bearer(TOKEN, 'Basic')],
  ['a made-up session', { headers: { cookie: `svc-token-9090=99999999999.${'0'.repeat(64)}` } }],
  ['the token as a cookie', { headers: { cookie: `svc-token-9090=${TOKEN}` } }],
];
for (const [what, asking] of refused) {
  access(`refuses ${what}`, async () => {
    for (const path of PROTECTED) {
      const answer = await ask(path, asking);
      assert.is(answer.status, 401, path);
      assert.is(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(answer.json(), { error: 'unauthorized' });
    }
  });
}

access('takes the token with any spelling of the scheme', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    assert.is((await ask('/debug/', bearer(TOKEN, scheme))).status, 200, scheme);
  }
  assert.is((await ask('/debug/none', bearer(TOKEN))).status, 404);
});

const disguised = [
  ...['//debug/', '/./debug/', '/x/../debug/', '/%64ebug/', '/debug%2f', '/healthz/../debug/'],
  ...[
    '/debug/../debug/',
    '/%2e%2e/debug/',
    '/debug/api/key-fates?key=/healthz',
    '/debug/login/../',
  ],
];
for (const path of disguised) {
  access(`sees through ${path}`, async () => {
    const answer = await ask(path);
    assert.is(answer.status, 401);
    assert.is((await ask(path, bearer(TOKEN))).status, 200);
  });
}

const misshapen: readonly (readonly [path: string, status: number])[] = [
  ['/%2564ebug/', 400],
  ['/%zz', 400],
  ['/debug%00/', 400],
  ['/..%5cdebug/', 400],
  [`/${'a'.repeat(3_000)}`, 414],
  ['*', 400],
  ['/none', 404],
  ['/Health/live', 404],
  ['/health/live/', 404],
];
for (const [path, status] of misshapen) {
  access(`answers ${status} to ${path.slice(0, 20)}`, async () => {
    const answer = await ask(path);
    assert.is(answer.status, status);
    assert.type((answer.json() as { error: string }).error, 'string');
  });
}

access('answers HEAD without a body, and names the methods there are', async () => {
  const head = await ask('/healthz', { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(head.headers['content-length'], String('{"status":"ok"}'.length));
  assert.is(head.bytes.length, 0);
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
    const answer = await ask('/healthz', { method });
    assert.is(answer.status, 405, method);
    assert.is(answer.headers.allow, 'GET, HEAD');
  }
  const unknown = await ask('/debug/logout');
  assert.equal([unknown.status, unknown.headers.allow], [405, 'POST']);
});

access('sends its security headers with everything', async () => {
  for (const path of ['/healthz', '/none', '/debug/', '/debug/login']) {
    const { headers } = await ask(path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /default-src 'self'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.not.match(policy, /unsafe/);
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.is(headers['x-frame-options'], 'DENY');
    assert.is(headers['cache-control'], 'no-store');
    assert.is(headers['access-control-allow-origin'], undefined);
  }
});

access('lets a browser log in once, and stay', async () => {
  const page = await ask('/debug/', { headers: { accept: 'text/html,*/*' } });
  assert.equal([page.status, page.headers.location], [303, '/debug/login']);
  const form = await ask('/debug/login');
  assert.match(form.text, /<form method="post" action="\/debug\/login">/);
  assert.not.match(form.text, /<script(?! src=)/);
  const wrong = await ask('/debug/login', { method: 'POST', body: 'token=wrong' });
  assert.is(wrong.status, 401);
  assert.is(wrong.headers['set-cookie'], undefined);
  const right = await ask('/debug/login', { method: 'POST', body: `token=${TOKEN}` });
  assert.equal([right.status, right.headers.location], [303, '/debug/']);
  const [cookie = ''] = right.headers['set-cookie'] ?? [];
  const name = `svc-token-${closed.httpPort}`;
  assert.is(cookie.slice(0, name.length), name);
  assert.match(
    cookie.slice(name.length),
    /^=\d+\.[0-9a-f]{64}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  );
  assert.not.ok(cookie.includes(TOKEN));
  const session = cookie.split(';')[0]!;
  assert.is((await ask('/debug/', { headers: { cookie: `a=b; ${session}` } })).status, 200);
  // A longer life than was given is a forgery.
  const forged = session.replace(/=(\d+)/, (_, time: string) => `=${Number(time) + 1}`);
  assert.is((await ask('/debug/', { headers: { cookie: forged } })).status, 401);
});

access('lets a program log in with JSON', async () => {
  const headers = { 'content-type': 'application/json' };
  const login = (body: string) => ask('/debug/login', { method: 'POST', headers, body });
  const right = await login(JSON.stringify({ token: TOKEN }));
  assert.equal([right.status, right.json()], [200, { status: 'ok' }]);
  assert.ok(right.headers['set-cookie']);
  assert.is((await login('{"token":"no"}')).status, 401);
  for (const body of ['', '{', 'null', '[]', '{"token":1}']) {
    assert.is((await login(body)).status, 400, body);
  }
  assert.is((await login(' '.repeat(20_000))).status, 413);
});

access('refuses what pages of other sites cause', async () => {
  const logout = (headers: Record<string, string>) =>
    request(open.httpPort, '/debug/logout', { method: 'POST', headers });
  assert.is((await logout({})).status, 303);
  assert.is((await logout({ 'sec-fetch-site': 'same-origin' })).status, 303);
  assert.is((await logout({ origin: `http://127.0.0.1:${open.httpPort}` })).status, 303);
  assert.is((await logout({ 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.is((await logout({ 'sec-fetch-site': 'same-site' })).status, 403);
  assert.is((await logout({ origin: 'http://evil.example' })).status, 403);
  assert.is((await logout({ origin: 'null' })).status, 403);
});

access('without a token, is nobody else by name', async () => {
  const page = (host: string) => request(open.httpPort, '/debug/', { headers: { host } });
  for (const host of ['127.0.0.1', 'localhost:9090', '[::1]:9090', 'a.localhost', '10.0.0.1']) {
    assert.is((await page(host)).status, 200, host);
  }
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:9090']) {
    assert.is((await page(host)).status, 403, host);
  }
  // Probes are public.
  const probe = await request(open.httpPort, '/healthz', { headers: { host: 'evil.example' } });
  assert.is(probe.status, 200);
});

access('without a token, off loopback too', async () => {
  const proxied = await startServer({
    http: true,
    args: [
      ...['--set', 'http.bind=0.0.0.0'],
      ...['--set', 'http.allowed-hosts=svc.example.com *.proxy.example'],
    ],
  });
  const ask = (path: string, host: string, method = 'GET') =>
    request(proxied.httpPort, path, { method, headers: { host } });
  const own = ['127.0.0.1', '192.0.2.1:80', 'localhost', hostname()];
  for (const host of [...own, 'svc.example.com:8443', 'a.proxy.example']) {
    for (const path of ['/debug/', '/debug/api/config', '/admin/health']) {
      assert.is((await ask(path, host)).status, 200, `${host} ${path}`);
    }
  }
  for (const host of ['evil.example', 'example.com', 'svc.example.com.evil.example']) {
    for (const path of ['/debug/', '/debug/api/config', '/admin/health', '/debug/none']) {
      const answer = await ask(path, host);
      assert.is(answer.status, 403, `${host} ${path}`);
      assert.is(
        (answer.json() as { error: string }).error,
        'the host of the request is not this server',
      );
    }
    assert.is((await ask('/admin/shutdown', host, 'POST')).status, 403);
    for (const path of ['/metrics', '/status/json', '/healthz']) {
      assert.is((await ask(path, host)).status, 200, `${host} ${path}`);
    }
  }
  const client = await proxied.client();
  await client.call('CONFIG', 'SET', 'http-allowed-hosts', 'evil.example');
  await until(async () => (await ask('/debug/', 'evil.example')).status === 200, 'it is allowed');
  const wrong = await client.reply('CONFIG', 'SET', 'http-allowed-hosts', 'a:80');
  assert.match((wrong as Error).message, /names of hosts without a port/);
  await proxied.stop();
});

interface StatusKeys {
  readonly shards: readonly {
    readonly executing: { readonly command: string; readonly key: string | null } | null;
  }[];
}

access('the status names no key to somebody else by name', async () => {
  const client = await open.client({ waitMs: 60_000 });
  const [one, other] = ['{key}:of the test', '{key}:of the test too'];
  await client.call('MSET', one, 'ab'.repeat(2_500), other, 'ba'.repeat(2_500));
  const executing = async (host: string) => {
    const answer = await request(open.httpPort, '/status/json', { headers: { host } });
    assert.is(answer.status, 200);
    return (answer.json() as StatusKeys).shards.flatMap((shard) => shard.executing ?? []);
  };
  // Which takes a while, at the square of their lengths.
  const slow = client.pipeline(Array.from({ length: 20 }, () => ['LCS', one, other, 'LEN']));
  await until(async () => (await executing('localhost'))[0]?.key === one, 'the key is told');
  let found: Awaited<ReturnType<typeof executing>> = [];
  await until(async () => (found = await executing('evil.example')).length > 0, 'LCS is told');
  assert.equal(
    found.map(({ command, key }) => [command, key]),
    [['lcs', null]],
  );
  await slow;
});

access('slows down who guesses the token, and says so once a second', async () => {
  const guarded = await startServer({ http: true, args: ['--set', `http.token=${TOKEN}`] });
  const api = (token: string) => request(guarded.httpPort, '/debug/api/config', bearer(token));
  const login = (token: string) =>
    request(guarded.httpPort, '/debug/login', { method: 'POST', body: `token=${token}` });
  const guessed = Promise.all(
    Array.from({ length: 60 }, (_, nth) => (nth % 2 === 0 ? api : login)(`guess-${nth}`)),
  );
  // The token itself is taken meanwhile.
  for (let nth = 0; nth < 5; nth += 1) assert.is((await api(TOKEN)).status, 200);
  const guesses = await guessed;
  assert.is((await api(TOKEN)).status, 200);
  const judged = guesses.filter(({ status }) => status === 401).length;
  const refused = guesses.filter(({ status }) => status === 429);
  assert.is(judged + refused.length, 60);
  assert.ok(judged < 30, `${judged} of 60 were judged`);
  assert.equal(refused[0]?.json(), { error: 'too many wrong tokens' });
  assert.match(String(refused[0]?.headers['retry-after']), /^\d+$/);
  const lines = guarded.stdout.match(/http-wrong-token/g) ?? [];
  assert.ok(lines.length >= 1 && lines.length < 20, `${lines.length} lines`);
  assert.not.match(guarded.stdout, /guess-/);
  await guarded.stop();
});

access('servers beside each other do not log each other out', async () => {
  const other = await startServer({ http: true, args: ['--set', `http.token=${TOKEN}`] });
  const cookies = await Promise.all(
    [closed, other].map(async ({ httpPort }) => {
      const answer = await request(httpPort, '/debug/login', {
        method: 'POST',
        body: `token=${TOKEN}`,
      });
      return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    }),
  );
  // A browser sends what any port of a host has set, a name once.
  const jar = new Map(cookies.map((cookie) => [cookie.split('=')[0], cookie]));
  assert.is(jar.size, 2);
  const headers = { cookie: [...jar.values()].join('; ') };
  for (const { httpPort } of [closed, other]) {
    assert.is((await request(httpPort, '/debug/', { headers })).status, 200);
  }
  await other.stop();
});

access('shows where everything is', async () => {
  const { text } = await request(open.httpPort, '/debug/paths');
  assert.match(text, /<a href="\/status\/json">/);
  assert.not.match(text, /<script|style=|onclick/);
  const debug = await request(open.httpPort, '/debug');
  assert.equal([debug.status, debug.headers.location], [308, '/debug/']);
});

access.run();
