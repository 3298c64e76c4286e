/** Messages that are published on one node of a cluster, and listened to on others. */

import { needs, type RespClient, textOf, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  startTrio,
  type PlayedNode,
} from './played-cluster.test-helper.ts';

const messages = suite('messages in a cluster');

// The slot of the channel `a`.
const SLOT_OF_A = '15495';
const MESSAGE_BYTES = 1024 * 1024;
/** More than is on its way to the kernel at any moment. */
const QUEUED_BYTES = 8 * MESSAGE_BYTES;

let etcd: Coordinator;
let first: PlayedNode;
let second: PlayedNode;
let replica: PlayedNode;

messages.before(async () => {
  etcd = await sharedEtcd();
  [first, second, replica] = await startTrio(etcd);
});
messages.after(async () => {
  await Promise.all([first, second, replica].map(({ server }) => server.stop()));
  await etcd.stop();
});

/** A client that listens. */
async function listener({ server }: PlayedNode, ...words: readonly string[]): Promise<RespClient> {
  const client = await server.client();
  await client.call(...words);
  return client;
}

const reported = async (client: RespClient): Promise<string> => {
  const message = (client.pushes.shift() ?? (await client.receive())) as unknown[];
  return message.map((word) => (word === null ? 'null' : textOf(word as never))).join(' ');
};

async function lostOf({ client }: PlayedNode): Promise<number> {
  const info = textOf(await client.call('CLUSTER', 'INFO'));
  return Number(/cluster_stats_messages_lost:(\d+)/.exec(info)?.[1]);
}

/** Waits until messages of a node reach a listener: its links may still be made. */
async function reaches(from: PlayedNode, to: RespClient): Promise<void> {
  await until(async () => {
    await from.client.call('PUBLISH', 'ch', 'are you there');
    return to.pushes.length > 0;
  }, 'a message comes');
}

/** Takes what has come of a node, up to its last message. */
async function drained(from: PlayedNode, client: RespClient): Promise<void> {
  await from.client.call('PUBLISH', 'ch', 'mark');
  while (!(await reported(client)).endsWith('mark'));
}

messages('PUBLISH reaches every node once, whichever it is sent to', async () => {
  const nodes = [first, second, replica];
  const listeners: RespClient[] = [];
  for (const node of nodes) listeners.push(await listener(node, 'PSUBSCRIBE', 'ch*'));
  for (const from of nodes) {
    for (const to of listeners) {
      await reaches(from, to);
      await drained(from, to);
    }
  }
  // Messages of other nodes are read up to a last mark of each node.
  const [a, b, c] = listeners as [RespClient, RespClient, RespClient];
  for (const from of nodes) {
    await from.client.call('PUBLISH', 'ch', `end of ${from.id}`);
    for (const client of listeners) while (!(await reported(client)).endsWith(`end of ${from.id}`));
  }
  assert.is(await second.client.call('PUBLISH', 'ch', 'one'), 1);
  await second.client.call('PUBLISH', 'ch', 'two');
  for (const client of [a, b, c]) {
    assert.is(await reported(client), 'pmessage ch* ch one');
    assert.is(await reported(client), 'pmessage ch* ch two');
  }
  const code = "return redis.call('PUBLISH', 'ch', 'of a script')";
  await first.client.call('EVAL', code, '0');
  for (const client of [a, b, c]) assert.is(await reported(client), 'pmessage ch* ch of a script');
  for (const client of [a, b, c]) await client.end();
});

messages("SPUBLISH reaches the nodes of the slot's group", async () => {
  const own = await listener(first, 'SSUBSCRIBE', 'a');
  const behind = await replica.server.client();
  await behind.call('READONLY');
  await behind.call('SSUBSCRIBE', 'a');
  assert.match(
    textOf(await second.client.reply('SSUBSCRIBE', 'a')),
    new RegExp(`^MOVED ${SLOT_OF_A} `),
  );
  assert.is(await first.client.call('SPUBLISH', 'a', 'm'), 1);
  assert.is(await reported(own), 'smessage a m');
  assert.is(await reported(behind), 'smessage a m');
  await Promise.all([own.end(), behind.end()]);
});

messages('a password is asked for, and a node that is not let in counts what is lost', async () => {
  const client = await listener(second, 'SUBSCRIBE', 'ch');
  await second.client.call('CONFIG', 'SET', 'requirepass', 'secret');
  await second.client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const before = await lostOf(first);
  await until(async () => {
    await first.client.call('PUBLISH', 'ch', 'lost');
    return (await lostOf(first)) > before;
  }, 'a message is lost');
  await first.client.call('CONFIG', 'SET', 'masterauth', 'secret');
  await reaches(first, client);
  await second.client.call('CONFIG', 'SET', 'requirepass', '');
  await client.end();
});

/** Memory of a node in INFO and in MEMORY STATS. */
async function memoryOf({ client }: PlayedNode): Promise<readonly [info: number, stats: number][]> {
  const info = textOf(await client.call('INFO', 'memory'));
  const stats = (await client.call('MEMORY', 'STATS')) as unknown[];
  const names = [
    ['mem_cluster_links', 'cluster.links'],
    ['mem_replication_backlog', 'replication.backlog'],
    ['mem_clients_slaves', 'clients.slaves'],
  ] as const;
  return names.map(([line, name]) => [
    Number(new RegExp(`^${line}:(\\d+)`, 'm').exec(info)?.[1]),
    Number(stats[stats.findIndex((word) => textOf(word as never) === name) + 1]),
  ]);
}

/** Bytes that wait for other nodes, by the list of links. */
async function queuedOf({ client }: PlayedNode): Promise<number> {
  const links = (await client.call('CLUSTER', 'LINKS')) as unknown[][];
  return links.reduce((sum, link) => sum + Number(link.at(-1)), 0);
}

messages('what waits for a node that reads nothing is told', async () => {
  const message = 'x'.repeat(MESSAGE_BYTES);
  const waiting = async (): Promise<number> => (await memoryOf(first))[0]![0];
  second.server.signal('SIGSTOP');
  try {
    await until(async () => {
      await first.client.call('PUBLISH', 'ch', message);
      return (await queuedOf(first)) >= QUEUED_BYTES;
    }, 'messages wait');
    await until(async () => (await waiting()) === (await queuedOf(first)), 'all tell the same');
    assert.ok((await waiting()) >= QUEUED_BYTES);
  } finally {
    second.server.signal('SIGCONT');
  }
  await until(async () => (await waiting()) === 0, 'nothing waits any more');
  await first.client.call('SET', 'a', 'for the backlog');
  const backlog = async (): Promise<number> => (await memoryOf(first))[1]![0];
  await until(async () => (await backlog()) > 0, 'the backlog has the write');
  for (const [info, stats] of await memoryOf(first)) assert.is(info, stats);
  const info = textOf(await first.client.call('INFO', 'replication'));
  assert.is(Number(/^repl_backlog_histlen:(\d+)/m.exec(info)?.[1]), await backlog());
  await first.client.call('DEL', 'a');
});

messages('who listens to a shard channel is told when its slot leaves', async () => {
  const client = await listener(first, 'SSUBSCRIBE', 'a');
  await client.call('SUBSCRIBE', 'other');
  const given = await first.client.reply('CLUSTER', 'SETSLOT', SLOT_OF_A, 'NODE', second.id);
  assert.is(textOf(given), 'OK');
  assert.is(await reported(client), 'sunsubscribe a 0');
  await first.client.call('PUBLISH', 'other', 'still');
  assert.is(await reported(client), 'message other still');
  await client.end();
});

if (needs('etcd')) messages.run();
