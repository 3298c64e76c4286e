/** Figures of a cluster on all surfaces of its nodes: they are the same everywhere, and say what is wrong. */

import { gunzipSync } from 'node:zlib';
import type { ClusterDocument, ClusterNodeDocument, StatusDocument } from '#api-types';
import { CLUSTER_QUANTITIES } from '#quantities';
import { type ChildServer, needs, request, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  Etcd,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const surfaces = suite('surfaces of a cluster');

const WITH_NAMES = ['--set', 'http.redis-exporter-names=true'];
const SECRET = 'a-word-that-nobody-may-read';
/** Short enough that the end of a lease is seen. */
const LEASE_MS = 4_000;
const HALF = 8_191;

let etcd: Etcd;
let one: PlayedNode;
let replica: PlayedNode;
let two: PlayedNode;

surfaces.before(async () => {
  etcd = await Etcd.start();
  const wish = (group: string) => ({
    group,
    http: true,
    leaseMs: LEASE_MS,
    args: [...WITH_NAMES, '--set', `cluster.coordinator-password=${SECRET}`],
  });
  one = await startNode(etcd, wish('one'));
  two = await startNode(etcd, wish('two'));
  await one.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', HALF);
  await two.client.call('CLUSTER', 'ADDSLOTSRANGE', HALF + 1, '16383');
  await Promise.all([isWhole(one), isWhole(two)]);
  replica = await startNode(etcd, wish('one'));
  await hasRole(replica, 'slave');
});
surfaces.after(async () => {
  etcd.signal('SIGCONT');
  await Promise.all([one.server.stop(), two.server.stop(), replica.server.stop()]);
  await etcd.stop();
});

async function get<T>(server: ChildServer, path: string): Promise<T> {
  return (await request(server.httpPort, path)).json() as T;
}

function overviewOf({ server }: PlayedNode): Promise<ClusterDocument> {
  return get<ClusterDocument>(server, '/debug/api/cluster/overview');
}

function linesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => line.split(':') as [string, string]),
  );
}

