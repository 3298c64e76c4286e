/** One quantity, many places that show it: all of them agree. Another surface is one more reader here. */
import {
  request,
  startServer,
  textOf,
  until,
  type ChildServer,
  type Reply,
  type RespClient,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyPerShard } from './keys.ts';

const surfaces = suite('surfaces');

const SHARDS = 2;
const KEYS_GONE = keyPerShard(SHARDS, 'gone');

let server: ChildServer;
let client: RespClient;

surfaces.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client();
  await client.call('CONFIG', 'RESETSTAT');
  for (const key of keyPerShard(SHARDS, 'surface')) {
    await client.pipeline([
      ['SET', key, 'v'.repeat(1_000), 'EX', '1000'],
      ['GET', key],
      ['GET', `${key}:none`],
      ['INCR', key],
    ]);
  }
  for (const key of keyPerShard(SHARDS, 'ended')) {
    await client.call('SET', key, 'v', 'PX', 1);
    await until(async () => (await client.call('DBSIZE')) === SHARDS, 'the key has expired');
  }
  await client.reply('NONSENSE');
  await client.pipeline([
    ['SELECT', 9],
    ['MSET', ...KEYS_GONE.flatMap((key) => [key, 1])],
    ['MSET', ...KEYS_GONE.flatMap((key) => [key, 2])],
    ['RENAME', KEYS_GONE[0]!, `${KEYS_GONE[0]!}:new`],
    ['DEL', KEYS_GONE[1]!],
    ['HSET', 'fields', 'f', 1],
    ['HPEXPIRE', 'fields', 1, 'FIELDS', 1, 'f'],
    ['SET', 'flushed', 1],
  ]);
  await until(async () => (await client.call('DBSIZE')) === SHARDS, 'the hash is gone');
  await client.pipeline([['FLUSHDB'], ['SELECT', 0]]);
});
surfaces.after(async () => {
  await server.stop();
});

type Status = Record<string, Record<string, unknown>>;

/** What was read from each surface, one straight after the other. */
interface Reading {
  info(name: string): number;
  /** A part of a line such as `cmdstat_get:calls=2,...`. */
  infoPart(name: string, part: string): number;
  status(section: string, name: string): number;
  sumOfShards(name: string): number;
  topCalls(command: string): number;
  /** Calls by LATENCY HISTOGRAM. */
  histogramCalls(command: string): number;
  /** The status document as HTTP serves it. */
  httpStatus(section: string, name: string): number;
  /** The samples of a metric together, of those whose labels hold the text. */
  metric(name: string, labels?: string): number;
  /** Keys gone for a reason, by KEYFATE COUNTS. */
  keyFate(reason: string): number;
  /** The same as HTTP tells it. */
  httpKeyFate(reason: string): number;
}

async function read(): Promise<Reading> {
  const [infoReply, statusReply, histograms, fates] = await client.pipeline([
    ['INFO', 'everything'],
    ['STATUS', 'JSON'],
    ['LATENCY', 'HISTOGRAM'],
    ['KEYFATE', 'COUNTS'],
  ]);
  const served = (await request(server.httpPort, '/status/json')).json() as Status;
  const metrics = (await request(server.httpPort, '/metrics')).text.split('\n');
  const { counts } = (await request(server.httpPort, '/debug/api/key-fates')).json() as {
    counts: Record<string, number>;
  };
  const info = textOf(infoReply);
  const status = JSON.parse(textOf(statusReply)) as Status;
  const shards = status['shards'] as unknown as Record<string, number>[];
  const top = status['commands']!['top'] as { command: string; calls: number }[];
  const line = (name: string): string => new RegExp(`^${name}:(.*)\r$`, 'm').exec(info)?.[1] ?? '';
  return {
    info: (name) => Number(line(name)),
    infoPart: (name, part) => Number(new RegExp(`${part}=([\\d.]+)`).exec(line(name))?.[1]),
    status: (section, name) => status[section]![name] as number,
    sumOfShards: (name) => shards.reduce((sum, shard) => sum + shard[name]!, 0),
    histogramCalls: (command) => {
      const flat = histograms as unknown[];
      const [, calls] = flat[flat.indexOf(command) + 1] as unknown[];
      return Number(calls);
    },
    httpStatus: (section, name) => served[section]![name] as number,
    metric: (name, labels = '') =>
      metrics
        .filter((sample) => /^[a-z_]+/.exec(sample)?.[0] === name && sample.includes(labels))
        .reduce((sum, sample) => sum + Number(sample.slice(sample.lastIndexOf(' '))), 0),
    keyFate: (reason) => {
      const flat = fates as Reply[];
      return Number(flat[flat.findIndex((each) => textOf(each) === reason) + 1]);
    },
    httpKeyFate: (reason) => counts[reason]!,
    topCalls: (command) => top.find((each) => each.command === command)?.calls ?? 0,
  };
}

/** The commands of a reading count those before them. */
const COMMANDS_OF_READING = 4;

