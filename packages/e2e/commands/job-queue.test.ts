/**
 * Job queues (BullMQ, Bull, Sidekiq): a pool of workers that wait for jobs, jobs that are due later and
 * are moved by transactions, and no job that is lost or done twice.
 */
// test-tier: long
import { type ChildServer, keysOnShard, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const queue = suite('job queue');

const SHARDS = 3;
const WORKERS = 12;
const JOBS = 300;
/** Its parts are on different shards, as without a {tag} they would be. */
const [waiting = ''] = keysOnShard(0, SHARDS, 1, 'waiting');
const [active = ''] = keysOnShard(1, SHARDS, 1, 'active');
const [delayed = ''] = keysOnShard(2, SHARDS, 1, 'delayed');
const [done = ''] = keysOnShard(1, SHARDS, 1, 'done');

let server: ChildServer;

queue.before(async () => {
  server = await startServer({ shards: SHARDS });
});
queue.after(async () => {
  await server.stop();
});

/** Takes jobs until one says that there are no more. */
async function work(move: readonly string[]): Promise<string[]> {
  const client = await server.client();
  const taken: string[] = [];
  for (;;) {
    const job = (await client.call(...move)) as string | null;
    if (job === null) continue;
    await client.pipeline([['MULTI'], ['LREM', active, '1', job], ['RPUSH', done, job], ['EXEC']]);
    if (job.startsWith('end')) return taken;
    taken.push(job);
  }
}

/** Moves what is due from the delayed to the waiting; two of them must not move the same job. */
async function promote(isOver: () => boolean): Promise<number> {
  const client = await server.client();
  let promoted = 0;
  while (!isOver()) {
    await client.call('WATCH', delayed);
    const now = String(Date.now());
    const due = (await client.call(
      'ZRANGEBYSCORE',
      delayed,
      '-inf',
      now,
      'LIMIT',
      '0',
      '5',
    )) as string[];
    if (due.length === 0) {
      await client.call('UNWATCH');
      continue;
    }
    const moves = due.flatMap((job) => [
      ['ZREM', delayed, job],
      ['LPUSH', waiting, job],
    ]);
    const replies = await client.pipeline([['MULTI'], ...moves, ['EXEC']]);
    if (replies.at(-1) !== null) promoted += due.length;
  }
  return promoted;
}

const moves: readonly (readonly string[])[] = [
  ['BRPOPLPUSH', waiting, active, '5'],
  ['BLMOVE', waiting, active, 'RIGHT', 'LEFT', '0.2'],
];

for (const move of moves) {
  queue(`every job is done once (${move[0]!})`, async () => {
    const client: RespClient = await server.client();
    await client.call('FLUSHALL');
    let isOver = false;
    const workers = Array.from({ length: WORKERS }, () => work(move));
    const promoters = [promote(() => isOver), promote(() => isOver)];
    for (let nth = 0; nth < JOBS; nth += 1) {
      if (nth % 3 === 0) {
        await client.call('ZADD', delayed, String(Date.now() + (nth % 50)), `job:${nth}`);
      } else {
        await client.call('LPUSH', waiting, `job:${nth}`);
      }
    }
    const areDone = async (): Promise<boolean> => Number(await client.call('LLEN', done)) >= JOBS;
    await until(areDone, 'all jobs are done', 40_000);
    isOver = true;
    const promoted = await Promise.all(promoters);
    await client.call(
      'LPUSH',
      waiting,
      ...Array.from({ length: WORKERS }, (_, nth) => `end:${nth}`),
    );
    const taken = (await Promise.all(workers)).flat();
    assert.is(taken.length, JOBS);
    assert.is(new Set(taken).size, JOBS);
    assert.is(promoted[0]! + promoted[1]!, JOBS / 3);
    assert.equal(
      await client.pipeline([waiting, active, delayed].map((key) => ['EXISTS', key])),
      [0, 0, 0],
    );
  });
}

queue.run();
