/** Primaries that are killed, stopped, or cut off from etcd: who takes their place, and what they do when they are back. */

import { needs, textOf, until, type RespClient } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LinkProxy } from '../replication/link-proxy.test-helper.ts';
import {
  Etcd,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const failover = suite('failover in a cluster');

/** As short as leases of etcd are. */
const LEASE_MS = 3_000;

let etcd: Etcd;
let primary: PlayedNode;
let replica: PlayedNode;

failover.before.each(async () => {
  etcd = await Etcd.start();
  const wish = { group: 'one', leaseMs: LEASE_MS };
  primary = await startNode(etcd, wish);
  await primary.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
  await isWhole(primary);
  replica = await startNode(etcd, wish);
  await hasRole(replica, 'slave');
});
failover.after.each(async () => {
  primary.server.signal('SIGCONT');
  etcd.signal('SIGCONT');
  await Promise.all([primary.server.stop(), replica.server.stop()]);
  await etcd.stop();
});

async function says(client: RespClient, ...words: readonly string[]): Promise<string> {
  return textOf(await client.reply(...words));
}

/** The same on a connection of its own: those that wait for replies are cut off when the lease is not sure. */
async function saysAnew({ server }: PlayedNode, ...words: readonly string[]): Promise<string> {
  const client = await server.client();
  const answer = await says(client, ...words).catch(() => 'cut off');
  client.socket.destroy();
  return answer;
}

/** Has a second replica, which others reach by a proxy at the port that it announces. */
async function withAnnounced(
  run: (other: PlayedNode, proxy: LinkProxy) => Promise<void>,
): Promise<void> {
  const proxy = await LinkProxy.to(0);
  const announced = ['--set', `cluster.announce-port=${proxy.port}`];
  const other = await startNode(etcd, { group: 'one', leaseMs: LEASE_MS, args: announced });
  try {
    proxy.target = other.server.port;
    await hasRole(other, 'slave');
    await run(other, proxy);
  } finally {
    other.server.signal('SIGCONT');
    await other.server.stop();
    await proxy.close();
  }
}

async function roleOf({ client }: PlayedNode): Promise<string> {
  const [role] = (await client.call('ROLE')) as string[];
  return role ?? '';
}

async function takesWrites({ client }: PlayedNode): Promise<void> {
  await until(async () => (await says(client, 'SET', 'taken', '1')) === 'OK', 'writes are taken');
}

failover('a replica takes the place of a primary that was killed', async () => {
  assert.is(await says(primary.client, 'SET', 'k', 'v'), 'OK');
  assert.is(await says(primary.client, 'WAIT', '1', '20000'), '1');
  primary.server.signal('SIGKILL');
  await takesWrites(replica);
  assert.is(await says(replica.client, 'GET', 'k'), 'v');
  assert.match(await says(replica.client, 'CLUSTER', 'NODES'), /slave,fail/);
});

failover('a primary that was stopped tells nobody of a write when it goes on', async () => {
  const { server, client } = primary;
  const other = await server.client();
  assert.is(await says(client, 'SET', 'k', 'before'), 'OK');
  assert.is(await says(client, 'WAIT', '1', '20000'), '1');
  server.signal('SIGSTOP');
  // It is in the socket when the process goes on.
  const late = client.reply('SET', 'k', 'late').then(textOf, () => 'cut off');
  await takesWrites(replica);
  assert.is(await says(replica.client, 'SET', 'k', 'after'), 'OK');
  server.signal('SIGCONT');
  assert.match(await late, /^(CLUSTERDOWN|MOVED|cut off)/);
  await until(async () => {
    const answer = await says(await server.client(), 'SET', 'k', 'again');
    assert.match(answer, /^(CLUSTERDOWN|MOVED)/);
    return answer.startsWith('MOVED');
  }, 'the old primary sends clients on');
  await hasRole(primary, 'slave').catch(async () => {
    // Its connection may have been cut off.
    primary = { ...primary, client: await server.client() };
    await hasRole(primary, 'slave');
  });
  await other.end();
  assert.is(await says(replica.client, 'GET', 'k'), 'after');
});

failover('a replica that is reached by another port takes the place when it is asked to', () =>
  withAnnounced(async (other, proxy) => {
    assert.is(await says(primary.client, 'SET', 'k', 'v'), 'OK');
    assert.is(await says(other.client, 'CLUSTER', 'FAILOVER'), 'OK');
    await hasRole(other, 'master');
    assert.is(await says(other.client, 'GET', 'k'), 'v');
    await hasRole(primary, 'slave');
    assert.match(await says(primary.client, 'ROLE'), new RegExp(`"127.0.0.1",${proxy.port},`));
  }),
);

failover('a write that was dropped with its primary is never confirmed', () =>
  withAnnounced(async (other, proxy) => {
    assert.is(await says(other.client, 'CLUSTER', 'FAILOVER'), 'OK');
    await hasRole(other, 'master');
    await hasRole(primary, 'slave');
    await hasRole(replica, 'slave');
    const { client } = other;
    assert.is(await says(client, 'SET', 'k', 'before'), 'OK');
    assert.is(await says(client, 'WAIT', '2', '20000'), '2');
    proxy.isSilent = true;
    assert.is(await says(client, 'SET', 'k', 'dropped'), 'OK');
    other.server.signal('SIGSTOP');
    await until(
      async () => [await roleOf(primary), await roleOf(replica)].includes('master'),
      'a replica takes over',
    );
    proxy.isSilent = false;
    proxy.cut();
    other.server.signal('SIGCONT');
    await hasRole(other, 'slave');
    assert.is(await says(other.client, 'CLUSTER', 'FAILOVER'), 'OK');
    await hasRole(other, 'master');
    assert.is(await says(client, 'GET', 'k'), 'before');
    assert.is(await says(client, 'WAIT', '1', '500'), '0');
    assert.is(await says(client, 'SET', 'k', 'after'), 'OK');
    assert.is(await says(client, 'WAIT', '1', '20000'), '1');
  }),
);

failover('without etcd writes stop when the lease is not sure, and go on with it', async () => {
  assert.is(await saysAnew(primary, 'SET', 'k', '1'), 'OK');
  etcd.signal('SIGSTOP');
  await until(
    async () => (await saysAnew(primary, 'SET', 'k', '2')).startsWith('CLUSTERDOWN The lease'),
    'writes are refused',
  );
  assert.match(await saysAnew(primary, 'GET', 'k'), /^CLUSTERDOWN/);
  assert.is(await saysAnew(primary, 'PING'), 'PONG');
  etcd.signal('SIGCONT');
  const wrote = async (node: PlayedNode): Promise<boolean> =>
    (await saysAnew(node, 'SET', 'k', '3')) === 'OK';
  // Either keeps or takes the place.
  await until(async () => (await wrote(primary)) || (await wrote(replica)), 'writes are taken');
});

failover('a node that stops in good order leaves its place at once', async () => {
  assert.is(await says(primary.client, 'SET', 'k', 'v'), 'OK');
  primary.server.signal('SIGTERM');
  await primary.server.ended;
  await takesWrites(replica);
  assert.is(await says(replica.client, 'GET', 'k'), 'v');
});

if (needs('etcd')) failover.run();
