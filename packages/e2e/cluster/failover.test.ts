/** Primaries that are killed or stop: who takes their place. */

import { needs } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pairForEach, says, takesWrites } from './failover-pair.test-helper.ts';

const failover = suite('failover in a cluster');

const pair = pairForEach(failover);

failover('a replica takes the place of a primary that was killed', async () => {
  assert.is(await says(pair.primary.client, 'SET', 'k', 'v'), 'OK');
  assert.is(await says(pair.primary.client, 'WAIT', '1', '20000'), '1');
  pair.primary.server.signal('SIGKILL');
  await takesWrites(pair.replica);
  assert.is(await says(pair.replica.client, 'GET', 'k'), 'v');
  assert.match(await says(pair.replica.client, 'CLUSTER', 'NODES'), /slave,fail/);
});

failover('a node that stops in good order leaves its place at once', async () => {
  assert.is(await says(pair.primary.client, 'SET', 'k', 'v'), 'OK');
  pair.primary.server.signal('SIGTERM');
  await pair.primary.server.ended;
  await takesWrites(pair.replica);
  assert.is(await says(pair.replica.client, 'GET', 'k'), 'v');
});

if (needs('etcd')) failover.run();
