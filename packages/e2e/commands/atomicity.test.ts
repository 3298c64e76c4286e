/**
 * Many connections try to see something half done: keys of all shards that are written together, a
 * token that is passed from key to key, a flush in the middle.
 */
// test-tier: long
import {
  type ChildServer,
  keyPerShard,
  keysOnShard,
  type Reply,
  type RespClient,
  startServer,
  textOf,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const atomicity = suite('atomicity');

const SHARDS = 4;
const ROUNDS = 150;
/** Commands that a connection has under way at a time. */
const DEPTH = 8;

let server: ChildServer;

atomicity.before(async () => {
  server = await startServer({ shards: SHARDS });
});
atomicity.after(async () => {
  await server.stop();
});

/** Connections that continue as long as the writers work. */
async function contend(
  writers: readonly ((client: RespClient, round: number) => Promise<unknown>)[],
  readers: readonly ((client: RespClient) => Promise<void>)[],
): Promise<void> {
  let isOver = false;
  let looks = 0;
  const reading = readers.map(async (read) => {
    const client = await server.client();
    while (!isOver) {
      await read(client);
      looks += 1;
    }
  });
  const writing = writers.map(async (write) => {
    const client = await server.client();
    for (let round = 0; round < ROUNDS; round += 1) await write(client, round);
  });
  await Promise.all([Promise.all(writing).finally(() => (isOver = true)), ...reading]);
  assert.ok(looks > 10, 'readers looked while writers wrote');
}

const repeated = (words: readonly string[]): (readonly string[])[] =>
  new Array<readonly string[]>(DEPTH).fill(words);

function ok(replies: readonly Reply[]): void {
  for (const reply of replies) if (reply instanceof Error) throw reply;
}

atomicity('MGET never sees a part of an MSET', async () => {
  const keys = [...keyPerShard(SHARDS, 'a'), ...keyPerShard(SHARDS, 'b')];
  await (await server.client()).call('MSET', ...keys.flatMap((key) => [key, 'first']));
  const writer = (name: string) => async (client: RespClient, round: number) => {
    const values = Array.from({ length: DEPTH }, (_, nth) => `${name}:${round}:${nth}`);
    ok(await client.pipeline(values.map((value) => ['MSET', ...keys.flatMap((k) => [k, value])])));
  };
  const reader = async (client: RespClient): Promise<void> => {
    for (const reply of await client.pipeline(repeated(['MGET', ...keys]))) {
      assert.is(new Set(reply as string[]).size, 1, textOf(reply));
    }
  };
  await contend([writer('x'), writer('y'), writer('z')], [reader, reader, reader]);
});

atomicity('a token that is renamed around is always in exactly one place', async () => {
  const places = [0, 1, 2, 3].flatMap((shard) => keysOnShard(shard, SHARDS, 2, 'place'));
  const admin = await server.client();
  await admin.call('SET', places[0]!, 'token');
  const mover = async (client: RespClient, round: number): Promise<void> => {
    const moves = Array.from({ length: DEPTH }, (_, nth) => {
      const from = (round * DEPTH + nth) % places.length;
      return ['RENAME', places[from]!, places[(from + 1) % places.length]!];
    });
    ok(await client.pipeline(moves));
  };
  /** Its moves often find nothing to move, and must then change nothing. */
  const rival = async (client: RespClient, round: number): Promise<void> => {
    const place = places[round % places.length]!;
    await client.pipeline(
      repeated(['RENAMENX', place, place === places[0] ? places[1]! : places[0]!]),
    );
  };
  const reader = async (client: RespClient): Promise<void> => {
    for (const reply of await client.pipeline(repeated(['MGET', ...places]))) {
      const holders = (reply as (string | null)[]).filter((value) => value !== null);
      assert.equal(holders, ['token']);
    }
    assert.is(await client.call('EXISTS', ...places), 1);
  };
  await contend([mover], [reader, reader, reader]);
  await contend([rival, rival], [reader, reader]);
  await admin.call('DEL', ...places);
});

atomicity('MSETNX takes all keys or none', async () => {
  const keys = keyPerShard(SHARDS, 'lock');
  const owner = (name: string) => async (client: RespClient) => {
    const taken = await client.call('MSETNX', ...keys.flatMap((key) => [key, name]));
    if (taken !== 1) return;
    assert.equal(
      await client.call('MGET', ...keys),
      keys.map(() => name),
    );
    assert.is(await client.call('DEL', ...keys), keys.length);
  };
  const reader = async (client: RespClient): Promise<void> => {
    for (const reply of await client.pipeline(repeated(['MGET', ...keys]))) {
      assert.is(new Set(reply as (string | null)[]).size, 1, textOf(reply));
    }
  };
  await contend([owner('one'), owner('two'), owner('three')], [reader, reader]);
});

atomicity('commands of a transaction that only reads see one state', async () => {
  const keys = keyPerShard(SHARDS, 'seen');
  const admin = await server.client();
  await admin.call('MSET', ...keys.flatMap((key) => [key, 'first']));
  const size = (await admin.call('DBSIZE')) as number;
  const [source = '', target = ''] = keyPerShard(SHARDS, 'moved');
  const writer = (name: string) => async (client: RespClient, round: number) => {
    const more = keyPerShard(SHARDS, name);
    ok(
      await client.pipeline([
        ['MSET', ...keys.flatMap((key) => [key, `${name}:${round}`])],
        ['MSET', ...more.flatMap((key) => [key, 'more'])],
        ['DEL', ...more],
        // Keys that are lent meanwhile.
        ['MSET', source, '1', ...more.slice(1).flatMap((key) => [key, 'more'])],
        ['RENAME', source, target],
        ['DEL', target, ...more.slice(1)],
      ]),
    );
  };
  const reads = [
    ['MULTI'],
    ['GET', keys[0]!],
    ['DBSIZE'],
    ...keys.map((key) => ['GET', key]),
    ['DBSIZE'],
    ['EXEC'],
  ];
  const reader = async (client: RespClient): Promise<void> => {
    const replies = await client.pipeline([...reads, ...reads, ...reads]);
    ok(replies);
    for (const reply of replies.filter(Array.isArray)) {
      const sizes = reply.filter((value) => typeof value === 'number');
      assert.is(sizes[0], sizes[1], textOf(reply));
      assert.is((sizes[0]! - size) % SHARDS, 0, textOf(reply));
      const values = reply.filter((value) => typeof value === 'string');
      assert.is(new Set(values).size, 1, textOf(reply));
    }
  };
  await contend([writer('w1'), writer('w2')], [reader, reader, reader]);
  await admin.call('DEL', ...keys);
});

atomicity('a copy is never ahead of its source, and never more than one step behind', async () => {
  const [source = '', target = ''] = keyPerShard(SHARDS, 'copy');
  const admin = await server.client();
  await admin.call('MSET', source, '0', target, '0');
  const writer = async (client: RespClient): Promise<void> => {
    const step = [
      ['INCR', source],
      ['COPY', source, target, 'REPLACE'],
    ];
    ok(await client.pipeline(Array.from({ length: DEPTH }, () => step).flat()));
  };
  const reader = async (client: RespClient): Promise<void> => {
    for (const reply of await client.pipeline(repeated(['MGET', source, target]))) {
      const [ahead, behind] = (reply as string[]).map(Number);
      assert.ok(ahead! - behind! === 0 || ahead! - behind! === 1, textOf(reply));
    }
  };
  await contend([writer], [reader, reader]);
  assert.equal(await admin.call('MGET', source, target), [
    `${ROUNDS * DEPTH}`,
    `${ROUNDS * DEPTH}`,
  ]);
});

atomicity('counters of other keys lose nothing beside lent ones', async () => {
  const [a = '', b = '', c = ''] = keyPerShard(SHARDS, 'count');
  const admin = await server.client();
  await admin.call('MSET', a, '0', c, '0');
  await admin.call('DEL', b);
  // The counter moves between two shards while others count it wherever it is.
  const mover = async (client: RespClient): Promise<void> => {
    ok(
      await client.pipeline([
        ['RENAME', a, b],
        ['RENAME', b, a],
      ]),
    );
  };
  const counter = async (client: RespClient): Promise<void> => {
    ok(await client.pipeline(repeated(['INCR', c])));
  };
  const reader = async (client: RespClient): Promise<void> => {
    assert.is(typeof (await client.call('GET', c)), 'string');
  };
  await contend([mover, counter, counter], [reader]);
  assert.is(await admin.call('GET', c), String(2 * ROUNDS * DEPTH));
  assert.is(await admin.call('GET', a), '0');
});

atomicity('FLUSHALL and MSET see each other whole', async () => {
  const admin = await server.client();
  await admin.call('FLUSHALL');
  const keys = keyPerShard(SHARDS, 'flush');
  const writer = async (client: RespClient, round: number): Promise<void> => {
    ok(await client.pipeline(repeated(['MSET', ...keys.flatMap((key) => [key, String(round)])])));
  };
  const flusher = async (client: RespClient): Promise<void> => {
    ok(await client.pipeline([['FLUSHALL'], ['PING'], ['FLUSHDB']]));
  };
  const reader = async (client: RespClient): Promise<void> => {
    const replies = await client.pipeline([['MGET', ...keys], ['DBSIZE'], ['KEYS', '*']]);
    assert.is(new Set(replies[0] as (string | null)[]).size, 1, textOf(replies[0]));
    assert.ok(replies[1] === 0 || replies[1] === keys.length, `${textOf(replies[1])} keys`);
    const { length } = replies[2] as Reply[];
    assert.ok(length === 0 || length === keys.length, `${length} names`);
  };
  await contend([writer, writer, flusher], [reader, reader]);
});

atomicity('databases are exchanged at one moment', async () => {
  const admin = await server.client();
  await admin.call('FLUSHALL');
  const keys = keyPerShard(SHARDS, 'swap');
  for (const database of [0, 1]) {
    await admin.call('SELECT', database);
    await admin.call('MSET', ...keys.flatMap((key) => [key, `of ${database}`]));
  }
  const swapper = async (client: RespClient): Promise<void> => {
    ok(await client.pipeline(repeated(['SWAPDB', '0', '1'])));
  };
  const reader = async (client: RespClient): Promise<void> => {
    for (const reply of await client.pipeline(repeated(['MGET', ...keys]))) {
      assert.is(new Set(reply as string[]).size, 1, textOf(reply));
    }
  };
  await contend([swapper], [reader, reader]);
});

atomicity('MOVE does not overtake what waits for the key in its other database', async () => {
  const client = await server.client();
  const [moved = '', renamed = ''] = keysOnShard(0, SHARDS, 2, 'move');
  const [lent = ''] = keysOnShard(1, SHARDS, 1, 'move');
  const round = [
    ['FLUSHALL'],
    ['SELECT', '0'],
    ['SET', moved, 'v'],
    ['SELECT', '1'],
    ['SET', lent, 'v'],
    ['RENAME', lent, renamed],
    ['DEL', moved, renamed],
    ['SELECT', '0'],
    ['MOVE', moved, '1'],
  ];
  const commands = Array.from({ length: DEPTH }, () => round).flat();
  const replies = await client.pipeline(commands);
  for (let at = 0; at < replies.length; at += round.length) {
    assert.equal(replies.slice(at + 5, at + round.length), ['OK', 1, 'OK', 1]);
  }
});

atomicity('a group reads streams of all shards, each entry once', async () => {
  const keys = keyPerShard(SHARDS, 'stream');
  const client = await server.client();
  const perKey = 300;
  for (const key of keys) {
    await client.call('XGROUP', 'CREATE', key, 'group', '0', 'MKSTREAM');
    const adds = Array.from({ length: perKey }, (_, nth) => ['XADD', key, `${nth + 1}`, 'a', key]);
    ok(await client.pipeline(adds));
  }
  const seen: string[] = [];
  const consume = async (name: string): Promise<void> => {
    const reader = await server.client();
    const words = ['XREADGROUP', 'GROUP', 'group', name, 'COUNT', '7', 'STREAMS', ...keys];
    for (;;) {
      const reply = await reader.call(...words, ...keys.map(() => '>'));
      if (reply === null) return;
      for (const [key, entries] of reply as [string, [string, string[]][]][]) {
        for (const [id] of entries) seen.push(`${key} ${id}`);
      }
    }
  };
  await Promise.all(['one', 'two', 'three'].map(consume));
  assert.is(seen.length, SHARDS * perKey);
  assert.is(new Set(seen).size, SHARDS * perKey);
  for (const key of keys) {
    const [pending] = (await client.call('XPENDING', key, 'group')) as number[];
    assert.is(pending, perKey);
  }
});

atomicity.run();
