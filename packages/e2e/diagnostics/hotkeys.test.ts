/** HOTKEYS over a real server: every way a command takes to the shards, and a client made for Redis 8.6. */
import {
  byName,
  type ChildServer,
  keyPerShard,
  letTimePass,
  type Random,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
  withRandom,
} from '#testkit';
import { createClient } from 'redis';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const hotkeys = suite('HOTKEYS');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;

hotkeys.before(async () => {
  server = await startServer({ shards: SHARDS, http: true });
  client = await server.client({ buffers: true });
});
hotkeys.after(async () => {
  await server.stop();
});

const words = (...all: (string | number)[]): Promise<unknown> => client.call('HOTKEYS', ...all);

interface Row {
  key: string;
  calls: number;
  us: number;
  bytes: number;
}

/** The report by field, its rows read. On a busy machine a shard may be late, and the report says so: it is asked again. */
async function report(): Promise<{ field: (name: string) => unknown; rows: Row[] }> {
  let fields = byName(await words('GET'));
  while (fields.has('missing-shards')) fields = byName(await words('GET'));
  const field = (name: string): unknown => fields.get(name);
  const rows = (field('hotkeys') as unknown[][]).map((row) => ({
    key: (row[1] as Buffer).toString('latin1'),
    calls: Number(row[3]),
    us: Number(row[5]),
    bytes: Number(row[7]),
  }));
  return { field, rows };
}

const find = (rows: readonly Row[], key: string): Row =>
  rows.find((row) => row.key === key) ?? { key, calls: 0, us: 0, bytes: 0 };

hotkeys('counts keys whichever way their command takes', async () => {
  const [a = '', b = ''] = keyPerShard(SHARDS, 'hot');
  const binary = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x22]);
  assert.is(String(await words('START', 'METRICS', 1, 'net')), 'OK');
  await client.call('SET', a, 'x'.repeat(10_000));
  await client.call('GET', a);
  await client.call('MSET', a, '1', b, '2');
  await client.call('RENAME', a, b);
  await client.pipeline([['MULTI'], ['SET', a, '3'], ['GET', b], ['EXEC']]);
  await client.call('SET', binary, 'v');
  await client.call('PING');
  await client.call('DBSIZE');
  const { rows, field } = await report();
  assert.is(find(rows, a).calls, 5, 'SET, GET, MSET, RENAME and SET in a transaction');
  assert.is(find(rows, b).calls, 3, 'MSET, RENAME and GET in a transaction');
  assert.ok(find(rows, a).bytes > 20_000 && find(rows, a).bytes < 21_000, 'request and reply');
  assert.is(find(rows, binary.toString('latin1')).calls, 1);
  assert.is(rows[0]!.key, a);
  assert.is(Number(field('tracking-active')), 1);
  assert.ok(Number(field('net-bytes-all-commands-all-slots')) > 20_000);
  assert.is(String(await words('STOP')), 'OK');
});

hotkeys('stands still after the end, and begins anew', async () => {
  const before = await report();
  await client.call('GET', 'later');
  await letTimePass(client, 20);
  const after = await report();
  assert.equal(after.rows, before.rows);
  const duration = 'collection-duration-ms';
  assert.is(after.field(duration), before.field(duration));
  assert.is(String(await words('START')), 'OK');
  assert.equal((await report()).rows, []);
  await words('STOP');
  await words('RESET');
  assert.is(await words('GET'), null);
});

hotkeys('has the processor time of the session, which stands still after its end', async () => {
  await words('START', 'METRICS', 1, 'net');
  assert.is(
    (await report()).field('total-cpu-time-user-ms'),
    undefined,
    'only with CPU, as in Redis',
  );
  await words('STOP');
  await words('START', 'METRICS', 1, 'cpu');
  const spent = async (): Promise<number> => {
    const { field } = await report();
    return Number(field('total-cpu-time-user-ms')) + Number(field('total-cpu-time-sys-ms'));
  };
  await until(async () => (await spent()) > 0, 'the process has computed');
  await words('STOP');
  const atEnd = await spent();
  for (let nth = 0; nth < 1_000; nth += 1) await client.call('GET', 'none');
  assert.is(await spent(), atEnd);
});

hotkeys('ends by its timer, without anybody looking', async () => {
  await words('START', 'DURATION', 50);
  await client.call('SET', 'early', 'v');
  await until(async () => String((await report()).field('state')) === 'stopped', 'it has ended');
  await client.call('SET', 'late', 'v');
  const { rows, field } = await report();
  assert.equal(
    rows.map(({ key }) => key),
    ['early'],
  );
  const elapsed = Number(field('collection-duration-ms'));
  // Node's timers keep whole milliseconds, and may be one early by another clock.
  assert.ok(elapsed >= 49, `${elapsed} ms`);
  await words('RESET');
});