const quantities: readonly (readonly [
  what: string,
  readers: readonly ((from: Reading) => number)[],
  tolerance?: number,
])[] = [
  [
    'keys',
    [
      (r) => r.infoPart('db0', 'keys'),
      (r) => r.status('keyspace', 'total_keys'),
      (r) => r.sumOfShards('keys'),
      (r) => r.httpStatus('keyspace', 'total_keys'),
      (r) => r.metric('svc_keyspace_keys'),
      (r) => r.metric('svc_shard_keys'),
    ],
  ],
  [
    'keys that expire',
    [
      (r) => r.infoPart('db0', 'expires'),
      (r) => r.status('keyspace', 'expires'),
      (r) => r.metric('svc_keyspace_expiring_keys'),
    ],
  ],
  [
    'hits',
    [
      (r) => r.info('keyspace_hits'),
      (r) => r.status('keyspace', 'hits_total'),
      (r) => r.metric('svc_keyspace_hits_total'),
      () => SHARDS,
    ],
  ],
  [
    'misses',
    [
      (r) => r.info('keyspace_misses'),
      (r) => r.status('keyspace', 'misses_total'),
      (r) => r.metric('svc_keyspace_misses_total'),
      () => SHARDS,
    ],
  ],
  [
    'expired',
    [
      (r) => r.info('expired_keys'),
      (r) => r.status('keyspace', 'expired_keys_total'),
      (r) => r.info('keyfate_expired_active') + r.info('keyfate_expired_lazy'),
      (r) =>
        r.metric('svc_keys_gone_total', 'reason="expired-active"') +
        r.metric('svc_keys_gone_total', 'reason="expired-lazy"'),
      () => SHARDS,
    ],
  ],
  [
    'evicted',
    [
      (r) => r.info('evicted_keys'),
      (r) => r.status('keyspace', 'evicted_keys_total'),
      (r) => r.info('keyfate_evicted'),
      (r) => r.metric('svc_keys_gone_total', 'reason="evicted"'),
    ],
  ],
  [
    'used memory',
    [
      (r) => r.info('used_memory'),
      (r) => r.status('memory', 'used_bytes'),
      (r) => r.metric('svc_memory_used_bytes'),
      (r) => r.sumOfShards('memory_bytes') + r.metric('svc_client_memory_bytes'),
      (r) => r.metric('svc_shard_memory_bytes') + r.info('mem_clients_normal'),
    ],
  ],
  ['peak memory', [(r) => r.info('used_memory_peak'), (r) => r.status('memory', 'peak_bytes')]],
  ['limit', [(r) => r.info('maxmemory'), (r) => r.status('memory', 'limit_bytes')]],
  [
    'clients',
    [
      (r) => r.info('connected_clients'),
      (r) => r.status('clients', 'connected'),
      (r) => r.httpStatus('clients', 'connected'),
      (r) => r.metric('svc_connections'),
    ],
  ],
  ['blocked', [(r) => r.info('blocked_clients'), (r) => r.status('clients', 'blocked')]],
  ['maxclients', [(r) => r.info('maxclients'), (r) => r.status('clients', 'max_clients')]],
  ['uptime', [(r) => r.info('uptime_in_seconds'), (r) => r.status('frogdb', 'uptime_secs')], 1],
  [
    'process',
    [(r) => r.info('process_id'), (r) => r.status('frogdb', 'process_id'), () => server.pid],
  ],
  [
    'commands',
    [
      (r) => r.info('total_commands_processed'),
      (r) => r.status('commands', 'total_processed'),
      (r) => r.metric('svc_commands_processed_total'),
    ],
    COMMANDS_OF_READING,
  ],
  [
    'errors',
    [
      (r) => r.info('total_error_replies'),
      (r) => r.status('commands', 'errors_total'),
      (r) => r.metric('svc_errors_total'),
      () => SHARDS + 1,
    ],
  ],
  [
    'GETs',
    [
      (r) => r.infoPart('cmdstat_get', 'calls'),
      (r) => r.histogramCalls('get'),
      (r) => r.topCalls('get'),
      (r) => r.metric('svc_commands_total', 'command="get"'),
      (r) => r.metric('svc_commands_duration_seconds_count', 'command="get"'),
      () => 2 * SHARDS,
    ],
  ],
  [
    'failed INCRs',
    [
      (r) => r.infoPart('cmdstat_incr', 'failed_calls'),
      (r) => r.metric('svc_commands_failed_total', 'command="incr"'),
      () => SHARDS,
    ],
  ],
  ['error codes', [(r) => r.infoPart('errorstat_ERR', 'count'), () => SHARDS + 1]],
  ['shards', [(r) => r.info('shards'), (r) => r.status('cluster', 'num_shards'), () => SHARDS]],
];

