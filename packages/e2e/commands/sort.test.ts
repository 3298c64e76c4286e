/** SORT BY and GET over shards: keys that depend on the elements, while other clients change them. */
// test-again: TEST_SPILLS=1
import { type ChildServer, keysOnShard, type RespClient, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const sorting = suite('SORT over shards');

const SHARDS = 3;
const ELEMENTS = Array.from({ length: 12 }, (_, nth) => String(nth));

let server: ChildServer;
let client: RespClient;

sorting.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
});
sorting.after(async () => {
  await server.stop();
});
sorting.before.each(async () => {
  await client.call('FLUSHALL');
  await client.call('RPUSH', 'list', ...ELEMENTS);
  await client.call('MSET', ...ELEMENTS.flatMap((nth) => [`w:${nth}`, String(-Number(nth))]));
  for (const nth of ELEMENTS) await client.call('HSET', `h:${nth}`, 'name', `n${nth}`);
});

const backwards = [...ELEMENTS].reverse();

sorting('elements are ordered and looked up by keys of all shards', async () => {
  assert.equal(await client.call('SORT', 'list', 'BY', 'w:*'), backwards);
  const words = ['SORT_RO', 'list', 'BY', 'w:*', 'LIMIT', '0', '2', 'GET', '#', 'GET', 'h:*->name'];
  assert.equal(await client.call(...words), ['11', 'n11', '10', 'n10']);
  assert.is(await client.call('SORT', 'list', 'BY', 'w:*', 'STORE', 'target'), ELEMENTS.length);
  assert.equal(await client.call('LRANGE', 'target', '0', '-1'), backwards);
  assert.is(await client.call('DBSIZE'), 2 * ELEMENTS.length + 2, 'no lent key is left behind');
});

sorting('so they are in a transaction', async () => {
  const replies = await client.pipeline([
    ['MULTI'],
    ['SORT', 'list', 'BY', 'w:*', 'LIMIT', '0', '1'],
    ['SET', 'w:3', '-100'],
    ['SORT', 'list', 'BY', 'w:*', 'GET', '#', 'LIMIT', '0', '1'],
    ['EXEC'],
    ['SORT', 'list', 'BY', 'w:*', 'LIMIT', '0', '1'],
  ]);
  assert.equal(replies.slice(-2), [[['11'], 'OK', ['3']], ['3']]);
});

sorting('errors are those of one shard', async () => {
  await client.call('SET', 'w:5', 'text');
  const [byText, wrongType, syntax] = await client.pipeline([
    ['SORT', 'list', 'BY', 'w:*'],
    ['SORT', 'w:1', 'BY', 'w:*'],
    ['SORT', 'list', 'BY', 'w:*', 'LIMIT'],
  ]);
  assert.match((byText as Error).message, /can't be converted into double/);
  assert.match((wrongType as Error).message, /^WRONGTYPE/);
  assert.match((syntax as Error).message, /syntax error/);
  assert.equal(await client.call('SORT', 'nowhere', 'BY', 'w:*'), []);
});

sorting('a key that is named waits for what is under way with it', async () => {
  const [list, named] = keysOnShard(0, SHARDS, 2) as [string, string];
  const [long] = keysOnShard(1, SHARDS, 1) as [string];
  const elsewhere = keysOnShard(2, SHARDS, 1, 'far')[0]!;
  const elements = Array.from({ length: 100_000 }, () => 'x'.repeat(20));
  // Where all that is named is of the list's own shard, and where some is not.
  for (const other of ['', elsewhere]) {
    const replies = await client.pipeline([
      ['DEL', list],
      ['RPUSH', list, named, ...(other === '' ? [] : [other])],
      ['RPUSH', long, ...elements],
      ['SET', named, 'no number'],
      ['RENAME', long, named],
      ['SORT_RO', list, 'BY', '*'],
      ['SORT', list, 'BY', '*', 'STORE', list],
    ]);
    // A list weighs nothing, so the elements are in their own order.
    const sorted = other === '' ? [named] : [other, named].sort();
    assert.equal(replies.slice(-3), ['OK', sorted, sorted.length]);
  }
});

sorting('a list that changes while it waits names other keys', async () => {
  const [list, first, second] = keysOnShard(0, SHARDS, 3) as [string, string, string];
  const [long, names] = keysOnShard(1, SHARDS, 2) as [string, string];
  const elements = Array.from({ length: 100_000 }, () => 'x'.repeat(20));
  const replies = await client.pipeline([
    ['RPUSH', list, first],
    ['RPUSH', names, second],
    ['RPUSH', long, ...elements],
    ['MSET', first, '1', second, 'no number'],
    ['RENAME', names, list],
    ['RENAME', long, second],
    ['SORT_RO', list, 'BY', '*'],
  ]);
  assert.equal(replies.slice(-3), ['OK', 'OK', [second]]);
});

sorting('keys are looked up as often as by one shard', async () => {
  const counts = async (...words: string[]): Promise<string> => {
    await client.call('CONFIG', 'RESETSTAT');
    await client.call(...words);
    const stats = textOf(await client.call('INFO', 'stats', 'commandstats'));
    const lines = stats.split('\r\n');
    const shown = /^keyspace_(hits|misses)|^cmdstat_sort/;
    return lines
      .filter((line) => shown.test(line))
      .map((line) => line.replace(/,.*/, ''))
      .join(' ');
  };
  const hits = 1 + 2 * ELEMENTS.length;
  assert.is(
    await counts('SORT', 'list', 'BY', 'w:*', 'GET', 'h:*->name', 'GET', 'none:*'),
    `keyspace_hits:${hits} keyspace_misses:${ELEMENTS.length} cmdstat_sort:calls=1`,
  );
  assert.is(
    await counts('SORT_RO', 'none', 'BY', 'w:*'),
    'keyspace_hits:0 keyspace_misses:1 cmdstat_sort_ro:calls=1',
  );
});

sorting('what is answered was true at one moment, however the keys change', async () => {
  let isOver = false;
  const change = async (nth: number): Promise<void> => {
    const own = await server.client();
    for (let round = 0; round < 60; round += 1) {
      const element = `e${nth}:${round}`;
      // The element and the key that belongs to it come and go together.
      await own.pipeline([
        ['MULTI'],
        ['RPUSH', 'list', element],
        ['SET', `w:${element}`, '5000'],
        ['EXEC'],
        ['MULTI'],
        ['LREM', 'list', '0', element],
        ['DEL', `w:${element}`],
        ['EXEC'],
      ]);
    }
    await own.end();
  };
  const look = async (): Promise<void> => {
    const own = await server.client();
    let looks = 0;
    while (!isOver) {
      const reply = (await own.call(
        'SORT',
        'list',
        'BY',
        'w:*',
        'GET',
        '#',
        'GET',
        'w:*',
      )) as unknown[];
      const weights = reply.filter((_, at) => at % 2 === 1);
      assert.not.ok(weights.includes(null), JSON.stringify(reply));
      looks += 1;
    }
    assert.ok(looks > 3);
    await own.end();
  };
  const looking = [look(), look()];
  await Promise.all([change(1), change(2), change(3)]).finally(() => (isOver = true));
  await Promise.all(looking);
});

sorting.run();
