/** One vocabulary for all JSON over HTTP, and no query parameter that is passed over. */
import { type ChildServer, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const vocabulary = suite('HTTP vocabulary');

/** Forbidden names, and the names to use instead. */
const NOT: readonly (readonly [name: RegExp, instead: string])[] = [
  [/^shard_id$/, 'shard'],
  [/_secs$/, '*_seconds'],
  [/^timestamp/, '*time_ms'],
  [/(^|_)unix_/, '*time_ms'],
  [/(^|_)time_us$/, '*time_ms, or a duration: *_us'],
  [/^(start|end|created|expires)(_at|_us|_ms)$/, '*_time_ms'],
  [/latency_(us|ms)$/, '*_us'],
  [
    /^(input_bytes|output_bytes|bytes_recv|bytes_sent|received_bytes|sent_bytes)$/,
    'bytes_in, bytes_out',
  ],
  [/[A-Z-]/, 'lower case, words joined by _'],
];

/** Named by the specification, or by what was decided on it. */
const NAMED: readonly (readonly [path: RegExp, names: readonly string[]])[] = [
  [/status\/json|api\/live/, ['uptime_secs', 'timestamp', 'timestamp_iso', 'last_timestamp']],
  [/api\/clients/, ['age_secs', 'idle_secs', 'bytes_recv', 'bytes_sent']],
  [/api\/slowlog/, ['timestamp']],
  [/api\/shard-stats/, ['shard_id']],
  [/api\/bundle\/list/, ['created_at', 'expires_at']],
  [/api\/hotkeys$/, ['total_cpu_time_us']],
  [/api\/scripts/, ['time_us']],
  [/api\/users/, ['time_us']],
];

/** Names below these are data: settings, labels, commands, bands, attributes, fields of log records. */
const DATA = new Set(['defaults', 'labels', 'attributes', 'bands', 'counts', 'fields']);

/** Hexadecimal. */
const IDS = ['trace_id', 'span_id', 'parent_id'];

/** Texts under these names may look like numbers. */
const TEXTS = new Set([
  'value',
  'default',
  'args',
  'key',
  'version',
  'le',
  'name',
  'lib_ver',
  ...IDS,
]);

let server: ChildServer;
let client: RespClient;
/** Paths of every GET below the debug API and administration, as the index lists them. */
let paths: readonly string[];

vocabulary.before(async () => {
  const args = [
    'tracing.enabled=true',
    'latency-bands.enabled=true',
    'hotkeys.window-enabled=true',
  ];
  server = await startServer({
    http: true,
    shards: 2,
    args: [
      ...args.flatMap((each) => ['--set', each]),
      ...['--set', 'hotkeys.window-seconds=1', '--set', 'slowlog.log-slower-than=0'],
    ],
  });
  client = await server.client();
  await client.call('HOTKEYS', 'START', 'METRICS', 2, 'cpu', 'net');
  await client.call('CONFIG', 'SET', 'key-prefixes', 'key:');
  const commands = Array.from({ length: 20 }, (_, nth) => [
    ['SET', `key:${nth}`, 'v'],
    ['DEL', `key:${nth}`],
  ]);
  await client.pipeline(commands.flat());
  await client.call('DEBUG', 'SLEEP', '0.02');
  await client.call('EVAL', 'return 1', 0);
  await request(server.httpPort, '/debug/api/bundle/generate');
  const index = (await request(server.httpPort, '/debug/paths')).text;
  paths = [...index.matchAll(/<td>GET[^<]*<\/td><td>(?:<a [^>]*>)?([^<]+)/g)].map(
    ([, path]) => path!,
  );
});
vocabulary.after(async () => {
  await server.stop();
});

/** Every name in a document, with its path and its value; what is data is left out. */
function* namesIn(
  value: unknown,
  at: string,
): Generator<[at: string, name: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) yield* namesIn(each, `${at}[]`);
    return;
  }
  for (const [name, each] of Object.entries(value)) {
    yield [`${at}.${name}`, name, each];
    if (!DATA.has(name)) yield* namesIn(each, `${at}.${name}`);
  }
}

