/** An end of a server while a replica lacks something: it serves reads until the replica has all, and can be called off. */
// test-limit: 60s

import {
  type ChildServer,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freeze, infoOf, untilLinked, untilOnline } from '../info.test-helper.ts';
import { AT_ONCE } from '../replicas.test-helper.ts';

const ends = suite('the end of a server with a replica that lacks something');

const PATIENT = [...AT_ONCE, '--set', 'server.shutdown-timeout-secs=1000'];

let primary: ChildServer;
let replica: ChildServer;
let client: RespClient;

ends.before(async () => {
  primary = await startServer({ shards: 2, args: PATIENT });
  replica = await startServer({ args: AT_ONCE });
  client = await primary.client();
  await (await replica.client()).call('REPLICAOF', '127.0.0.1', primary.port);
  await untilLinked(await replica.client());
  await untilOnline(client, 1);
  await client.call('SET', 'key', '1');
  await client.call('WAIT', '1', '0');
  await freeze(replica);
  await client.call('SET', 'key', '2');
});

ends.after(async () => {
  replica.signal('SIGCONT');
  await replica.stop();
  await primary.stop();
});

const leftMs = async (): Promise<string | undefined> =>
  (await infoOf(client, 'server'))['shutdown_in_milliseconds'];

const blockedClients = async (): Promise<string | undefined> =>
  (await infoOf(client, 'clients'))['blocked_clients'];

/** Ends the wait, and looks at what was held back. */
async function callsOff(write: Promise<unknown>): Promise<void> {
  assert.is(textOf(await client.call('GET', 'key')), '2');
  const late = await primary.client();
  assert.is(await late.call('PING'), 'PONG');
  await late.end();
  assert.is(await client.call('SHUTDOWN', 'ABORT'), 'OK');
  assert.is(await write, 'OK');
  assert.is(await leftMs(), undefined);
  const refused = await client.reply('SHUTDOWN', 'ABORT');
  assert.match(refused instanceof ReplyError ? refused.message : '', 'No shutdown in progress');
}

ends(
  'SIGTERM waits for the replica, serves reads, holds writes back, and can be called off',
  async () => {
    assert.is(await leftMs(), undefined);
    primary.signal('SIGTERM');
    await until(async () => Number(await leftMs()) > 900_000, 'the end is under way');
    const write = (await primary.client()).call('SET', 'other', '1');
    await callsOff(write);
  },
);

ends('SHUTDOWN too, and says that it was called off', async () => {
  const admin = await primary.client();
  const asked = admin.reply('SHUTDOWN');
  await until(async () => (await leftMs()) !== undefined, 'the end is under way');
  assert.is(await blockedClients(), '1');
  const write = (await primary.client()).call('SET', 'other', '2');
  await callsOff(write);
  const reply = await asked;
  assert.is(await blockedClients(), '0');
  assert.match(reply instanceof ReplyError ? reply.message : '', 'Errors trying to SHUTDOWN.');
  assert.is(await admin.call('PING'), 'PONG');
});

ends('it ends when the replica has all, and what was held back is not done', async () => {
  const held = await primary.client();
  primary.signal('SIGTERM');
  await until(async () => (await leftMs()) !== undefined, 'the end is under way');
  const lost = held.call('SET', 'key', '3').catch(() => 'lost');
  replica.signal('SIGCONT');
  assert.equal(await primary.ended, { exitCode: 0, signal: null });
  assert.is(await lost, 'lost');
  const there = await replica.client();
  assert.equal(await there.call('MGET', 'key', 'other'), ['2', '2']);
});

ends.run();
