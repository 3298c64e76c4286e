/** Figures of replication on all surfaces of a primary and of its replica: they are the same everywhere. */

import type { ReplicationDocument, StatusDocument } from '#api-types';
import { type ChildServer, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked, untilOnline, untilSame } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';
import { metricsIn, readSurfaces, type Surfaces } from './readings.test-helper.ts';

const surfaces = suite('surfaces of replication');

/** Nothing comes into the stream by itself while surfaces are compared. */
const QUIET = [...AT_ONCE, '--set', 'replication.ping-period-secs=3600'];
const MIB = 1024 * 1024;
const WITH_NAMES = { http: true, toml: '[http]\nredis-exporter-names = true\n' };

let primary: ChildServer;
let replica: ChildServer;
let there: RespClient;
let here: RespClient;

surfaces.before(async () => {
  primary = await startServer({ ...WITH_NAMES, shards: 2, args: QUIET });
  replica = await startServer({ ...WITH_NAMES, args: QUIET });
  there = await primary.client();
  here = await replica.client();
  await there.call('SET', 'before', 'x'.repeat(10_000));
  await here.call('REPLICAOF', '127.0.0.1', primary.port);
  await untilLinked(here);
  await untilOnline(there, 1);
  for (let nth = 0; nth < 50; nth += 1) await there.call('SET', `key:${nth}`, 'x'.repeat(100));
  await untilSame(there, here);
  await untilAcknowledged();
});
surfaces.after(async () => {
  await replica.stop();
  await primary.stop();
});

/** Returns once the replica has acknowledged everything, and the pages and the metrics show it. */
async function untilAcknowledged(): Promise<void> {
  await until(async () => {
    const offset = (await infoOf(there))['master_repl_offset'];
    const metrics = metricsIn((await request(primary.httpPort, '/metrics')).text);
    const acknowledged = [...metrics].find(([name]) =>
      name.startsWith('svc_replica_acknowledged_offset_bytes'),
    );
    return (
      String(metrics.get('svc_replication_offset_bytes')) === offset &&
      metrics.get('svc_replica_lag_bytes') === 0 &&
      String(acknowledged?.[1]) === offset
    );
  }, 'the replica has acknowledged all');
  await until(async () => {
    const metrics = metricsIn((await request(replica.httpPort, '/metrics')).text);
    const found = [...metrics].find(([name]) => name.startsWith('redis_slave_repl_offset'));
    return String(found?.[1]) === (await infoOf(here))['slave_repl_offset'];
  }, 'the replica tells how far it is');
}

/** A quantity as shown on each surface, including the bundle's files. */
function reported(
  at: Surfaces,
  [info, status, metric, document, exporter]: Quantity,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  const bundled = (name: string): unknown => JSON.parse(at.bundle.get(name) ?? 'null');
  const add = (surface: string, value: unknown): void => {
    values.set(surface, value === undefined ? undefined : Number(value));
  };
  if (info !== undefined) add('INFO', at.info[info] ?? at.stats[info]);
  if (status !== undefined) {
    const statusOf = ({ replication }: StatusDocument): unknown =>
      (replication as Readonly<Record<string, number>>)[status];
    add('STATUS JSON', statusOf(at.statusCommand));
    add('/status/json', statusOf(at.status));
    add('status.json', statusOf(bundled('status.json') as StatusDocument));
  }
  for (const name of [metric, exporter]) {
    if (name === undefined) continue;
    add(`/metrics ${name}`, at.metrics.get(name));
    add(`/debug/api/metrics ${name}`, at.metricsJson.get(name));
    add(`metrics.prom ${name}`, metricsIn(at.bundle.get('metrics.prom') ?? '').get(name));
  }
  if (document !== undefined) {
    add('/debug/api/replication', document(at.document));
    add('replication.json', document(bundled('replication.json') as ReplicationDocument));
  }
  return values;
}

type Quantity = readonly [
  info: string | undefined,
  status: string | undefined,
  metric: string | undefined,
  document: ((document: ReplicationDocument) => unknown) | undefined,
  exporter?: string,
];

