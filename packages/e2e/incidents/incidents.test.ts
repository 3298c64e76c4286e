/**
 * Incidents that are provoked on a real server: every surface names the cause while it lasts, and the events report it
 * afterwards. The machine of the test may be short of processors at any time, so that it may be named beside the cause.
 */
// test-tier: long
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import { connect, type Socket } from 'node:net';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import type {
  EventsDocument,
  HistoryDocument,
  LimitCause,
  LimitFinding,
  StatusDocument,
} from '#api-types';
import {
  type ChildServer,
  keysOnShard,
  letTimePass,
  needs,
  Prometheus,
  request,
  type RespClient,
  type ServerOptions,
  SmallDisk,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const incidents = suite('incidents');

/** Shards of the server without processor time. */
const SHARDS = 2;
const QUIET = ['--set', 'snapshot.interval-secs=0'];

interface Expected {
  readonly cause: LimitCause;
  /** Title of the cause in LATENCY DOCTOR and in the log. */
  readonly title: string;
  /** Pattern of the finding's message. */
  readonly message: RegExp;
  /** Alert of the project's rules that fires beside SvcLimited. */
  readonly alert?: string;
  /** Causes that the provocation may have as well. */
  readonly beside?: readonly LimitCause[];
}

/** Undefined where it is not installed. */
let prometheus: Prometheus | undefined;
const hasPrometheus = needs('prometheus');
incidents.before(async () => {
  if (hasPrometheus) prometheus = await Prometheus.start();
});
incidents.after(async () => {
  await prometheus?.stop();
});

/** Starts a server with HTTP, which Prometheus scrapes. */
async function scraped(options: ServerOptions): Promise<ChildServer> {
  const server = await startServer({ ...options, http: true });
  prometheus?.scrape(server.httpPort);
  return server;
}

async function alerted(server: ChildServer, { cause, alert }: Expected): Promise<void> {
  if (prometheus === undefined) return;
  const fires = async (): Promise<boolean> => {
    const firing = await prometheus!.firing(server.httpPort);
    return (
      firing.some(({ name, labels }) => name === 'SvcLimited' && labels['cause'] === cause) &&
      (alert === undefined || firing.some(({ name }) => name === alert))
    );
  };
  await until(fires, `the alert SvcLimited of ${cause}, and ${alert ?? 'no other'}`);
}

/** The status document; asked again where a server without processor time is too late. */
async function statusOf(server: ChildServer): Promise<StatusDocument> {
  let text = '';
  await until(async () => {
    text = await request(server.httpPort, '/status/json').then(
      (answer) => answer.text,
      () => '',
    );
    return text !== '';
  }, 'the status document');
  return JSON.parse(text) as StatusDocument;
}

async function limitsOf(server: ChildServer): Promise<readonly LimitFinding[]> {
  return (await statusOf(server)).health.limited_by;
}

/** Waits until the cause is named, and looks at all surfaces; returns the finding. */
async function named(
  server: ChildServer,
  client: RespClient,
  expected: Expected,
): Promise<LimitFinding> {
  const { cause, title, message, beside = [] } = expected;
  let found: LimitFinding | undefined;
  await until(async () => {
    found = (await limitsOf(server)).find(
      (each) => each.cause === cause && message.test(each.message),
    );
    return found !== undefined;
  }, `${cause} is named: ${message.source}`);
  const allowed = new Set<LimitCause>([cause, 'machine', ...beside]);
  const all = await limitsOf(server);
  assert.equal(
    all.filter((each) => !allowed.has(each.cause)).map((each) => each.message),
    [],
    'no wrong cause',
  );
  const json = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as StatusDocument;
  assert.ok(
    json.health.limited_by.some((each) => each.cause === cause),
    'STATUS JSON',
  );
  const doctor = textOf(await client.call('LATENCY', 'DOCTOR'));
  assert.match(doctor, new RegExp(`^Limited now by:(\\n.*)*\\n\\d+\\. ${title}: `), 'DOCTOR');
  const metrics = (await request(server.httpPort, '/metrics')).text;
  assert.match(metrics, new RegExp(`^svc_limited_by\\{cause="${cause}"\\} 1$`, 'm'));
  await until(() => server.stdout.includes(`limit-began Limited by ${title}`), 'the log');
  await alerted(server, expected);
  return found!;
}

/** Waits until the cause is over on all surfaces; events and history report it. */
async function ended(server: ChildServer, { cause, title }: Expected): Promise<void> {
  await until(
    async () => (await limitsOf(server)).every((each) => each.cause !== cause),
    `${cause} is over`,
  );
  await until(() => server.stdout.includes(`limit-ended No longer limited by ${title}`), 'the log');
  const read = async (): Promise<EventsDocument> =>
    (
      await request(server.httpPort, '/debug/api/events?kind=verdict&count=-1')
    ).json() as EventsDocument;
  await until(async () => {
    const { events } = await read();
    return (
      events.some(({ event, message }) => event === 'limit-began' && message.includes(title)) &&
      events.some(({ event, message }) => event === 'limit-ended' && message.includes(title))
    );
  }, 'the events');
  const history = (
    await request(server.httpPort, '/debug/api/history?series=limited_by')
  ).json() as HistoryDocument;
  assert.match(JSON.stringify(history), /limited_by/);
}

incidents('a hot key', async () => {
  const server = await scraped({ shards: 2, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'key',
    title: 'one key',
    message: /^key hot takes \d+ % of the time of shard \d/,
    beside: ['client', 'shard', 'main'],
  };
  await client.call('SET', 'hot', 'x'.repeat(200_000));
  const load = { isOn: true };
  const loads = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const one = await server.client();
      return async (): Promise<void> => {
        while (load.isOn)
          await one.pipeline(Array.from({ length: 200 }, () => ['BITCOUNT', 'hot']));
      };
    }),
  );
  const running = loads.map((run) => run());
  const { object, link } = await named(server, client, expected);
  assert.equal([object, link], ['hot', '/debug/hot-keys?key=hot']);
  load.isOn = false;
  await Promise.all(running);
  await ended(server, expected);
  await server.stop();
});

