/** Primaries that are stopped or cut off, from etcd or from clients: who takes their place, and what they do when they are back. */
// test-tier: long

import { LinkProxy, needs, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupWish, pairForEach, says, takesWrites } from './failover-pair.test-helper.ts';
import { hasRole, startNode, type PlayedNode } from './played-cluster.test-helper.ts';

const faults = suite('faults of a primary in a cluster');

const pair = pairForEach(faults);

/** Runs a command on a new connection: connections that wait for replies are closed when the lease is uncertain. */
async function reportsAgain({ server }: PlayedNode, ...words: readonly string[]): Promise<string> {
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
  const other = await startNode(pair.etcd, { ...groupWish, args: announced });
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

faults('a primary that was stopped tells nobody of a write when it goes on', async () => {
  const { server, client } = pair.primary;
  const other = await server.client();
  assert.is(await says(client, 'SET', 'k', 'before'), 'OK');
  assert.is(await says(client, 'WAIT', '1', '20000'), '1');
  server.signal('SIGSTOP');
  // It is in the socket when the process resumes.
  const late = client.reply('SET', 'k', 'late').then(textOf, () => 'cut off');
  await takesWrites(pair.replica);
  assert.is(await says(pair.replica.client, 'SET', 'k', 'after'), 'OK');
  server.signal('SIGCONT');
  assert.match(await late, /^(CLUSTERDOWN|MOVED|cut off)/);
  await until(async () => {
    const answer = await says(await server.client(), 'SET', 'k', 'again');
    assert.match(answer, /^(CLUSTERDOWN|MOVED)/);
    return answer.startsWith('MOVED');
  }, 'the old primary sends clients on');
  await hasRole(pair.primary, 'slave').catch(async () => {
    // Its connection may have been cut off.
    pair.primary = { ...pair.primary, client: await server.client() };
    await hasRole(pair.primary, 'slave');
  });
  await other.end();
  assert.is(await says(pair.replica.client, 'GET', 'k'), 'after');
});

faults('a replica that is reached by another port takes the place when it is asked to', () =>
  withAnnounced(async (other, proxy) => {
    assert.is(await says(pair.primary.client, 'SET', 'k', 'v'), 'OK');
    assert.is(await says(other.client, 'CLUSTER', 'FAILOVER'), 'OK');
    await hasRole(other, 'master');
    assert.is(await says(other.client, 'GET', 'k'), 'v');
    await hasRole(pair.primary, 'slave');
    assert.match(await says(pair.primary.client, 'ROLE'), new RegExp(`"127.0.0.1",${proxy.port},`));
  }),
);

faults('a write that was dropped with its primary is never confirmed', () =>
  withAnnounced(async (other, proxy) => {
    assert.is(await says(other.client, 'CLUSTER', 'FAILOVER'), 'OK');
    await hasRole(other, 'master');
    await hasRole(pair.primary, 'slave');
    await hasRole(pair.replica, 'slave');
    const { client } = other;
    assert.is(await says(client, 'SET', 'k', 'before'), 'OK');
    assert.is(await says(client, 'WAIT', '2', '20000'), '2');
    proxy.isSilent = true;
    assert.is(await says(client, 'SET', 'k', 'dropped'), 'OK');
    other.server.signal('SIGSTOP');
    await until(
      async () => [await roleOf(pair.primary), await roleOf(pair.replica)].includes('master'),
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

faults('without etcd writes stop when the lease is not sure, and go on with it', async () => {
  assert.is(await reportsAgain(pair.primary, 'SET', 'k', '1'), 'OK');
  pair.etcd.signal('SIGSTOP');
  await until(
    async () =>
      (await reportsAgain(pair.primary, 'SET', 'k', '2')).startsWith('CLUSTERDOWN The lease'),
    'writes are refused',
  );
  assert.match(await reportsAgain(pair.primary, 'GET', 'k'), /^CLUSTERDOWN/);
  assert.is(await reportsAgain(pair.primary, 'PING'), 'PONG');
  pair.etcd.signal('SIGCONT');
  const wrote = async (node: PlayedNode): Promise<boolean> =>
    (await reportsAgain(node, 'SET', 'k', '3')) === 'OK';
  // Either keeps or takes the place.
  await until(
    async () => (await wrote(pair.primary)) || (await wrote(pair.replica)),
    'writes are taken',
  );
});

if (needs('etcd')) faults.run();