const reason = (name: string): ((document: ReplicationDocument) => unknown) => {
  return ({ counts }) => counts.full_syncs_by_reason[name];
};
const reasons = [
  'first',
  'data-only',
  'old-protocol',
  'no-backlog',
  'other-stream',
  'backlog-short',
  'ahead',
];

const quantities: readonly Quantity[] = [
  [
    'connected_slaves',
    'replicas',
    'svc_replicas_connected',
    ({ replicas }) => replicas.length,
    'redis_connected_slaves',
  ],
  [undefined, 'good_replicas', 'svc_replicas_good', (all) => all.good_replicas],
  [
    'master_repl_offset',
    'offset',
    'svc_replication_offset_bytes',
    ({ offset }) => offset,
    'redis_master_repl_offset',
  ],
  [undefined, 'lag_bytes', 'svc_replica_lag_bytes', (all) => all.lag_bytes],
  [
    'repl_backlog_size',
    'backlog_size_bytes',
    'svc_replication_backlog_size_bytes',
    ({ backlog }) => backlog.size_bytes,
    'redis_replication_backlog_bytes',
  ],
  [
    'repl_backlog_histlen',
    'backlog_used_bytes',
    'svc_replication_backlog_used_bytes',
    ({ backlog }) => backlog.used_bytes,
    'redis_repl_backlog_history_bytes',
  ],
  [
    'repl_backlog_first_byte_offset',
    undefined,
    undefined,
    ({ backlog }) => backlog.first_byte_offset,
    'redis_repl_backlog_first_byte_offset',
  ],
  [
    'repl_backlog_active',
    undefined,
    undefined,
    ({ backlog }) => Number(backlog.active),
    'redis_repl_backlog_is_active',
  ],
  [
    'second_repl_offset',
    undefined,
    undefined,
    (all) => all.second_offset,
    'redis_second_repl_offset',
  ],
  [undefined, 'buffer_bytes', 'svc_replication_buffer_bytes', (all) => all.buffer_bytes],
  [
    undefined,
    'stream_bytes_total',
    'svc_replication_stream_bytes_total',
    (all) => all.stream_bytes,
  ],
  [
    'total_net_repl_input_bytes',
    'input_bytes_total',
    'svc_replication_input_bytes_total',
    (all) => all.bytes_in,
    'redis_net_repl_input_bytes_total',
  ],
  [
    'total_net_repl_output_bytes',
    'output_bytes_total',
    'svc_replication_output_bytes_total',
    (all) => all.bytes_out,
    'redis_net_repl_output_bytes_total',
  ],
  [
    'sync_full',
    'full_syncs_total',
    'svc_replication_full_syncs_total',
    ({ counts }) => counts.full_syncs,
    'redis_replica_resyncs_full',
  ],
  [
    'sync_partial_ok',
    'partial_syncs_total',
    'svc_replication_partial_syncs_total',
    ({ counts }) => counts.partial_syncs,
    'redis_replica_partial_resync_accepted',
  ],
  [
    'sync_partial_err',
    'partial_syncs_refused_total',
    'svc_replication_partial_syncs_refused_total',
    ({ counts }) => counts.partial_syncs_refused,
    'redis_replica_partial_resync_denied',
  ],
  [
    'replica_sync_full',
    'own_full_syncs_total',
    'svc_primary_full_syncs_total',
    ({ counts }) => counts.own_full_syncs,
  ],
  [
    'replica_sync_partial',
    'own_partial_syncs_total',
    'svc_primary_partial_syncs_total',
    ({ counts }) => counts.own_partial_syncs,
  ],
  [
    'replica_link_breaks',
    'link_breaks_total',
    'svc_primary_link_breaks_total',
    ({ counts }) => counts.link_breaks,
  ],
  [
    'unexpected_error_replies',
    'stream_errors_total',
    'svc_replica_stream_errors_total',
    ({ counts }) => counts.stream_errors,
  ],
  ...reasons.map((name): Quantity => {
    const field = name.replaceAll('-', '_');
    const metric = `svc_replication_full_sync_reasons_total{reason="${name}"}`;
    return [`sync_full_${field}`, `full_syncs_${field}_total`, metric, reason(name)];
  }),
];

