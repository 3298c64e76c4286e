/** A full synchronisation that is under way: how much has come is the same on every surface of the replica. */
// test-tier: long

import type { ReplicationDocument, StatusDocument } from '#api-types';
import { LinkProxy, request, type RespClient, startServer, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { infoOf, untilLinked } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';
import { metricsIn } from './readings.test-helper.ts';

const progress = suite('progress of a full synchronisation');

const KEYS = 4_000;
const VALUE_BYTES = 5_000;
/** Bytes that the link lets through at first. */
const HELD_AT = 5_000_000;

for (const [how, args, reportsTotal] of [
  ['without a file', AT_ONCE, false],
  ['from a file', ['--set', 'replication.diskless-sync=no'], true],
] as const) {
  progress(`is told alike on all surfaces, ${how}`, async () => {
    const [primary, replica] = await Promise.all([
      startServer({ shards: 2, args }),
      startServer({ http: true, shards: 2 }),
    ]);
    const proxy = await LinkProxy.to(primary.port);
    proxy.passesBytes = HELD_AT;
    const there = await primary.client();
    const here = await replica.client();
    // Bytes that cannot be compressed.
    await there.pipeline(
      Array.from({ length: KEYS }, (_, nth) => ['SET', `key:${nth}`, noise(nth)]),
    );
    await here.call('SET', 'old', 'data');
    await here.call('REPLICAOF', '127.0.0.1', String(proxy.port));
    const get = async (path: string): Promise<unknown> =>
      (await request(replica.httpPort, path)).json();
    const read = async (): Promise<{
      info: Readonly<Record<string, string>>;
      sync: NonNullable<ReplicationDocument['primary']>['sync'];
      metrics: ReadonlyMap<string, number>;
      status: StatusDocument;
      probe: string;
    }> => ({
      info: await infoOf(here),
      sync: ((await get('/debug/api/replication')) as ReplicationDocument).primary?.sync ?? null,
      metrics: metricsIn((await request(replica.httpPort, '/metrics')).text),
      status: (await get('/status/json')) as StatusDocument,
      probe: (await request(replica.httpPort, '/readyz?verbose')).text,
    });
    let seen = await read();
    // Main updates its page with its ticks, so that a reading in between has the previous value on some surfaces.
    await until(async () => {
      seen = await read();
      const keys = seen.sync?.keys ?? 0;
      return (
        keys > 0 &&
        seen.metrics.get('svc_primary_sync_keys') === keys &&
        Number(seen.info['master_sync_keys']) === keys &&
        seen.status.replication.sync_bytes === seen.sync?.received_bytes &&
        seen.probe.includes(`${keys} keys`)
      );
    }, 'it is held, and told of');
    const { info, sync, metrics, status, probe } = seen;
    const { replication } = status;
    assert.is(info['master_sync_in_progress'], '1');
    assert.is(metrics.get('svc_primary_sync_in_progress'), 1);
    assert.is(replication.sync_in_progress, 1);
    const keys = sync!.keys;
    assert.ok(keys > 0 && keys < KEYS, `${keys} keys`);
    assert.equal(
      [
        Number(info['master_sync_keys']),
        replication.sync_keys,
        metrics.get('svc_primary_sync_keys'),
      ],
      [keys, keys, keys],
    );
    const bytes = sync!.received_bytes;
    assert.ok(bytes > HELD_AT / 2);
    assert.equal(
      [
        Number(info['master_sync_read_bytes']),
        replication.sync_bytes,
        metrics.get('svc_primary_sync_bytes'),
      ],
      [bytes, bytes, bytes],
    );
    const total = sync!.total_bytes;
    assert.is(total !== null, reportsTotal);
    assert.equal(
      [
        Number(info['master_sync_total_bytes']),
        replication.sync_total_bytes,
        metrics.get('svc_primary_sync_total_bytes'),
      ],
      [total ?? 0, total ?? 0, total ?? 0],
    );
    if (total !== null) {
      assert.is(Number(info['master_sync_left_bytes']), total - bytes);
      assert.is(info['master_sync_perc'], ((100 * bytes) / total).toFixed(2));
    }
    assert.match(probe, String(keys), 'the probe says how many keys have come');
    assert.is(textOf(await here.call('GET', 'old')), 'data', 'the old data are served meanwhile');
    assert.equal(await loading(here), ['0', '1']);
    proxy.release();
    await untilLinked(here);
    assert.equal([await here.call('DBSIZE'), await here.call('GET', 'old')], [KEYS, null]);
    assert.equal(await loading(here), ['0', '0']);
    await proxy.close();
    await Promise.all([primary.stop(), replica.stop()]);
  });
}

async function loading(client: RespClient): Promise<readonly (string | undefined)[]> {
  const info = await infoOf(client, 'persistence');
  return [info['loading'], info['async_loading']];
}

/** Text of a value that no compression shortens much, the same for the same number. */
function noise(seed: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < VALUE_BYTES) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += state.toString(36);
  }
  return text;
}

progress.run();
