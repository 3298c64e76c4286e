/** The debug API and administration: the shape of every document, and that no secret is in any. */
import {
  type ChildServer,
  request,
  type RespClient,
  startServer,
  until,
  untilShardsSleep,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const api = suite('HTTP debug API');

let server: ChildServer;
let client: RespClient;

api.before(async () => {
  server = await startServer({ http: true, shards: 2 });
  client = await server.client();
  await client.call('CLIENT', 'SETNAME', '<b>bold</b>');
  await client.pipeline(Array.from({ length: 50 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
  await client.call('CONFIG', 'SET', 'latency-bands-enabled', 'yes');
  await client.call('GET', 'key:1');
  await client.call('EVAL', 'return 1', 0);
  await client.pipeline([
    ['RPUSH', 'gone', 'v'],
    ['DEL', 'gone'],
    ['SELECT', 9],
    ['RPUSH', 'gone', 'v'],
    ['FLUSHDB'],
    ['SELECT', 0],
  ]);
});
api.after(async () => {
  await server.stop();
});

/** Expected shape of a value: a type's name, one of several, an object's shape, or a list of one shape. */
type Shape = string | readonly Shape[] | { readonly [name: string]: Shape };

/** Returns the paths at which the value does not have the shape. */
function faults(value: unknown, shape: Shape, at = '$'): string[] {
  if (typeof shape === 'string') {
    const type = value === null ? 'null' : typeof value;
    return shape.split('|').includes(type) ? [] : [`${at} is ${type}, not ${shape}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    const [each = 'never'] = shape as readonly Shape[];
    return value.flatMap((one, index) => faults(one, each, `${at}[${index}]`));
  }
  if (typeof value !== 'object' || value === null) return [`${at} is no object`];
  const names = Object.keys(shape).filter((name) => name !== '*');
  const own = Object.keys(value);
  const every = (shape as Record<string, Shape>)['*'];
  const extra = every === undefined ? own.filter((name) => !names.includes(name)) : [];
  return [
    ...extra.map((name) => `${at}.${name} is not in the shape`),
    ...names.flatMap((name) =>
      faults(
        (value as Record<string, unknown>)[name],
        (shape as Record<string, Shape>)[name]!,
        `${at}.${name}`,
      ),
    ),
    ...(every === undefined
      ? []
      : own.flatMap((name) =>
          faults((value as Record<string, unknown>)[name], every, `${at}.${name}`),
        )),
  ];
}

const SERVER: Shape = {
  version: 'string',
  role: 'string',
  uptime_seconds: 'number',
  num_shards: 'number',
  connected_replicas: 'number',
  master_host: 'null|string',
  master_port: 'null|number',
  replication_offset: 'number',
  bind_addr: 'string',
  port: 'number',
};

const shapes: readonly (readonly [path: string, shape: Shape])[] = [
  ['/debug/api/server', SERVER],
  ['/debug/api/cluster', SERVER],
  ['/debug/api/cluster/overview', { enabled: 'boolean' }],
  [
    '/debug/api/config',
    {
      entries: [
        {
          name: 'string',
          value: 'string',
          source: 'string',
          mutable: 'boolean',
          description: 'string',
        },
      ],
    },
  ],
  [
    '/debug/api/metrics',
    {
      metrics: [
        {
          name: 'string',
          kind: 'string',
          unit: 'string',
          help: 'string',
          samples: [{ labels: { '*': 'string' }, '*': 'number|object' }],
        },
      ],
    },
  ],
  [
    '/debug/api/clients',
    {
      clients: [
        {
          id: 'number',
          addr: 'string',
          name: 'string',
          user: 'string',
          lib_name: 'string',
          lib_ver: 'string',
          age_secs: 'number',
          idle_secs: 'number',
          flags: 'string',
          db: 'number',
          commands_total: 'number',
          bytes_recv: 'number',
          bytes_sent: 'number',
          output_buffer_bytes: 'number',
          last_command: 'string',
          pending_commands: 'number',
          blocked: 'null',
          query_buffer_bytes: 'number',
          multi_buffer_bytes: 'number',
          memory_bytes: 'number',
          queued_commands: 'null',
          watched_keys: 'number',
          subscriptions: 'number',
          resp: 'number',
          tls: 'null',
        },
      ],
    },
  ],
  [
    '/debug/api/shard-stats',
    {
      shards: [
        {
          shard_id: 'number',
          state: 'string',
          keys: 'number',
          memory_bytes: 'number',
          peak_memory_bytes: 'number',
          hot_keys: 'number',
          warm_keys: 'number',
          queue_depth: 'number',
          queue_bytes: 'number',
          ops_total: 'number',
          ops_per_sec: 'number',
          busy_percent: 'number',
        },
      ],
      missing_shards: ['number'],
    },
  ],
  [
    '/debug/api/slowlog',
    {
      kind: 'string',
      entries: [
        {
          id: 'number',
          timestamp: 'number',
          duration_us: 'number',
          size_bytes: 'number|null',
          command: 'string',
          args: ['string'],
          client_addr: 'string',
          client_name: 'string',
          shard: 'number|null',
          queue_us: 'number',
          durable_us: 'number',
          fetch_us: 'number',
        },
      ],
      main_missing: 'boolean',
      missing_shards: ['number'],
    },
  ],
  [
    '/debug/api/latency',
    {
      events: [
        {
          event: 'string',
          latest_us: 'number',
          min_us: 'number',
          max_us: 'number',
          avg_us: 'number',
          samples: 'number',
        },
      ],
      bands: { '*': 'number' },
      windows: { '*': 'object|null' },
      commands: [
        {
          command: 'string',
          calls: 'number',
          p50_us: 'number',
          p99_us: 'number',
          p999_us: 'number',
          max_us: 'number',
          windows: { '*': 'object|null' },
        },
      ],
    },
  ],
  [
    '/debug/api/scripts',
    {
      scripts: [
        {
          name: 'string',
          kind: 'string',
          calls: 'number',
          errors: 'number',
          time_us: 'number',
          p50_us: 'number',
          p99_us: 'number',
          max_us: 'number',
          keys: 'number',
          commands: 'number',
          calls_on_main: 'number',
          barrier_runs: 'number',
          killed: 'number',
          source_bytes: 'number',
          source: 'string|null',
        },
      ],
      kept: 'number',
      running: [],
      missing_shards: [],
    },
  ],
  [
    '/debug/api/users',
    {
      users: [
        {
          name: 'string',
          flags: ['string'],
          rules: 'string',
          rules_in_words: ['string'],
          connections: 'number',
          commands: 'number',
          errors: 'number',
          time_us: 'number',
          bytes_in: 'number',
          bytes_out: 'number',
          denied: { auth: 'number', command: 'number', key: 'number', channel: 'number' },
          limited: { commands: 'number', bytes: 'number' },
          limits: { commands_per_sec: 'number|null', bytes_per_sec: 'number|null' },
          clients: ['number'],
        },
      ],
      defined: 'number',
      others: 'null',
      denials: [],
    },
  ],
  [
    '/debug/api/logs?count=1',
    {
      lines: [
        {
          number: 'number',
          time_ms: 'number',
          level: 'string',
          thread: 'string',
          event: 'string',
          message: 'string',
          fields: { '*': 'string|number|boolean|null' },
        },
      ],
      last: 'number',
      missed: 'number',
      dropped: 'number',
      threads: ['string'],
      events: ['string'],
    },
  ],
  [
    '/debug/api/key-fates',
    {
      recording: {
        enabled: 'boolean',
        setting: 'string',
        max_len: 'number',
        overwritten: 'boolean',
        overwritten_setting: 'string',
      },
      counts: { '*': 'number' },
      kept: 'number|null',
      removed_keys: [
        {
          id: 'number',
          time_ms: 'number',
          db: 'number',
          shard: 'number',
          reason: 'string',
          key: 'string|null',
          binary: 'boolean',
          cut: 'boolean',
          key_bytes: 'number|null',
          keys: 'number',
          command: 'string|null',
          client_id: 'number|null',
          client_addr: 'string|null',
          client_name: 'string|null',
          user: 'string|null',
        },
      ],
      missing_shards: ['number'],
    },
  ],
  [
    '/debug/api/flight-recorder',
    {
      threads: [{ thread: 'string', recorded: 'number', kept: 'number' }],
      entries: [
        { time_ms: 'number', thread: 'string', event: 'string', '*': 'number|string|null' },
      ],
    },
  ],
  ['/debug/api/flight-recorder/kinds', { kinds: [{ event: 'string', about: 'string' }] }],
  [
    '/debug/api/config/defaults',
    {
      defaults: { '*': 'string' },
      settings: [
        {
          name: 'string',
          config_name: 'string',
          section: 'string',
          allowed: 'string',
          unit: 'string|null',
          default: 'string',
        },
      ],
    },
  ],
  [
    '/debug/api/latency/history',
    { events: [{ event: 'string', samples: [{ time_ms: 'number', max_us: 'number' }] }] },
  ],
  [
    '/debug/api/traces',
    {
      tracing: {
        enabled: 'boolean',
        sampling_rate: 'number',
        keep_slow_ms: 'number',
        keep_failed: 'boolean',
      },
      traces: ['object'],
    },
  ],
  ['/debug/api/bundle/list', { bundles: ['object'] }],
  [
    '/admin/health',
    { status: 'string', state: 'string', issues: ['object'], limited_by: ['object'] },
  ],
  [
    '/admin/role',
    {
      role: 'string',
      connected_replicas: 'number',
      good_replicas: 'number',
      replication_offset: 'number',
      lag_bytes: 'number',
      lag_us: 'number',
      primary: 'null',
      replicas: ['object'],
    },
  ],
  ['/admin/cluster', { enabled: 'boolean' }],
  ['/admin/nodes', { enabled: 'boolean', nodes: ['object'] }],
];
for (const [path, shape] of shapes) {
  api(`has the shape of ${path}`, async () => {
    const answer = await request(server.httpPort, path);
    assert.is(answer.status, 200, answer.text);
    assert.is(answer.headers['content-type'], 'application/json; charset=utf-8');
    assert.equal(faults(answer.json(), shape), []);
    assert.not.match(answer.text, /[\n ]"/, 'it is compact');
    const posted = await request(server.httpPort, path, { method: 'POST' });
    assert.equal([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
  });
}

const get = async (path: string): Promise<Record<string, unknown>> =>
  (await request(server.httpPort, path)).json() as Record<string, unknown>;

api('tells of the server, its clients and its shards', async () => {
  const about = await get('/debug/api/server');
  assert.equal(
    [about['num_shards'], about['port'], about['bind_addr']],
    [2, server.port, '127.0.0.1'],
  );
  const { clients } = (await get('/debug/api/clients')) as { clients: { name: string }[] };
  assert.equal(
    clients.map(({ name }) => name),
    ['<b>bold</b>'],
  );
  const { shards, missing_shards: missing } = (await get('/debug/api/shard-stats')) as {
    missing_shards: readonly number[];
    shards: { keys: number; hot_keys: number; warm_keys: number }[];
  };
  assert.is(
    shards.reduce((sum, { keys }) => sum + keys, 0),
    50,
  );
  assert.equal(missing, []);
  assert.ok(shards.every((each) => each.hot_keys === each.keys && each.warm_keys === 0));
});

api('shows settings as they are now, with where they come from', async () => {
  const entry = async (name: string) => {
    const { entries } = (await get('/debug/api/config')) as { entries: Record<string, unknown>[] };
    const found = entries.find((each) => each['name'] === name);
    return [found?.['value'], found?.['source'], found?.['mutable']];
  };
  assert.equal(await entry('server.port'), [String(server.port), 'cli', true]);
  assert.equal(await entry('server.max-clients'), ['10000', 'default', true]);
  await client.call('CONFIG', 'SET', 'maxclients', '500');
  // The ops thread is notified after the reply.
  const isReported = async (): Promise<boolean> => (await entry('server.max-clients'))[0] === '500';
  await until(isReported, 'the setting is shown');
  assert.equal(await entry('server.max-clients'), ['500', 'runtime', true]);
  const { defaults } = (await get('/debug/api/config/defaults')) as {
    defaults: Record<string, string>;
  };
  assert.is(defaults['server.max-clients'], '10000', 'it stays what it is without a change');
  const status = (await get('/status/json')) as { clients: { max_clients: number } };
  assert.is(status.clients.max_clients, 500);
});

api('tells of slow commands and of latency, as the commands do', async () => {
  await client.call('SET', Buffer.from([0x66, 0xff]), 'v');
  await client.call('DEBUG', 'SLEEP', '0.03');
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
  await client.call('GET', Buffer.from([0x66, 0xff]));
  await client.call('CONFIG', 'SET', 'slowlog-log-slower-than', '-1');
  const { entries } = (await get('/debug/api/slowlog')) as {
    entries: { id: number; command: string; args: string[]; client_name: string }[];
  };
  const here = (await client.call('SLOWLOG', 'GET', '-1')) as [number, number, number, string[]][];
  assert.equal(
    entries.map(({ id }) => id),
    here.map(([id]) => id),
  );
  const read = entries.find(({ command }) => command === 'GET');
  assert.equal([read?.args, read?.client_name], [['f\u00ff'], '<b>bold</b>']);
  assert.ok(entries.some(({ command, args }) => command === 'DEBUG' && args[0] === 'SLEEP'));
  const few = (await get('/debug/api/slowlog?count=1')) as { entries: { id: number }[] };
  assert.equal(
    few.entries.map(({ id }) => id),
    here.slice(0, 1).map(([id]) => id),
  );
  const latency = (await get('/debug/api/latency')) as {
    events: { event: string; latest_us: number; max_us: number }[];
    bands: Record<string, number>;
    commands: { command: string; calls: number; p50_us: number; max_us: number }[];
  };
  const event = latency.events.find((each) => each.event === 'command');
  assert.ok((event?.latest_us ?? 0) >= 30_000 && event!.max_us >= event!.latest_us);
  const { events } = (await get('/debug/api/latency/history')) as {
    events: { event: string; samples: { time_ms: number; max_us: number }[] }[];
  };
  const last = events.find((each) => each.event === 'command')?.samples.at(-1);
  assert.is(last?.max_us, event?.latest_us);
  assert.ok(Number.isInteger(last!.time_ms / 1_000), 'samples are the worst of a second');
  assert.equal(Object.keys(latency.bands).slice(-2), ['>500ms', 'total']);
  assert.ok(latency.bands['total']! >= latency.bands['<=500ms']!);
  const sets = latency.commands.find(({ command }) => command === 'set');
  assert.ok(sets?.calls === 51 && sets.p50_us > 0 && sets.max_us >= sets.p50_us);
});

api('names shards that do not answer, and tells the rest', async () => {
  const sleeper = await server.client();
  const slept = sleeper.call('DEBUG', 'SLEEP', '2');
  await untilShardsSleep(client);
  const { shards, missing_shards: missing } = (await get('/debug/api/shard-stats')) as {
    missing_shards: readonly number[];
    shards: { keys: number; hot_keys: number | null }[];
  };
  assert.equal(missing, [0, 1]);
  assert.equal(
    shards.map(({ hot_keys: hot }) => hot),
    [null, null],
  );
  assert.is(
    shards.reduce((sum, { keys }) => sum + keys, 0),
    51,
  );
  await slept;
});

api('refuses what it cannot do, with a reason', async () => {
  const answer = async (path: string, method = 'GET') => {
    const { status, text } = await request(server.httpPort, path, { method });
    return [status, text];
  };
  assert.equal(await answer('/debug/api/cluster/node/abc'), [404, '{"error":"node not found"}']);
  assert.equal(await answer('/debug/api/nothing'), [404, '{"error":"not found"}']);
  assert.equal(await answer('/debug/api/slowlog?count=many'), [
    400,
    '{"error":"count must be a whole number, or -1 for all"}',
  ]);
  assert.is((await answer('/admin/snapshot'))[0], 405);
  assert.is((await answer('/admin/shutdown'))[0], 405);
  assert.is((await answer('/admin/shutdown?save=perhaps', 'POST'))[0], 400);
  const foreign = await request(server.httpPort, '/admin/shutdown', {
    method: 'POST',
    headers: { 'sec-fetch-site': 'cross-site' },
  });
  assert.is(foreign.status, 403);
  assert.is(await client.call('PING'), 'PONG');
});

api('shuts the server down when asked, after what is in flight', async () => {
  const other = await startServer({ http: true });
  const busy = await other.client();
  const slept = busy.pipeline([
    ['DEBUG', 'SLEEP', '1'],
    ['SET', 'k', 'v'],
  ]);
  await untilShardsSleep(await other.client());
  const { status, text } = await request(other.httpPort, '/admin/shutdown?save=false', {
    method: 'POST',
  });
  assert.equal([status, text], [202, '{"status":"shutting_down"}']);
  assert.is((await request(other.httpPort, '/healthz')).status, 503);
  assert.equal(await slept, ['OK', 'OK']);
  assert.equal(await other.ended, { exitCode: 0, signal: null });
  await other.stop();
});

api.run();