/** Asserts that all surfaces of a server show equal quantities. */
function assertAlike(at: Surfaces): void {
  for (const quantity of quantities) {
    const values = reported(at, quantity);
    const shown = JSON.stringify([quantity.slice(0, 3), ...values]);
    assert.ok(values.size >= 2, shown);
    assert.ok([...values.values()].every(Number.isFinite), shown);
    assert.is(new Set(values.values()).size, 1, shown);
  }
}

surfaces('of a primary and of its replica tell the same', async () => {
  const atPrimary = await readSurfaces(primary, there);
  assertAlike(atPrimary);
  assert.equal(atPrimary.document.counts.full_syncs_by_reason['first'], 1);
  assertAlike(await readSurfaces(replica, here));
});

surfaces('of a primary tell of each replica alike', async () => {
  const { info, document, metrics, role } = await readSurfaces(primary, there);
  const [report] = document.replicas;
  const place = `${report!.host}:${report!.listening_port}`;
  const labels = `{replica="${place}",state="online"}`;
  const slave = `{slave_ip="${report!.host}",slave_port="${report!.listening_port}",slave_state="online"}`;
  assert.is(
    info['slave0']?.replace(/,lag=\d+$/, ''),
    `ip=${report!.host},port=${report!.listening_port},state=online,offset=${report!.offset}`,
  );
  assert.match(
    info['replica0'] ?? '',
    `addr=${report!.addr},lag_bytes=${report!.lag_bytes},lag_ms=0,`,
  );
  assert.match(info['replica0'] ?? '', 'lag_source=timestamps');
  assert.equal([report!.lag_source, report!.lag_ms, report!.lag_bytes], ['timestamps', 0, 0]);
  assert.is(metrics.get(`svc_replica_acknowledged_offset_bytes${labels}`), report!.offset);
  assert.is(metrics.get(`svc_replica_behind_bytes${labels}`), report!.lag_bytes);
  assert.is(metrics.get(`svc_replica_behind_seconds${labels}`), 0);
  assert.is(metrics.get(`redis_connected_slave_offset_bytes${slave}`), report!.offset);
  assert.ok(metrics.has(`redis_connected_slave_lag_seconds${slave}`));
  assert.equal(role['replicas'], [
    {
      addr: report!.addr,
      host: report!.host,
      port: report!.listening_port,
      state: 'online',
      offset: report!.offset,
      lag_bytes: 0,
      lag_ms: 0,
    },
  ]);
});

surfaces('of a replica tell of its link alike', async () => {
  const { info, document, metrics, role } = await readSurfaces(replica, here);
  const link = document.primary!;
  const labels = `{master_host="127.0.0.1",master_port="${primary.port}"}`;
  assert.equal(
    [info['master_link_state'], info['master_link_state_reason']],
    [link.state, link.state_reason],
  );
  assert.is(Number(info['master_link_lag_ms']), link.lag_ms);
  assert.ok(link.lag_ms !== null && link.lag_ms >= 0 && link.lag_time_ms !== null);
  assert.is(metrics.get('svc_primary_link_lag_seconds'), link.lag_ms / 1_000);
  assert.is(metrics.get('svc_primary_link_up'), 1);
  assert.is(metrics.get('svc_is_replica'), 1);
  assert.is(
    metrics.get(`svc_primary_link_state{primary="127.0.0.1:${primary.port}",state="connected"}`),
    1,
  );
  assert.is(metrics.get(`redis_master_link_up${labels}`), 1);
  assert.is(
    metrics.get(labels.replace('{', 'redis_slave_info{').replace('}', ',read_only="1"}')),
    1,
  );
  assert.equal([info['slave_read_only'], link.read_only], ['1', true]);
  assert.is(metrics.get('redis_slave_priority'), link.priority);
  assert.is(info['slave_priority'], String(link.priority));
  assert.is(metrics.get(`redis_master_sync_in_progress${labels}`), 0);
  assert.is(metrics.get(`redis_slave_repl_offset${labels}`), link.offset);
  assert.ok(
    [...metrics.keys()].some(
      (name) => name.startsWith('redis_instance_info') && name.includes('role="slave"'),
    ),
  );
  assert.equal(
    { ...(role['primary'] as object) },
    {
      host: '127.0.0.1',
      port: primary.port,
      link_state: 'connected',
      link_up: true,
      lag_ms: link.lag_ms,
    },
  );
});

