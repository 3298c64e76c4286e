/** Snapshots asked for over HTTP: begun, refused with the reason, and taken or left out at the end. */
// test-tier: long
import { request, type RespClient, startServer, textOf, until, untilShardsSleep } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { snapshotsOf } from '../damage/data-files.ts';
import { keptServers } from '../durability/kept-server.ts';

const saving = suite('HTTP snapshots');
const newServer = keptServers(saving);

const post = async (port: number, path: string) => {
  const answer = await request(port, path, { method: 'POST' });
  return [answer.status, answer.json()];
};

const persistence = async (client: RespClient): Promise<string> =>
  textOf(await client.call('INFO', 'persistence'));

saving('a snapshot is begun, and one at a time', async () => {
  const kept = newServer();
  const client = await kept.start({ http: true, shards: 2 });
  const { httpPort } = kept.server;
  await client.call('SET', 'k', 'v');
  // The shards come to it when they have slept: until then it is under way.
  const other = await kept.server.client();
  const slept = client.call('DEBUG', 'SLEEP', '0.5');
  await untilShardsSleep(other);
  assert.equal(await post(httpPort, '/admin/snapshot'), [202, { status: 'started' }]);
  const busy = await post(httpPort, '/admin/snapshot');
  assert.equal(busy, [409, { error: 'a snapshot is already running' }]);
  await slept;
  await until(async () => /rdb_saves:1\r/.test(await persistence(client)), 'it is on disk');
  assert.is(snapshotsOf(kept.data).length, 1);
  assert.equal(await post(httpPort, '/admin/snapshot'), [202, { status: 'started' }]);
  await until(async () => /rdb_saves:2\r/.test(await persistence(client)), 'one more');
});

const ends: readonly (readonly [query: string, snapshots: number])[] = [
  ['', 1],
  ['?save=true', 1],
  ['?save=false', 0],
];
for (const [query, snapshots] of ends) {
  saving(`/admin/shutdown${query} leaves ${snapshots} snapshots of what has changed`, async () => {
    const kept = newServer();
    const client = await kept.start({ http: true, shards: 1 });
    await client.call('SET', 'k', 'v');
    const [status] = await post(kept.server.httpPort, `/admin/shutdown${query}`);
    assert.is(status, 202);
    assert.equal(await kept.server.ended, { exitCode: 0, signal: null });
    assert.is(snapshotsOf(kept.data).length, snapshots);
    assert.is(await (await kept.start()).call('GET', 'k'), 'v');
  });
}

saving('where nothing is kept on disk, that is said', async () => {
  const args = ['--set', 'persistence.enabled=no'];
  const server = await startServer({ http: true, shards: 1, args });
  const message = 'nothing is kept on disk: persistence.enabled is off';
  for (const path of ['/admin/snapshot', '/admin/shutdown?save=true']) {
    const answer = await post(server.httpPort, path);
    assert.equal(answer, [501, { error: 'not available', message }], path);
  }
  assert.is(await (await server.client()).call('PING'), 'PONG');
  await server.stop();
});

saving.run();