function faultsOf(path: string, document: unknown): string[] {
  const named = NAMED.filter(([of]) => of.test(path)).flatMap(([, names]) => names);
  const faults = [...namesIn(document, path)]
    .filter(([, name]) => !named.includes(name))
    .flatMap(([at, name, value]) => [
      ...NOT.filter(([wrong]) => wrong.test(name)).map(([, instead]) => `${at}: ${instead}`),
      ...valueFaults(name, value).map((fault) => `${at} ${fault}: ${JSON.stringify(value)}`),
    ]);
  return [...new Set(faults)];
}

function valueFaults(name: string, value: unknown): string[] {
  const isTime = /(^|_)time_ms$/.test(name);
  const isQuoted = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value);
  return [
    ...(name === 'missing_shards' && !Array.isArray(value) ? ['is no list'] : []),
    ...(isTime && value !== null && !isUnixMs(value) ? ['is no Unix time'] : []),
    ...(isQuoted && !TEXTS.has(name) ? ['is a number in quotes'] : []),
  ];
}

function isUnixMs(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value - Date.now()) < 24 * 3_600_000;
}

vocabulary('every document keeps to it', async () => {
  const windowed = async (): Promise<boolean> => {
    await client.call('SET', 'key:1', 'v');
    return (await request(server.httpPort, '/debug/api/hotkeys/window')).text.includes('key:1');
  };
  await until(windowed, 'a whole window has a key');
  const sampled = async (): Promise<boolean> => {
    const answer = (await request(server.httpPort, '/debug/api/live')).json() as {
      samples: { after_ms: unknown[] };
    };
    return answer.samples.after_ms.length >= 2;
  };
  await until(sampled, 'a second was sampled');
  const documents = paths.filter(
    (path) => /^\/(debug\/api|admin|status)\//.test(path) && !/[:*]/.test(path),
  );
  assert.ok(documents.length > 20, documents.join(' '));
  const faults: string[] = [];
  for (const path of documents) {
    if (path.endsWith('bundle/generate')) continue;
    const answer = await request(server.httpPort, path);
    assert.is(answer.status, 200, path);
    faults.push(...faultsOf(path, answer.json()));
  }
  assert.equal(faults, []);
});

vocabulary(
  'what shards are asked for names those that are missing, also when none is',
  async () => {
    const listOf = async (path: string): Promise<unknown> => {
      const document = (await request(server.httpPort, path)).json() as Record<string, unknown>;
      return document['missing_shards'];
    };
    for (const path of ['slowlog', 'shard-stats', 'key-fates', 'hotkeys', 'scripts']) {
      assert.equal(await listOf(`/debug/api/${path}`), [], path);
    }
    await client.call('HOTKEYS', 'STOP');
    await client.call('HOTKEYS', 'RESET');
    const idle = (await request(server.httpPort, '/debug/api/hotkeys')).json() as object;
    assert.equal(
      Object.entries(idle).filter(([, value]) => value === undefined),
      [],
    );
    assert.is((idle as { count: unknown }).count, null, 'what does not apply is null');
  },
);

vocabulary(
  'a query parameter that is not known is refused everywhere but where it is always 200',
  async () => {
    for (const path of paths) {
      if (/[:*]/.test(path)) continue;
      const answer = await request(server.httpPort, `${path}?nonsense=1`);
      if (path === '/metrics') {
        assert.is(answer.status, 200);
        continue;
      }
      assert.is(answer.status, 400, path);
      assert.match(
        answer.text,
        /^\{"error":"unknown parameter","message":"\\"nonsense\\"; known: /,
      );
    }
    const known = await request(server.httpPort, '/debug/api/slowlog?count=1&cuont=2');
    assert.is(
      known.text,
      '{"error":"unknown parameter","message":"\\"cuont\\"; known: count, kind"}',
    );
    const post = await request(server.httpPort, '/admin/shutdown?saev=true', { method: 'POST' });
    assert.is(post.status, 400);
    assert.is(await client.call('PING'), 'PONG');
  },
);

vocabulary.run();
