/** Redlock: locks of several resources at once, whose keys are on several shards. */
// test-tier: long
import { Redis } from 'ioredis';
import Redlock, { ExecutionError, ResourceLockedError } from 'redlock';
import { type ChildServer, keyPerShard, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const redlock = suite('redlock');

const LONG_MS = 60_000;
/** A lock that ends on its own while a test waits for that. */
const SHORT_MS = 50;
const WORKERS = 4;
const ROUNDS = 5;

for (const shards of [1, 3]) {
  let server: ChildServer;
  redlock(`${String(shards)} shards: the server starts`, async () => {
    server = await startServer({ shards });
  });
  const resources = keyPerShard(shards, 'lock');

  const test = (name: string, run: (client: Redis, lock: Redlock) => Promise<void>): void => {
    redlock(`${String(shards)} shards: ${name}`, async () => {
      const client = new Redis(server.port, '127.0.0.1');
      try {
        await run(client, new Redlock([client], { retryCount: 0 }));
      } finally {
        client.disconnect();
      }
    });
  };

  test('a lock is held, extended and released', async (client, locks) => {
    const lock = await locks.acquire(resources, LONG_MS);
    const values = await client.mget(...resources);
    assert.equal(
      values,
      resources.map(() => lock.value),
    );
    for (const key of resources) assert.ok((await client.pttl(key)) <= LONG_MS);
    const extended = await lock.extend(2 * LONG_MS);
    assert.is(extended.value, lock.value);
    for (const key of resources) assert.ok((await client.pttl(key)) > LONG_MS);
    await extended.release();
    assert.is(await client.exists(...resources), 0);
  });

  test('all of the resources are locked, or none', async (client, locks) => {
    const [last = ''] = resources.slice(-1);
    const held = await locks.acquire([last], LONG_MS);
    const refused: unknown = await locks
      .acquire(['lock:other', ...resources], LONG_MS)
      .catch((error: unknown) => error);
    assert.instance(refused, ExecutionError);
    const [attempt] = await Promise.all((refused as ExecutionError).attempts);
    assert.instance(attempt?.votesAgainst.get(client), ResourceLockedError);
    assert.is(await client.exists('lock:other', ...resources), 1);
    await held.release();
    await (await locks.acquire(['lock:other', ...resources], LONG_MS)).release();
  });

  test('a lock that has ended is not extended or released', async (client, locks) => {
    const lock = await locks.acquire(resources, SHORT_MS);
    await until(async () => (await client.exists(...resources)) === 0, 'the lock has ended');
    const other = await locks.acquire(resources, LONG_MS);
    for (const act of [() => lock.extend(LONG_MS), () => lock.release()]) {
      const refused: unknown = await act().catch((error: unknown) => error);
      assert.instance(refused, ExecutionError);
    }
    assert.is(await client.get(resources[0]!), other.value);
    await other.release();
  });

  test('one at a time has a lock that many want', async (client) => {
    const counter = 'counter';
    const clients = Array.from({ length: WORKERS }, () => new Redis(server.port, '127.0.0.1'));
    const state = { holders: 0 };
    const work = async (own: Redis): Promise<void> => {
      const settings = { retryCount: -1, retryDelay: 5, retryJitter: 5 };
      const locks = new Redlock([own], { ...settings, automaticExtensionThreshold: 1_000 });
      for (let round = 0; round < ROUNDS; round += 1) {
        await locks.using(resources, LONG_MS, async (signal) => {
          state.holders += 1;
          assert.is(state.holders, 1);
          // A lost update unless no other client does the same meanwhile.
          await own.set(counter, Number(await own.get(counter)) + 1);
          assert.not(signal.aborted);
          state.holders -= 1;
        });
      }
    };
    try {
      await Promise.all(clients.map(work));
      assert.is(await client.get(counter), String(WORKERS * ROUNDS));
    } finally {
      for (const each of clients) each.disconnect();
    }
  });

  redlock(`${String(shards)} shards: the server stops`, async () => {
    await server.stop();
  });
}

redlock.run();