surfaces('the connection of a replica is none of the clients', async () => {
  const { connected_clients: clients } = await infoOf(there, 'clients');
  const metrics = metricsIn((await request(primary.httpPort, '/metrics')).text);
  assert.is(clients, '1');
  assert.is(metrics.get('redis_connected_clients'), 1);
  assert.is(metrics.get('svc_connections'), 2);
});

surfaces('are the same however often they are read', async () => {
  const before = await readSurfaces(primary, there);
  for (let nth = 0; nth < 30; nth += 1) {
    await request(primary.httpPort, '/metrics');
    await request(primary.httpPort, '/debug/api/replication');
    await request(primary.httpPort, '/status/json');
    await infoOf(there);
  }
  const after = await readSurfaces(primary, there);
  for (const quantity of quantities) {
    assert.equal(
      [...reported(after, quantity)],
      [...reported(before, quantity)],
      String(quantity[0] ?? quantity[1]),
    );
  }
  assert.equal(after.document.history, before.document.history);
});

surfaces('have the history of each link, with reasons', async () => {
  const { document } = await readSurfaces(primary, there);
  const ofReplica = document.history.filter(({ link }) => link === 'replica');
  assert.equal(
    ofReplica.map(({ state, reason: why }) => `${state}: ${why}`),
    [
      'wait_bgsave: waits for a full sync: the replica had no replication id',
      'send_bulk: receives a full sync',
      'online: full sync finished',
    ],
  );
  assert.ok(ofReplica.every(({ client }) => client === document.replicas[0]!.id));
  const atReplica = (await readSurfaces(replica, here)).document.history;
  assert.equal(
    atReplica.map(({ link, state }) => `${link} ${state}`),
    [
      'server replica',
      ...['connecting', 'handshake', 'sync', 'connected'].map((state) => `primary ${state}`),
    ],
  );
});

surfaces('the flight recorder and LATENCY have what happened', async () => {
  await here.call('CONFIG', 'SET', 'latency-monitor-threshold', '1');
  await here.call('REPLICAOF', 'NO', 'ONE');
  await here.call('SET', 'own', 'x');
  await here.call('REPLICAOF', '127.0.0.1', primary.port);
  await untilLinked(here);
  const seen = async (server: ChildServer): Promise<string> => {
    const { text } = await request(server.httpPort, '/debug/api/flight-recorder');
    return text;
  };
  const own = await seen(replica);
  for (const event of ['role-change', 'primary-link', 'sync-begin', 'sync-end']) {
    assert.match(own, `"event":"${event}"`);
  }
  assert.match(own, '"state":"connected"');
  assert.match(own, '"role":"primary"');
  const ended = /"event":"sync-end",[^}]*"bytes":[1-9]\d\d/;
  assert.match(own, ended);
  const others = await seen(primary);
  assert.match(others, ended);
  assert.match(others, '"event":"replica-state"');
  assert.match(others, '"reason":"first"');
  assert.match(others, '"state":"gone"');
  const latest = JSON.stringify(await here.call('LATENCY', 'LATEST'), (_key, value: unknown) =>
    Buffer.isBuffer(value) ? value.toString() : value,
  );
  assert.match(latest, 'repl-sync');
  // On a machine without processor time the sync was slow for that reason.
  assert.match(
    textOf(await here.call('LATENCY', 'DOCTOR')),
    /A full sync takes long|too little processor time when .*repl-sync/,
  );
});

surfaces('INFO has the memory of the stream as it is now', async () => {
  const memory = async (): Promise<number> =>
    Number((await infoOf(there, 'memory'))['mem_total_replication_buffers']);
  const before = await memory();
  await there.call('SET', 'long', 'x'.repeat(MIB));
  assert.ok((await memory()) - before >= MIB / 2);
  await untilSame(there, here);
});

surfaces.run();