incidents('a script that hogs its shard', async () => {
  const server = await scraped({ shards: 2, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'command',
    alert: 'SvcShardStuck',
    title: 'one command or script',
    message:
      /^shard-\d has been running eval for \d+\.\d s \(script [0-9a-f]{40}, line [23], key k, client \d+\)$/,
  };
  const hog = await server.client();
  const id = await hog.call('CLIENT', 'ID');
  const running = hog.reply('EVAL', 'local i = 0\nwhile true do\n i = i + 1 end', '1', 'k');
  try {
    const { message, advice, link } = await named(server, client, expected);
    assert.match(message, `client ${Number(id)})`);
    assert.match(advice, 'SCRIPT KILL');
    assert.match(link!, /^\/debug\/scripts\?sha=[0-9a-f]{40}$/);
    const issues = (await statusOf(server)).health.issues.filter(
      ({ code }) => code === 'SHARD_STUCK',
    );
    assert.is(issues.length, 1);
    assert.ok(Date.now() - issues[0]!.since_ms < 600_000);
  } finally {
    await client.reply('SCRIPT', 'KILL');
  }
  await running;
  await ended(server, expected);
  const stalled = (await request(server.httpPort, '/metrics')).text;
  assert.match(stalled, /^svc_thread_stalled_seconds_total\{thread="shard-\d"\} [1-9]/m);
  await server.stop();
});

/** A client that sends commands and reads no reply. */
async function neverReading(port: number, commands: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(commands);
  return socket;
}

incidents('a reader that does not read', async () => {
  const server = await scraped({ shards: 1, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'client',
    title: 'one client',
    message: /^client \d+ does not read its replies: \d+\.\d MiB wait in its output buffer/,
  };
  await client.call('SET', 'big', 'x'.repeat(1_000_000));
  const reader = await neverReading(server.port, 'GET big\r\n'.repeat(60));
  const { object } = await named(server, client, expected);
  const { issues } = (await statusOf(server)).health;
  const [issue] = issues.filter(({ code }) => code === 'CLIENT_BUFFERS');
  assert.is(issue?.object, object);
  assert.is(await client.call('CLIENT', 'KILL', 'ID', object!.replace('client ', '')), 1);
  reader.destroy();
  await ended(server, expected);
  await server.stop();
});

incidents('memory that is full, without and with an eviction policy', async () => {
  const server = await scraped({ shards: 1, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'memory',
    alert: 'SvcWritesRefusedForMemory',
    title: 'the memory limit',
    message: /^\d+ writes per second are refused: /,
  };
  const write = async (count: number): Promise<void> => {
    const commands = Array.from({ length: count }, (_, nth) => [
      'SET',
      `key:${nth}`,
      'x'.repeat(1_000),
    ]);
    await client.pipeline(commands).catch(() => undefined);
  };
  await write(1_000);
  const { memory } = await statusOf(server);
  await client.call('CONFIG', 'SET', 'maxmemory', String(memory.used_bytes));
  const load = { isOn: true };
  const writer = await server.client();
  const writing = (async () => {
    for (let nth = 0; load.isOn; nth += 1)
      await writer.reply('SET', `more:${nth}`, 'x'.repeat(1_000));
  })();
  await named(server, client, expected);
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await ended(server, expected);
  const { health } = await statusOf(server);
  assert.ok(
    !health.issues.some(({ code }) => code === 'MEMORY_PRESSURE'),
    'a full cache is healthy',
  );
  load.isOn = false;
  await writing;
  await server.stop();
});

incidents('a cache that has become too small', async () => {
  const server = await scraped({ shards: 1, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'memory',
    title: 'the memory limit',
    alert: 'SvcHitRateFalling',
    message: /^the hit rate fell from 100 % to \d+ % while \d+ keys per second are evicted$/,
    beside: ['client', 'command', 'shard'],
  };
  const each = (name: string, from: number, ...more: string[]): string[][] =>
    Array.from({ length: 200 }, (_, nth) => [name, `key:${from + nth}`, ...more]);
  await client.pipeline(each('SET', 0, 'x'.repeat(1_000)));
  const load = { isOn: true, from: 0 };
  const loaded = await server.client();
  const running = (async () => {
    while (load.isOn) {
      // Keys that are there at first, and then others, each asked for before it is written.
      await loaded.pipeline(each('GET', load.from));
      if (load.from > 0) await loaded.pipeline(each('SET', load.from, 'x'.repeat(1_000)));
      if (load.from > 0) load.from += 200;
    }
  })();
  // The share of a minute is judged by slices of ten seconds: one of them is over by then.
  await letTimePass(client, 21_000);
  const { memory } = await statusOf(server);
  await client.call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  await client.call('CONFIG', 'SET', 'maxmemory', String(memory.used_bytes));
  load.from = 1_000;
  await named(server, client, expected);
  load.isOn = false;
  await running;
  await ended(server, expected);
  await server.stop();
});

if (needs('mount')) {
  incidents('a disk that is full', async () => {
    const folder = fs.mkdtempSync(path.join(tmpdir(), 'svc-incident-'));
    const disk = SmallDisk.mount(path.join(folder, 'disk'), 12);
    if (disk === undefined) return;
    const data = `persistence.data-dir=${path.join(disk.folder, 'data')}`;
    const server = await scraped({
      shards: 1,
      args: [...QUIET, '--set', data, '--set', 'snapshot.max-snapshots=1'],
    });
    const client = await server.client();
    const expected: Expected = {
      cause: 'disk',
      alert: 'SvcPersistenceErrors',
      title: 'the disk',
      message: /^the log cannot be written to .* \(ENOSPC, .* free\); writes are refused$/,
    };
    let refused = '';
    for (let nth = 0; nth < 4_000 && refused === ''; nth += 1) {
      const reply = textOf(await client.reply('SET', `key:${nth % 50}`, 'x'.repeat(10_000)));
      if (reply !== 'OK') refused = reply;
    }
    assert.match(refused, /MISCONF/);
    await named(server, client, expected);
    disk.resize(200);
    await ended(server, expected);
    assert.is(await client.call('SET', 'after', '1'), 'OK');
    await server.stop();
    disk.unmount();
  });
}

incidents('a replica that is stopped', async () => {
  const server = await scraped({ shards: 1, args: QUIET });
  const replica = await startServer({ shards: 1, args: QUIET });
  const client = await server.client();
  const follower = await replica.client();
  await follower.call('REPLICAOF', '127.0.0.1', String(server.port));
  await until(
    async () => textOf(await client.call('INFO', 'replication')).includes('state=online'),
    'the replica is online',
  );
  const expected: Expected = {
    cause: 'replication',
    title: 'replication',
    message: /^the slowest replica has not acknowledged for|^0 of 1 replicas are connected$/,
  };
  replica.signal('SIGSTOP');
  await client.call('SET', 'k', 'v');
  await named(server, client, expected);
  replica.signal('SIGCONT');
  await ended(server, expected);
  await replica.stop();
  await server.stop();
});

/** Makes each thread of the server wait behind others; at the lowest priority, it would get next to no time at all. */
const NICENESS = 5;

/** Processes that use all processors. */
function busyLoops(): readonly ChildProcess[] {
  const count = 3 * os.availableParallelism();
  return Array.from({ length: count }, () => spawn('sh', ['-c', 'while :; do :; done']));
}

incidents('a machine without processor time', async () => {
  const server = await scraped({ shards: SHARDS, args: QUIET });
  const client = await server.client();
  const expected: Expected = {
    cause: 'machine',
    alert: 'SvcProcessorStarvation',
    title: 'the machine',
    message: /^threads wait for a processor: (main|shard-\d) for \d+ % of its time/,
    // Commands that wait for a processor are there, too.
    beside: ['command', 'client'],
  };
  for (const task of fs.readdirSync(`/proc/${server.pid}/task`))
    os.setPriority(Number(task), NICENESS);
  const loops = busyLoops();
  const load = { isOn: true };
  const [one = ''] = keysOnShard(1, SHARDS, 1, 'load');
  const loaded = await server.client();
  const running = (async () => {
    while (load.isOn) {
      await loaded.pipeline(Array.from({ length: 200 }, (_, nth) => ['SET', `${one}:${nth}`, 'v']));
    }
  })();
  try {
    const { value, threshold } = await named(server, client, expected);
    assert.ok(value >= threshold);
    const run = (await request(server.httpPort, '/metrics')).text;
    assert.match(run, /^svc_thread_run_queue_seconds_total\{thread="main"\} [0-9.]+$/m);
    const { issues } = (await statusOf(server)).health;
    assert.ok(!issues.some(({ code }) => code === 'GARBAGE_COLLECTION'), 'it is not the collector');
  } finally {
    for (const each of loops) each.kill('SIGKILL');
    load.isOn = false;
  }
  await running;
  await ended(server, expected);
  await server.stop();
});

incidents.run();
