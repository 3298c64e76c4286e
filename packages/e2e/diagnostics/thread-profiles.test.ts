/** DEBUG SHARD: profiles and heaps of threads of a real server, while others are served. */
import {
  byName,
  type ChildServer,
  keyPerShard,
  ReplyError,
  type RespClient,
  startServer,
  textOf,
  until,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const profiles = suite('profiles of threads');

const SHARDS = 2;
let server: ChildServer;
let client: RespClient;
let other: RespClient;

profiles.before(async () => {
  server = await startServer({ shards: SHARDS });
  client = await server.client();
  other = await server.client();
  // Shards are loaded when they answer.
  await client.call('DBSIZE');
});
profiles.after(async () => {
  await server.stop();
});

interface Profile {
  readonly nodes: readonly {
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly startTime: number;
  readonly endTime: number;
}

async function profile(thread: string | number, seconds: number): Promise<Profile> {
  const reply = await client.call('DEBUG', 'SHARD', thread, 'PROFILE', seconds);
  return JSON.parse(textOf(reply)) as Profile;
}

/** Returns the error that the call fails with. */
async function refusal(from: RespClient, ...words: (string | number)[]): Promise<string> {
  const reply = await from.reply('DEBUG', 'SHARD', ...words);
  assert.instance(reply, ReplyError);
  return (reply as Error).message;
}

profiles(
  'a shard is profiled while clients are served, and the profile shows what they had it do',
  async () => {
    const key = keyPerShard(SHARDS, 'profiled')[1]!;
    await client.call('RPUSH', key, ...Array.from({ length: 500 }, (_, nth) => `item ${nth}`));
    const progress = { isDone: false };
    const asked = profile(1, 0.5).finally(() => {
      progress.isDone = true;
    });
    let served = 0;
    while (!progress.isDone) {
      await other.pipeline(Array.from({ length: 50 }, () => ['LRANGE', key, '0', '-1']));
      served += 50;
    }
    const { nodes, samples, timeDeltas, startTime, endTime } = await asked;
    assert.ok(served > 50, 'others were served meanwhile');
    assert.ok(endTime - startTime >= 400_000, 'it is as long as was asked for');
    assert.is(samples.length, timeDeltas.length);
    assert.ok(samples.length > 10);
    const files = nodes.map(({ callFrame }) => callFrame.url);
    assert.ok(
      files.some((url) => url.includes('/packages/store/')),
      'it shows the work of LRANGE',
    );
    assert.not.ok(
      files.some((url) => url.includes('/packages/router/')),
      'and not that of main',
    );
  },
);

profiles('main is profiled, and the profile shows main', async () => {
  const progress = { isDone: false };
  const asked = profile('main', 0.3).finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone)
    await other.pipeline(Array.from({ length: 500 }, () => ['GET', 'nothing']));
  const { nodes } = await asked;
  assert.ok(nodes.some(({ callFrame }) => callFrame.url.includes('/packages/router/')));
});

profiles('there is one profile of a thread at a time', async () => {
  const first = profile(0, 0.4);
  const elsewhere = other.call('DEBUG', 'SHARD', 1, 'PROFILE', 0.1);
  await other.call('PING');
  const third = await server.client();
  assert.is(await refusal(third, 0, 'PROFILE', 1), 'ERR a profile of shard-0 is already running');
  assert.ok((await first).samples.length > 0);
  assert.ok(textOf(await elsewhere).startsWith('{"nodes"'));
  await third.end();
  assert.ok((await profile(0, 0.01)).nodes.length > 0, 'afterwards there may be another');
});

profiles('a shard that is busy is told of, and its profile does not begin later', async () => {
  const sleeping = other.call('DEBUG', 'SLEEP', '3');
  assert.match(await refusal(client, 0, 'PROFILE', 0.1), /^ERR shard-0 did not reply within 1 s/);
  assert.match(
    await refusal(client, 1, 'HEAP'),
    /^ERR shard-1 did not reply within 1 s: it is busy/,
  );
  assert.ok(Array.isArray(await client.call('DEBUG', 'SHARD', 'main', 'HEAP')), 'main is not');
  await sleeping;
  const { startTime, endTime } = await profile(0, 0.1);
  assert.ok(endTime - startTime < 1_000_000, 'it is not the one that was given up');
});

profiles('a client that leaves leaves no profile behind', async () => {
  const leaving = await server.client();
  const id = Number(await leaving.call('CLIENT', 'ID'));
  void leaving.call('DEBUG', 'SHARD', 0, 'PROFILE', 1).catch(() => null);
  await until(
    async () => textOf(await client.call('CLIENT', 'LIST', 'ID', id)).includes('cmd=debug '),
    'it is being made',
  );
  assert.match(await refusal(client, 0, 'PROFILE', 0.01), /is already running$/);
  void leaving.end();
  await until(
    async () => !((await client.reply('DEBUG', 'SHARD', 0, 'PROFILE', 0.01)) instanceof ReplyError),
    'it has ended',
  );
});

type Figures = Map<string, number | unknown[]>;

function figures(reply: unknown): Figures {
  return byName(reply) as Figures;
}

for (const thread of ['main', '0', '1']) {
  profiles(`the heap of ${thread} is told in figures that fit each other`, async () => {
    const heap = figures(await client.call('DEBUG', 'SHARD', thread, 'HEAP'));
    const used = heap.get('used_heap_size') as number;
    assert.ok(used > 1_000_000 && used <= (heap.get('total_heap_size') as number));
    const spaces = figures(heap.get('spaces'));
    const all = [...spaces.values()].map(
      (space) => figures(space).get('space_used_size') as number,
    );
    const sum = all.reduce((total, bytes) => total + bytes, 0);
    assert.ok(Math.abs(sum - used) < used / 10, `spaces have ${sum} of ${used} bytes`);
    const line = new RegExp(
      `^thread_${thread === 'main' ? '' : 'shard'}${thread}:.*heap_used=(\\d+)`,
      'm',
    );
    const shown = Number(line.exec(textOf(await client.call('INFO', 'cpu')))?.[1]);
    assert.ok(shown > used / 3 && shown < used * 3, `INFO tells of ${shown}, a second ago`);
  });
}

profiles.run();
