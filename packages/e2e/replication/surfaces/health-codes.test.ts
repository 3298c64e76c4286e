/** Health codes of replication: each comes with its cause, and goes with it. */

import type { StatusDocument } from '#api-types';
import {
  type ChildServer,
  LinkProxy,
  ReplyError,
  request,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeze, untilLinked, untilOnline } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';

const health = suite('health codes of replication');

let primary: ChildServer;
let replica: ChildServer;
let proxy: LinkProxy;
let there: RespClient;
let here: RespClient;

health.before(async () => {
  const args = [...AT_ONCE, '--set', 'status.replication-lag-warning-ms=200'];
  primary = await startServer({ http: true, args });
  proxy = await LinkProxy.to(primary.port);
  replica = await startServer({ http: true, args });
  there = await primary.client();
  here = await replica.client();
  await here.call('REPLICAOF', '127.0.0.1', proxy.port);
  await untilLinked(here);
  await untilOnline(there, 1);
});
health.after(async () => {
  replica.signal('SIGCONT');
  await replica.stop();
  await primary.stop();
  await proxy.close();
});

/** Codes of STATUS JSON and /status/json, which must be equal. */
async function codes(server: ChildServer, client: RespClient): Promise<readonly string[]> {
  const status = (await request(server.httpPort, '/status/json')).json() as StatusDocument;
  const own = JSON.parse(textOf(await client.call('STATUS', 'JSON'))) as StatusDocument;
  const all = [...status.health.issues, ...own.health.issues].map(({ code }) => code);
  return [...new Set(all)];
}

async function untilCode(server: ChildServer, client: RespClient, code: string): Promise<void> {
  await until(async () => (await codes(server, client)).includes(code), `${code} is told`);
}

async function untilWell(server: ChildServer, client: RespClient): Promise<void> {
  await until(async () => (await codes(server, client)).length === 0, 'the server is well again');
}

health(
  'REPLICATION_LAG comes with a replica that stands still, and goes when it has caught up',
  async () => {
    await untilWell(primary, there);
    await freeze(replica);
    await there.call('SET', 'late', 'x');
    await untilCode(primary, there, 'REPLICATION_LAG');
    replica.signal('SIGCONT');
    await untilWell(primary, there);
  },
);

health('NO_GOOD_REPLICAS comes with writes that are refused', async () => {
  await there.call('CONFIG', 'SET', 'min-replicas-to-write', '2');
  await untilCode(primary, there, 'NO_GOOD_REPLICAS');
  const reply = await there.reply('SET', 'refused', 'x');
  assert.match(reply instanceof ReplyError ? reply.message : '', 'NOREPLICAS');
  const { text } = await request(primary.httpPort, '/metrics');
  assert.match(text, /^svc_replication_lacks_replicas 1$/m);
  await there.call('CONFIG', 'SET', 'min-replicas-to-write', '0');
  await untilWell(primary, there);
});

health(
  'PRIMARY_LINK_DOWN and REPLICA_DOWN come on the two ends of a link that is cut',
  async () => {
    proxy.isClosed = true;
    proxy.cut();
    await untilCode(replica, here, 'PRIMARY_LINK_DOWN');
    await untilCode(primary, there, 'REPLICA_DOWN');
    proxy.isClosed = false;
    await untilLinked(here);
    await untilWell(replica, here);
    await untilWell(primary, there);
  },
);

health.run();
