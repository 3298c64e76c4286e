/** XREADGROUP BLOCK CLAIM: clients that wait until an entry of another consumer has been idle for long enough. */
// test-again: TEST_SPILLS=1
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  blocked,
  call,
  client,
  newClient,
  placedKeys,
  serveBlocked,
  waiting,
} from './blocked-clients.ts';

const claims = suite('blocked claims');

const { here, near, far } = placedKeys('claimed');

serveBlocked(claims);

/** Both keys are streams with a group that has delivered its only entry. */
async function deliver(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await call(client, `XADD ${key} 1-1 f v`);
    await call(client, `XGROUP CREATE ${key} g 0`);
    await call(client, `XREADGROUP GROUP g lost STREAMS ${key} >`);
  }
}

type Served = readonly [
  [key: string, [[id: string, fields: unknown, idle: number, times: number]]],
];

for (const [what, first, second] of [
  ['one shard', here, near],
  ['several shards', here, far],
] as const) {
  const read = `XREADGROUP GROUP g c BLOCK 0 CLAIM 300 STREAMS ${first} ${second} > >`;

  claims(`on ${what}: an entry is delivered when it has been idle for long enough`, async () => {
    await deliver(second);
    await call(client, `XGROUP CREATE ${first} g 0 MKSTREAM`);
    const { reply } = await waiting(read);
    const [[key, [[id, , idle, times]]]] = (await reply) as Served;
    assert.equal([key, id, times], [second, '1-1', 1]);
    assert.ok(idle >= 300, `${idle}`);
    await blocked(0);
    const pending = (await call(client, `XPENDING ${second} g - + 10`)) as unknown[][];
    assert.equal([pending[0]![1], pending[0]![3]], ['c', 2]);
  });

  claims(`on ${what}: one of two clients gets it, and a new entry serves the other`, async () => {
    await deliver(first);
    await call(client, `XGROUP CREATE ${second} g 0 MKSTREAM`);
    const waits = [await waiting(read), await waiting(read)];
    await blocked(1);
    await call(client, `XADD ${second} 7-1 f v`);
    const replies = (await Promise.all(waits.map(({ reply }) => reply))) as Served[];
    assert.equal(replies.map(([[, [[id]]]]) => id).sort(), ['1-1', '7-1']);
    assert.is(replies.flat().length, 2);
  });

  claims(`on ${what}: a released entry is delivered at once`, async () => {
    await deliver(first, second);
    const { reply } = await waiting(read.replace('CLAIM 300', 'CLAIM 1000000'));
    await call(client, `XNACK ${second} g FAIL IDS 1 1-1`);
    const [[key, [[id]]]] = (await reply) as Served;
    assert.equal([key, id], [second, '1-1']);
    await blocked(0);
  });

  claims(`on ${what}: without anything to claim the time ends the wait`, async () => {
    await deliver(first, second);
    const line = read.replace('BLOCK 0 CLAIM 300', 'BLOCK 100 CLAIM 1000000');
    const { reply } = await waiting(line);
    assert.is(await reply, null);
  });

  claims(`on ${what}: an entry that is delivered meanwhile is waited for too`, async () => {
    await call(client, `XGROUP CREATE ${first} g 0 MKSTREAM`);
    await call(client, `XGROUP CREATE ${second} g 0 MKSTREAM`);
    const { reply } = await waiting(read.replace('CLAIM 300', 'CLAIM 60'));
    const both = await newClient();
    // New entries would serve the client: this one is delivered in the same step.
    await call(both, 'MULTI');
    await call(both, `XADD ${second} 1-1 f v`);
    await call(both, `XREADGROUP GROUP g lost STREAMS ${second} >`);
    await call(both, 'EXEC');
    const [[key, [[id, , , times]]]] = (await reply) as Served;
    assert.equal([key, id, times], [second, '1-1', 1]);
  });
}

claims('while writes are paused nothing is claimed', async () => {
  await deliver(here);
  const { reply } = await waiting(`XREADGROUP GROUP g c BLOCK 0 CLAIM 50 STREAMS ${here} >`);
  await call(client, 'CLIENT PAUSE 100000 WRITE');
  const ofOwner = async (): Promise<unknown[]> =>
    ((await call(client, `XPENDING ${here} g - + 1`)) as unknown[][])[0]!;
  await until(async () => Number((await ofOwner())[2]) > 200, 'the entry is idle for long enough');
  assert.is((await ofOwner())[1], 'lost');
  await blocked(1);
  await call(client, 'CLIENT UNPAUSE');
  const [[key]] = (await reply) as Served;
  assert.is(key, here);
});

claims('in a transaction and in a script nothing waits', async () => {
  await deliver(here);
  const line = `XREADGROUP GROUP g c BLOCK 0 CLAIM 1000000 STREAMS ${here} >`;
  await call(client, 'MULTI');
  await call(client, line);
  assert.equal(await call(client, 'EXEC'), [null]);
  const script = `return redis.call(unpack(ARGV))`;
  const reply = await client.call('EVAL', script, 1, here, ...line.split(' '));
  assert.is(reply, null);
});

claims.run();