hotkeys('samples by chance, and says what all would have been', async () => {
  await words('START', 'SAMPLE', 10, 'METRICS', 1, 'cpu');
  const commands = Array.from({ length: 5_000 }, (_, nth) => ['SET', `sampled:${nth % 2}`, 'v']);
  await client.pipeline(commands);
  const { rows, field } = await report();
  assert.equal(rows.map(({ key }) => key).sort(), ['sampled:0', 'sampled:1']);
  for (const { key, calls } of rows) assert.ok(Math.abs(calls - 2_500) < 900, `${key}: ${calls}`);
  assert.is(Number(field('sample-ratio')), 10);
  await words('STOP');
  await words('RESET');
});

hotkeys('is not for transactions where shards must be asked', async () => {
  await client.call('MULTI');
  const refused = await client.reply('HOTKEYS', 'GET');
  assert.ok(refused instanceof Error);
  await client.reply('DISCARD');
});

const ZIPF_KEYS = 2_000;
const ZIPF_COMMANDS = 100_000;
const TOP = 16;

/** Uses of each key in proportion to 1 / n, as commands in a shuffled order. */
function zipfLoad(random: Random): { uses: number[]; order: Uint16Array } {
  const sum = Array.from({ length: ZIPF_KEYS }, (_, nth) => 1 / (nth + 1)).reduce((a, b) => a + b);
  const uses = Array.from({ length: ZIPF_KEYS }, (_, nth) =>
    Math.ceil(ZIPF_COMMANDS / sum / (nth + 1)),
  );
  const order = Uint16Array.from(uses.flatMap((count, key) => new Array<number>(count).fill(key)));
  for (let at = order.length - 1; at > 0; at -= 1) {
    const other = random.integer(0, at);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return { uses, order };
}

/** Deviations that a sampled count may be off: of 16 keys one in 100,000 runs is further off. */
const SIGMAS = 5;

// One in a hundred needs loads that are too long for sockets: see diag/hot-keys.test.ts.
for (const sample of [1, 10]) {
  hotkeys(
    `finds the top ${TOP} of a Zipf load, SAMPLE ${sample}`,
    withRandom(async (random) => {
      const { uses, order } = zipfLoad(random);
      const value = 'x'.repeat(500);
      await client.pipeline(uses.map((_, key) => ['SET', `zipf:${key}`, value]));
      // What is sampled ranks beyond the top by chance, so more is asked for.
      const count = sample === 1 ? TOP : 100;
      await words('START', 'METRICS', 2, 'net', 'cpu', 'COUNT', count, 'SAMPLE', sample);
      for (let at = 0; at < order.length; at += 10_000) {
        const part = [...order.subarray(at, at + 10_000)];
        await client.pipeline(part.map((key) => ['GET', `zipf:${key}`]));
      }
      const { rows, field } = await report();
      await words('STOP');
      await words('RESET');
      for (let key = 0; key < TOP; key += 1) {
        const truth = uses[key]!;
        const { calls, bytes } = find(rows, `zipf:${key}`);
        const allowed = sample === 1 ? 0.05 * truth : SIGMAS * Math.sqrt(truth * (sample - 1));
        assert.ok(Math.abs(calls - truth) <= allowed, `zipf:${key}: ${calls} of ${truth}`);
        // Request and reply of one use are as long for each of a key.
        const each = `*2\r\n$3\r\nGET\r\n$6\r\nzipf:${key}\r\n$500\r\n${value}\r\n`.length;
        assert.ok(Math.abs(bytes - calls * each) <= calls, `${bytes} bytes of ${calls} uses`);
      }
      const byTime = field('by-cpu-time-us') as unknown[];
      const names = byTime.filter((_, nth) => nth % 2 === 0).map(String);
      // How long each took is the machine's; that the hottest took most is not.
      assert.ok(names.includes('zipf:0') && names.includes('zipf:1'), names.join(' '));
    }),
  );
}

interface WindowRow {
  readonly key: string;
  readonly db: number;
  readonly ops: number;
  readonly reads: number;
  readonly writes: number;
  readonly error: number;
}

/** The last whole window; undefined when there is none. */
async function lastWindow(): Promise<{ samples: number; rows: WindowRow[] } | undefined> {
  const flat = await words('WINDOW');
  if (flat === null) return undefined;
  const fields = byName(flat);
  const field = (name: string): unknown => fields.get(name);
  const rows = (field('hotkeys') as unknown[][]).map((row) => ({
    key: (row[1] as Buffer).toString('latin1'),
    db: Number(row[3]),
    ops: Number(row[5]),
    reads: Number(row[7]),
    writes: Number(row[9]),
    error: Number(row[11]),
  }));
  return { samples: Number(field('samples')), rows };
}

async function setWindow(...pairs: (string | number)[]): Promise<void> {
  await client.call('CONFIG', 'SET', ...pairs.map((each) => String(each)));
}

hotkeys('watches windows without a session, by database, with reads and writes apart', async () => {
  assert.match(textOf(await client.reply('HOTKEYS', 'WINDOW')), /hot key windows are not enabled/);
  await setWindow('hotkeys-window-seconds', 1, 'hotkeys-window-sample', 1);
  await setWindow('hotkeys-window-top-k', 3, 'hotkeys-window-enabled', 'yes');
  assert.is(await words('WINDOW'), null, 'no window is whole yet');
  const [a = '', b = ''] = keyPerShard(SHARDS, 'window');
  const binary = Buffer.from([0, 0xff, 0x3a, 0x0a]);
  const load = [
    ...Array.from({ length: 30 }, () => ['GET', a]),
    ...Array.from({ length: 10 }, () => ['SET', a, '1']),
    ...Array.from({ length: 20 }, () => ['MGET', b, a]),
    ['SELECT', '3'],
    ...Array.from({ length: 15 }, () => ['SET', binary, '1']),
    ['SELECT', '0'],
    ...Array.from({ length: 5 }, () => ['GET', 'cooler']),
  ];
  // The whole load falls into one window, unless the second ends meanwhile: then it is sent again. A shard that does not
  // answer in time is left out of a report.
  let reported: Awaited<ReturnType<typeof lastWindow>>;
  await until(async () => {
    const startedIn = Math.floor(Date.now() / 1_000);
    await client.pipeline(load);
    if (Math.floor(Date.now() / 1_000) !== startedIn) return false;
    await until(() => Math.floor(Date.now() / 1_000) > startedIn, 'the window has ended');
    reported = await lastWindow();
    return reported?.samples === 100;
  }, 'a load within one window');
  const name = binary.toString('latin1');
  assert.equal(reported?.rows, [
    { key: a, db: 0, ops: 60, reads: 50, writes: 10, error: 0 },
    { key: b, db: 0, ops: 20, reads: 20, writes: 0, error: 0 },
    { key: name, db: 3, ops: 15, reads: 0, writes: 15, error: 0 },
  ]);
  const served = (await request(server.httpPort, '/debug/api/hotkeys/window')).json() as {
    enabled: boolean;
    window: { samples: number; keys: { ops_per_sec: number; binary: boolean }[] } | null;
  };
  assert.ok(served.enabled);
  if (served.window?.samples === 100) {
    assert.equal(
      served.window.keys.map(({ ops_per_sec: ops, binary: isBinary }) => [ops, isBinary]),
      [
        [60, false],
        [20, false],
        [15, true],
      ],
    );
  }
  await client.call('MULTI');
  assert.ok((await client.reply('HOTKEYS', 'WINDOW')) instanceof Error);
  await client.reply('DISCARD');
  await setWindow('hotkeys-window-enabled', 'no');
});

hotkeys('a window that is sampled says how far it may be off', async () => {
  await setWindow('hotkeys-window-seconds', 1, 'hotkeys-window-sample', 10);
  await setWindow('hotkeys-window-enabled', 'yes');
  const load = Array.from({ length: 5_000 }, () => ['GET', 'sampled:one']);
  let reported: Awaited<ReturnType<typeof lastWindow>>;
  await until(async () => {
    const startedIn = Math.floor(Date.now() / 1_000);
    await client.pipeline(load);
    if (Math.floor(Date.now() / 1_000) !== startedIn) return false;
    await until(() => Math.floor(Date.now() / 1_000) > startedIn, 'the window has ended');
    reported = await lastWindow();
    return (reported?.samples ?? 0) > 0;
  }, 'a load within one window');
  const [row] = reported!.rows;
  assert.ok(row!.error > 0);
  // Three deviations are reported; five never occur.
  assert.ok(Math.abs(row!.ops - 5_000) <= (5 / 3) * row!.error, `${row!.ops}, ${row!.error}`);
  assert.is(row!.ops, reported!.samples * 10);
  await setWindow('hotkeys-window-enabled', 'no');
});

for (const protocol of [2, 3] as const) {
  hotkeys(`serves node-redis in RESP${protocol}`, async () => {
    const redis = createClient({ socket: { port: server.port }, RESP: protocol });
    redis.on('error', () => undefined);
    await redis.connect();
    await redis.hotkeysStart({ METRICS: { count: 2, CPU: true, NET: true }, COUNT: 4 });
    for (let nth = 0; nth < 10; nth += 1) await redis.set('node', 'v');
    const found = await redis.hotkeysGet();
    assert.is(found?.trackingActive, 1);
    assert.is(found?.byNetBytes?.[0]?.key, 'node');
    assert.ok((found?.byCpuTimeUs?.[0]?.value ?? 0) > 0);
    assert.ok((found?.allCommandsAllSlotsUs ?? 0) > 0);
    await redis.hotkeysStop();
    await redis.hotkeysReset();
    assert.is(await redis.hotkeysGet(), null);
    redis.destroy();
  });
}

hotkeys.run();
