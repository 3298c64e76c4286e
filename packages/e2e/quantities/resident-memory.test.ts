/** MEMORY STATS has Redis' fields, and explains what is resident, with little data and with much. */
// test-tier: long

import {
  type ChildServer,
  type Reply,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const resident = suite('resident memory');

const UNEXPLAINED_PERCENT_MAX = 5;
const VALUE_BYTES = 1_000;
const KEYS = 200_000;
/** Fields of Redis 7.4.1; configs/reference/differences-from-redis.md lists those that svc has not. */
const REDIS_FIELDS = [
  ...['peak.allocated', 'total.allocated', 'startup.allocated', 'replication.backlog'],
  ...['clients.slaves', 'clients.normal', 'cluster.links', 'aof.buffer', 'lua.caches'],
  ...['functions.caches', 'db.0', 'db.3', 'overhead.db.hashtable.lut'],
  ...['overhead.db.hashtable.rehashing', 'overhead.total', 'db.dict.rehashing.count'],
  ...['keys.count', 'keys.bytes-per-key', 'dataset.bytes', 'dataset.percentage'],
  ...['peak.percentage', 'allocator.allocated', 'allocator.active'],
  ...['allocator-fragmentation.ratio', 'allocator-fragmentation.bytes'],
  ...['fragmentation', 'fragmentation.bytes'],
];

let server: ChildServer;
let client: RespClient;

resident.before(async () => {
  server = await startServer();
  client = await server.client();
});
resident.after(async () => {
  await server.stop();
});

type Tree = ReadonlyMap<string, number | Reply[]>;

function treeOf(reply: Reply): Tree {
  const list = reply as Reply[];
  return new Map(
    list.flatMap((name, nth) => {
      if (nth % 2 === 1) return [];
      const value = list[nth + 1] as Reply;
      return [[textOf(name), Array.isArray(value) ? value : Number(value)] as const];
    }),
  );
}

const stats = async (): Promise<Tree> => treeOf(await client.call('MEMORY', 'STATS'));
const partOf = (tree: Tree, name: string): Tree => treeOf(tree.get(name) as Reply[]);

async function isExplained(): Promise<void> {
  const tree = partOf(await stats(), 'resident');
  const share = Number(tree.get('unexplained.percentage'));
  assert.ok(Number(tree.get('link')) > 0, 'rings are told of');
  const shown = JSON.stringify([...tree]);
  assert.ok(Math.abs(share) <= UNEXPLAINED_PERCENT_MAX, `${share} % are unexplained: ${shown}`);
}

/** True once every shard has reported its heap, which each does within a second of its start. */
async function hasHeaps(): Promise<boolean> {
  const heaps = partOf(partOf(await stats(), 'resident'), 'heaps');
  return [...heaps].every(([, bytes]) => Number(bytes) > 0);
}

resident('an empty server is explained', async () => {
  await until(hasHeaps, 'every thread has told of its heap');
  await isExplained();
});

resident('MEMORY STATS has the fields of Redis, in its order', async () => {
  await client.pipeline([
    ['SET', 'k', 'v', 'EX', '1000'],
    ['SELECT', '3'],
    ['SET', 'k', 'v'],
    ['SELECT', '0'],
  ]);
  // The databases are reported by the shards' pages, after their next update.
  await until(async () => (await stats()).has('db.3'), 'the database is told of');
  const tree = await stats();
  assert.equal([...tree.keys()], [...REDIS_FIELDS, 'resident']);
  const first = partOf(tree, 'db.0');
  const other = partOf(tree, 'db.3');
  assert.ok(Number(first.get('overhead.hashtable.expires')) > 0);
  const indexes = [first, other].flatMap((database) => [...database.values()].map(Number));
  const sum = indexes.reduce((total, each) => total + each, 0);
  // Databases without a key have an index each, too.
  assert.ok(sum <= Number(tree.get('overhead.db.hashtable.lut')));
  assert.is(tree.get('keys.bytes-per-key'), Math.floor(Number(tree.get('dataset.bytes')) / 2));
  await client.call('FLUSHALL');
});

resident('so is one with 200 MB of data', async () => {
  await client.call('DEBUG', 'POPULATE', String(KEYS), 'fill', String(VALUE_BYTES));
  const tree = await stats();
  assert.ok(Number(tree.get('dataset.bytes')) > KEYS * VALUE_BYTES);
  const buffers = partOf(partOf(tree, 'resident'), 'buffers');
  assert.ok(Number(buffers.get('resident')) > KEYS * VALUE_BYTES);
  await isExplained();
});

resident('a transaction is answered at once', async () => {
  await client.call('MULTI');
  await client.call('MEMORY', 'STATS');
  const [reply] = (await client.call('EXEC')) as Reply[];
  assert.ok(Number(partOf(treeOf(reply!), 'resident').get('files')) > 0);
});

resident.run();