/** Every reason for which a key goes; how often it was so, where that is for sure. */
const reasons: readonly (readonly [reason: string, keys?: number])[] = [
  ['expired-active'],
  ['expired-lazy'],
  ['expired-fields', 1],
  ['evicted', 0],
  ['deleted', 1],
  ['overwritten', SHARDS],
  ['moved', 1],
  ['flushed', 2],
];
surfaces('agree on keys that have gone, by reason', async () => {
  // One reading for all: metrics are rendered so many times a second, and then told again.
  const reading = await read();
  for (const [reason, keys] of reasons) {
    const values = [
      reading.keyFate(reason),
      reading.info(`keyfate_${reason.replace('-', '_')}`),
      reading.metric('svc_keys_gone_total', `reason="${reason}"`),
      reading.httpKeyFate(reason),
    ];
    const expected = keys ?? values[0]!;
    assert.ok(
      values.every((value) => value === expected),
      `${reason}: ${values.join(', ')}`,
    );
  }
});

surfaces('show a setting as soon as CONFIG SET has answered', async () => {
  type Entries = { entries: { name: string; value: unknown }[] };
  for (let nth = 1; nth <= 40; nth += 1) {
    const limit = nth * 1_000_000_000;
    const setting =
      nth % 2 === 0
        ? client.call('CONFIG', 'SET', 'maxmemory', limit)
        : client.pipeline([['MULTI'], ['CONFIG', 'SET', 'maxmemory', limit], ['EXEC']]);
    await setting;
    const config = (await request(server.httpPort, '/debug/api/config')).json() as Entries;
    const status = (await request(server.httpPort, '/status/json')).json() as Status;
    const metrics = (await request(server.httpPort, '/metrics')).text;
    assert.is(status['memory']!['limit_bytes'], limit, 'status');
    assert.is(Number(/^svc_memory_maxmemory_bytes (.*)$/m.exec(metrics)?.[1]), limit, 'metrics');
    const entry = config.entries.find(({ name }) => name === 'memory.maxmemory');
    assert.is(String(entry!.value), String(limit), 'config');
  }
  await client.call('CONFIG', 'SET', 'maxmemory', 0);
});

surfaces('know the same reasons', async () => {
  const answer = await request(server.httpPort, '/debug/api/key-fates');
  const { counts } = answer.json() as { counts: Record<string, number> };
  assert.equal(
    Object.keys(counts),
    reasons.map(([reason]) => reason),
  );
});

surfaces('tell the same deaths', async () => {
  const told = (await client.call('KEYFATE', 'GET', '-1')) as Reply[][];
  const answer = await request(server.httpPort, '/debug/api/key-fates?count=-1');
  const { deaths } = answer.json() as {
    deaths: { id: number; key: string | null; reason: string }[];
  };
  const field = (entry: Reply[], name: string): Reply | undefined =>
    entry[entry.findIndex((each) => textOf(each) === name) + 1];
  assert.ok(deaths.length > 0);
  assert.equal(
    deaths.map(({ id, key, reason }) => [id, key ?? '', reason]),
    told.map((entry) => [
      field(entry, 'id'),
      textOf(field(entry, 'key')),
      textOf(field(entry, 'reason')),
    ]),
  );
});

surfaces('tell the same events of threads', async () => {
  const byCommand = async (): Promise<string[]> => {
    const reply = (await client.call('DEBUG', 'FLIGHT-RECORDER', 'COUNT', '-1')) as Reply[][];
    return reply.map((flat) => flat.map((each) => (each === null ? '' : textOf(each))).join(' '));
  };
  await client.call('DEBUG', 'SLEEP', '0.01');
  await client.call('CONFIG', 'SET', 'slowlog-max-len', '130');
  const before = await byCommand();
  const answer = await request(server.httpPort, '/debug/api/flight-recorder');
  const { entries } = answer.json() as { entries: Record<string, string | number | null>[] };
  const after = await byCommand();
  const byHttp = entries.map((entry) =>
    Object.entries(entry)
      .map(([name, value]) => `${name} ${value === null ? '' : String(value)}`)
      .join(' '),
  );
  assert.ok(before.length >= SHARDS + 1);
  // Threads go on noting while they are asked.
  assert.equal(byHttp.slice(0, before.length), before);
  assert.equal(after.slice(0, byHttp.length), byHttp);
});

for (const [what, readers, tolerance = 0] of quantities) {
  surfaces(`agree on ${what}`, async () => {
    const reading = await read();
    const values = readers.map((reader) => reader(reading));
    for (const value of values) {
      assert.ok(Math.abs(value - values[0]!) <= tolerance, `${what}: ${values.join(', ')}`);
    }
  });
}

surfaces('give latencies of one histogram', async () => {
  await client.call('CONFIG', 'SET', 'latency-tracking-info-percentiles', '50 99');
  const reading = await read();
  const p50 = reading.infoPart('latency_percentiles_usec_get', 'p50');
  const document = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as {
    commands: { top: { command: string; p50_us: number }[] };
  };
  const shown = document.commands.top.find(({ command }) => command === 'get')!.p50_us;
  assert.is(p50, Number(shown.toFixed(3)));
});

surfaces.run();
