/** SORT BY and GET over shards: keys that only the elements tell, while others change them. */
// test-limit: 60s
import { startServer, type ChildServer, type RespClient } from '#testkit';
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