/** Values of metrics by name, or by `name{label="value"}`. */
async function metricsOf(server: ChildServer): Promise<ReadonlyMap<string, number>> {
  const { text } = await request(server.httpPort, '/metrics');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

async function statusOf(client: RespClient): Promise<StatusDocument> {
  return JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as StatusDocument;
}

/** Fields of the overview, and lines of CLUSTER INFO, that are a row of the table of quantities. */
const OF_OVERVIEW: Readonly<Record<string, (cluster: ClusterDocument) => number>> = {
  up: ({ state }) => Number(state === 'ok'),
  is_primary: ({ role }) => Number(role === 'primary'),
  known_nodes: (cluster) => cluster.known_nodes,
  nodes_present: (cluster) => cluster.nodes.filter(({ present }) => present).length,
  size: (cluster) => cluster.groups.filter(({ slots }) => slots > 0).length,
  groups_without_primary: (cluster) => cluster.groups_without_primary,
  slots_assigned: ({ groups }) => groups.reduce((sum, { slots }) => sum + slots, 0),
  slots_ok: ({ slots }) => slots.ok,
  slots_fail: ({ slots }) => slots.fail,
  slots_free: ({ slots }) => slots.free,
  own_slots: ({ slots }) => slots.own,
  open_slots: ({ slots }) => slots.open.length,
  my_epoch: (cluster) => cluster.my_epoch,
  lease_losses_total: ({ lease }) => lease.losses,
  coordinator_up: ({ coordinator }) => Number(coordinator.up),
  redirects_moved_total: ({ redirects }) => redirects.moved,
  redirects_ask_total: ({ redirects }) => redirects.ask,
  redirects_tryagain_total: ({ redirects }) => redirects.tryagain,
  redirects_crossslot_total: ({ redirects }) => redirects.crossslot,
  redirects_clusterdown_total: ({ redirects }) => redirects.clusterdown,
  failovers_lease_lost_total: (all) => all.failovers_by_reason['lease-lost']!,
  discarded_writes_total: ({ discarded_writes: writes }) => writes,
  discarded_bytes_total: ({ discarded_bytes: bytes }) => bytes,
  failovers_handover_total: (all) => all.failovers_by_reason['handover']!,
};

/** Compares the figures of a node on all surfaces, by the name in the status document. */
async function assertAlike({ server, client }: PlayedNode): Promise<void> {
  const byCommand = linesOf(textOf(await client.call('CLUSTER', 'INFO')));
  const info = linesOf(textOf(await client.call('INFO', 'cluster')));
  const asked = await statusOf(client);
  const served = await get<StatusDocument>(server, '/status/json');
  const overview = await get<ClusterDocument>(server, '/debug/api/cluster/overview');
  const admin = await get<Record<string, unknown>>(server, '/admin/cluster');
  const metrics = await metricsOf(server);
  for (const row of Object.values(CLUSTER_QUANTITIES).flat()) {
    const {
      status = '',
      metric = '',
      label,
      moves,
    } = row as {
      readonly status?: string;
      readonly metric?: string;
      readonly label?: readonly [string, string];
      readonly moves?: boolean;
    };
    const name = status.replace('cluster.', '');
    if (name === '' || moves === true) continue;
    const labels = label === undefined ? '' : `{${label[0]}="${label[1]}"}`;
    const values = new Map<string, unknown>([
      ['STATUS', fieldOf(asked, name)],
      ['/status/json', fieldOf(served, name)],
      ['INFO', Number(info.get(`cluster_${name}`))],
      [metric, metrics.get(metric + labels)],
    ]);
    const line = byCommand.get(`cluster_${name}`);
    if (line !== undefined) values.set('CLUSTER INFO', Number(line));
    const field = OF_OVERVIEW[name];
    if (field !== undefined) values.set('overview', field(overview));
    if (typeof admin[name] === 'number') values.set('admin', admin[name]);
    const exporter = metrics.get(`redis_cluster_${name}`);
    if (exporter !== undefined) values.set('exporter', exporter);
    const shown = `${name}: ${JSON.stringify([...values])}`;
    assert.ok([...values.values()].every(Number.isFinite), shown);
    assert.is(new Set(values.values()).size, 1, shown);
  }
  assert.is(metrics.get('redis_cluster_state'), Number(byCommand.get('cluster_state') === 'ok'));
  assert.is(metrics.get('svc_cluster_enabled'), 1);
  assert.equal([asked.cluster.mode, asked.cluster.enabled], ['cluster', true]);
  assert.equal([admin['enabled'], admin['state']], [true, overview.state]);
}

function fieldOf({ cluster }: StatusDocument, name: string): unknown {
  return (cluster as unknown as Readonly<Record<string, unknown>>)[name];
}

/** Waits until the nodes have pinged each other, and know how many keys the others have. */
async function untilPinged(node: PlayedNode, others: number): Promise<ClusterDocument> {
  await until(async () => {
    const { nodes } = await overviewOf(node);
    const pinged = nodes.filter(
      ({ latency, keys }) => (latency?.last_us ?? null) !== null && keys !== null,
    );
    return pinged.length === others;
  }, 'the others were pinged');
  return overviewOf(node);
}

surfaces('of each node tell the same', async () => {
  for (const node of [one, two, replica]) await assertAlike(node);
  const { status } = (await statusOf(one.client)).health;
  assert.is(status, 'healthy');
});

surfaces('tell of all nodes and groups, and of the ways to them', async () => {
  await one.client.call('SET', 'k{06S}', 'v');
  const overview = await untilPinged(two, 2);
  assert.equal(
    overview.nodes.map(({ id, self, role, present }) => [id, self, role, present]).sort(),
    [
      [one.id, false, 'primary', true],
      [replica.id, false, 'replica', true],
      [two.id, true, 'primary', true],
    ].sort(),
  );
  const group = overview.groups.find(({ primary }) => primary === one.id)!;
  assert.equal(
    [group.replicas, group.ranges, group.reason],
    [[replica.id], [[0, HALF]], 'founded'],
  );
  const node = await get<ClusterNodeDocument>(two.server, `/debug/api/cluster/node/${one.id}`);
  assert.is(node.group_detail.id, group.id);
  assert.is(node.latency?.failures, 0);
  assert.ok(node.latency_samples.length > 0 && node.latency_samples.every(({ us }) => us > 0));
  assert.is(node.http, `http://127.0.0.1:${one.server.httpPort}`);
  const unknown = await request(two.server.httpPort, '/debug/api/cluster/node/abc');
  assert.equal([unknown.status, unknown.text], [404, '{"error":"node not found"}']);
  const { nodes } = await get<{ nodes: { id: string; latency_us: number | null }[] }>(
    two.server,
    '/admin/nodes',
  );
  assert.equal(nodes.map(({ id }) => id).sort(), overview.nodes.map(({ id }) => id).sort());
  await until(async () => {
    const metrics = await metricsOf(two.server);
    return [...metrics].some(
      ([name, value]) =>
        name.startsWith(`svc_cluster_node_latency_seconds{node="${one.id}"`) && value > 0,
    );
  }, 'the metrics tell of the latency');
});

surfaces('count redirects by kind and by library', async () => {
  const client = await one.server.client();
  await client.call('CLIENT', 'SETINFO', 'LIB-NAME', 'played');
  // Slots of these: 12182 is the other group's, and both are not of one.
  assert.match(textOf(await client.reply('GET', 'foo')), /^MOVED 12182 /);
  assert.match(textOf(await client.reply('MGET', 'foo', 'bar')), /^CROSSSLOT/);
  // Slot 5061 is migrating: a missing key is redirected, and of two keys one is missing.
  const { groups } = await overviewOf(one);
  assert.is(groups.length, 2);
  await client.call('CLUSTER', 'SETSLOT', '5061', 'MIGRATING', two.id);
  assert.match(textOf(await client.reply('GET', 'bar')), /^ASK 5061 /);
  await client.call('CLUSTER', 'SETSLOT', '5061', 'STABLE');
  await client.call('SET', '{bar}1', 'v');
  await client.call('CLUSTER', 'SETSLOT', '5061', 'MIGRATING', two.id);
  assert.match(textOf(await client.reply('MGET', '{bar}1', '{bar}2')), /^TRYAGAIN/);
  assert.is((await overviewOf(one)).slots.open[0]?.slot, 5061);
  await client.call('CLUSTER', 'SETSLOT', '5061', 'STABLE');
  const { redirects_by_library: libraries } = await overviewOf(one);
  assert.equal(
    libraries.find(({ library }) => library === 'played'),
    { library: 'played', moved: 1, ask: 1, tryagain: 1, crossslot: 1, clusterdown: 0 },
  );
  await until(async () => {
    const metrics = await metricsOf(one.server);
    return metrics.get('svc_cluster_library_redirects_total{library="played",kind="ask"}') === 1;
  }, 'the metrics tell of it');
  await assertAlike(one);
});

surfaces('are in the bundle, without passwords', async () => {
  const { bytes } = await request(one.server.httpPort, '/debug/api/bundle/generate');
  const archive = gunzipSync(bytes).toString('latin1');
  assert.match(archive, '/cluster.json');
  assert.match(archive, `"node_id": "${one.id}"`);
  assert.not.match(archive, SECRET);
});

surfaces(
  'say that a failover was, when and why, and that the cluster lacks a primary',
  async () => {
    const before = await overviewOf(two);
    one.server.signal('SIGKILL');
    await one.server.ended;
    await until(
      async () => (await overviewOf(two)).failovers_by_reason['lease-lost'] === 1,
      'a failover was seen',
    );
    const overview = await overviewOf(two);
    const event = overview.history.find(({ event: kind }) => kind === 'failover')!;
    assert.equal(
      [event.node, event.before, event.reason],
      [replica.id, one.id, 'the primary had no lease'],
    );
    assert.ok(event.epoch > before.my_epoch);
    assert.ok(
      overview.history.some(({ event: kind, node }) => kind === 'node-down' && node === one.id),
    );
    const { text } = await request(two.server.httpPort, '/debug/api/flight-recorder');
    assert.match(text, '"event":"cluster-failover"');
    assert.match(text, '"reason":"lease-lost"');
    await isWhole(replica);
    await assertAlike(two);
    await assertAlike(replica);
  },
);

surfaces('name slots and groups that nobody serves', async () => {
  const codes = async (): Promise<string[]> =>
    (await statusOf(two.client)).health.issues.map(({ code }) => code);
  replica.server.signal('SIGKILL');
  await replica.server.ended;
  await until(async () => (await codes()).includes('GROUP_WITHOUT_PRIMARY'), 'it is told');
  assert.ok((await codes()).includes('SLOTS_UNCOVERED'));
  const { groups, state_reason: reason } = await overviewOf(two);
  assert.is(reason, `${HALF + 1} slots are not served`);
  assert.ok(groups.some(({ without_primary_ms: ms }) => ms !== null && ms >= 0));
  await assertAlike(two);
});

surfaces('name a coordinator that does not answer, and a lease at risk', async () => {
  etcd.signal('SIGSTOP');
  const codes = async (): Promise<string[]> =>
    (await get<StatusDocument>(two.server, '/status/json')).health.issues.map(({ code }) => code);
  await until(async () => {
    const reported = await codes();
    return reported.includes('NO_COORDINATOR') && reported.includes('LEASE_AT_RISK');
  }, 'both are told');
  await until(
    async () => (await metricsOf(two.server)).get('svc_cluster_lease_remaining_seconds') === 0,
    'the lease has ended',
  );
  const overview = await overviewOf(two);
  assert.is(overview.coordinator.up, false);
  assert.ok(overview.coordinator.down_ms !== null);
  assert.ok(overview.coordinator.calls.some(({ errors }) => errors > 0));
  etcd.signal('SIGCONT');
  await until(async () => !(await codes()).includes('NO_COORDINATOR'), 'it answers again');
});

if (needs('etcd')) surfaces.run();
