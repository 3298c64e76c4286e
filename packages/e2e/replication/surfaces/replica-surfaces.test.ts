/** A replica's link on all surfaces: equal values, and probes that depend on it if configured. */

import type { ReplicationDocument, StatusDocument } from '#api-types';
import { type ChildServer, LinkProxy, request, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked, untilSame } from '../info.test-helper.ts';

const surfaces = suite('surfaces of a replica');

let primary: ChildServer;
let replica: ChildServer;
let proxy: LinkProxy;

surfaces.before(async () => {
  const args = ['--set', 'replication.diskless-sync-delay-secs=0'];
  primary = await startServer({ args });
  proxy = await LinkProxy.to(primary.port);
  replica = await startServer({ http: true, args: ['--set', 'http.ready-requires-sync=no'] });
});

surfaces.after(async () => {
  await replica.stop();
  await primary.stop();
  await proxy.close();
});

const get = async <Document>(path: string): Promise<Document> =>
  (await request(replica.httpPort, path)).json() as Document;

async function codes(): Promise<readonly string[]> {
  const { health } = await get<StatusDocument>('/status/json');
  return health.issues.map(({ code }) => code);
}

surfaces('tell of a link that is up alike', async () => {
  const here = await replica.client();
  const there = await primary.client();
  await here.call('REPLICAOF', '127.0.0.1', proxy.port);
  await untilLinked(here);
  await there.call('SET', 'key', 'value');
  await untilSame(there, here);
  const info = await infoOf(here);
  const role = (await here.call('ROLE')) as unknown[];
  const document = await get<ReplicationDocument>('/debug/api/replication');
  const link = document.primary!;
  assert.equal(role.map(String), [
    'slave',
    link.host,
    String(link.port),
    link.state,
    String(link.offset),
  ]);
  assert.equal(
    [info['master_host'], info['master_port'], info['slave_repl_offset'], info['master_replid']],
    [link.host, String(link.port), String(link.offset), document.replid],
  );
  assert.equal([link.state, link.sync, link.last_failure], ['connected', null, null]);
  assert.ok(link.bytes_received > 0);
  const status = await get<StatusDocument>('/status/json');
  assert.is(status.cluster.mode, 'replica');
  await until(async () => !(await codes()).includes('PRIMARY_LINK_DOWN'), 'the status is healthy');
  assert.equal((await get<{ role: string }>('/admin/role')).role, 'replica');
});

surfaces('tell of a link that is down, and the probe does where that is wanted', async () => {
  const here = await replica.client();
  proxy.isClosed = true;
  proxy.cut();
  await until(async () => (await codes()).includes('PRIMARY_LINK_DOWN'), 'the status tells it');
  const document = await get<ReplicationDocument>('/debug/api/replication');
  assert.match(document.primary!.last_failure ?? '', /closed|ECONN/);
  assert.is((await infoOf(here))['master_link_status'], 'down');
  assert.is((await request(replica.httpPort, '/readyz')).status, 200);
  await here.call('CONFIG', 'SET', 'http-ready-requires-sync', 'yes');
  await until(
    async () => (await request(replica.httpPort, '/readyz')).status === 503,
    'the replica is not ready',
  );
  const { text } = await request(replica.httpPort, '/readyz?verbose');
  assert.match(text, '[-]sync failed: the link to the primary is down');
  proxy.isClosed = false;
  await until(
    async () => (await request(replica.httpPort, '/readyz')).status === 200,
    'the replica is ready',
  );
  await here.call('REPLICAOF', 'NO', 'ONE');
  const after = await get<ReplicationDocument>('/debug/api/replication');
  assert.equal([after.role, after.primary], ['primary', null]);
  assert.equal(await codes(), []);
  assert.is(textOf(await here.call('GET', 'key')), 'value');
});

surfaces.run();
