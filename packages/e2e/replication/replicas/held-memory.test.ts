/** Memory that a replica which reads nothing takes on its primary: no keys are evicted for it, and it is not closed for it. */

import { type ChildServer, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeze, infoOf, untilLinked, untilOnline } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';

const held = suite('memory that a slow replica takes');

const CHUNK = 'x'.repeat(64 * 1024);
const HELD_BYTES = 4 * 1024 * 1024;
/** The least that maxmemory-clients can be. */
const CLIENT_BYTES_MAX = 128 * 1024;
const CHUNKS_MAX = 1_000;

let primary: ChildServer;
let replica: ChildServer;
let client: RespClient;

held.before(async () => {
  const args = [...AT_ONCE, '--set', 'persistence.enabled=no'];
  args.push('--set', 'replication.backlog-size=16kb');
  primary = await startServer({ args });
  replica = await startServer({ args });
  client = await primary.client();
  await client.call('SET', 'key', CHUNK);
  await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
  await untilLinked(await replica.client());
  await untilOnline(client, 1);
  await freeze(replica);
});

held.after(async () => {
  replica.signal('SIGCONT');
  await replica.stop();
  await primary.stop();
});

const memory = async (field: string): Promise<number> =>
  Number((await infoOf(client, 'memory'))[field]);

held('it is none of the memory that maxmemory limits', async () => {
  const before = await memory('used_memory');
  let chunks = 0;
  while ((await memory('mem_clients_slaves')) < HELD_BYTES && chunks < CHUNKS_MAX) {
    await client.call('SETRANGE', 'key', '0', CHUNK);
    chunks += 1;
  }
  assert.ok((await memory('mem_clients_slaves')) >= HELD_BYTES);
  assert.ok((await memory('used_memory')) - before < CLIENT_BYTES_MAX);
  assert.ok((await memory('mem_clients_normal')) < CLIENT_BYTES_MAX);
});

held('maxmemory-clients does not close its connection', async () => {
  await client.call('CONFIG', 'SET', 'maxmemory-clients', CLIENT_BYTES_MAX);
  await client.call('SETRANGE', 'key', '0', CHUNK);
  assert.is((await infoOf(client))['connected_slaves'], '1');
  assert.is((await infoOf(client, 'stats'))['evicted_clients'], '0');
});

held('it is given back as soon as the replica is gone', async () => {
  assert.is(await client.call('CLIENT', 'KILL', 'TYPE', 'replica'), 1);
  await client.call('PING');
  assert.is(await memory('mem_clients_slaves'), 0);
});

held.run();
