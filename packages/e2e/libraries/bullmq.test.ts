/**
 * BullMQ, whose every step is a script. The keys of a queue have no tag, so over several shards its scripts touch keys of all
 * of them, declared and not.
 */
// test-tier: long
import type { EventEmitter } from 'node:events';
import {
  FlowProducer,
  Queue,
  QueueEvents,
  UnrecoverableError,
  Worker,
  type Job,
  type JobNode,
  type Processor,
  type WorkerOptions,
} from 'bullmq';
import { fromLatin1, keySlot, shardOfSlot } from '#base';
import { type ChildServer, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const bullmq = suite('BullMQ');

const JOBS = 40;
const PATIENCE_MS = 90_000;
/** Milliseconds after which a job's lock is lost when its worker has stopped. */
const LOCK_MS = 100;

/** Queues, workers and the like that a test has opened; closed in the reverse order. */
class Opened {
  readonly #connection;
  readonly #closers: (() => Promise<void>)[] = [];
  /** Errors of connections and workers, except for those that the test expects. */
  readonly errors: string[] = [];
  expectedErrors = /^never$/;

  constructor(server: ChildServer) {
    this.#connection = { host: '127.0.0.1', port: server.port };
  }

  queue(name: string): Queue {
    return this.#keep(new Queue(name, { connection: this.#connection }));
  }

  worker(
    name: string,
    processor: Processor,
    options: Omit<WorkerOptions, 'connection'> = {},
  ): Worker {
    return this.#keep(new Worker(name, processor, { connection: this.#connection, ...options }));
  }

  flows(): FlowProducer {
    return this.#keep(new FlowProducer({ connection: this.#connection }));
  }

  /** Returns the events of a queue, from the first one on. */
  async events(name: string): Promise<QueueEvents> {
    const events = new QueueEvents(name, { connection: this.#connection, lastEventId: '0' });
    this.#keep(events);
    await events.waitUntilReady();
    return events;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
  }

  #keep<Kind extends Queue | Worker | FlowProducer | QueueEvents>(kept: Kind): Kind {
    (kept as EventEmitter).on('error', ({ message }: Error) => {
      if (!this.expectedErrors.test(message)) this.errors.push(message);
    });
    this.#closers.push(() => kept.close());
    return kept;
  }
}

const done = async (queue: Queue, count: number): Promise<void> => {
  const isDone = async (): Promise<boolean> => (await queue.getCompletedCount()) >= count;
  await until(isDone, `${String(count)} jobs of ${queue.name} are done`, PATIENCE_MS);
};

/** Numbers of jobs in the states that have some. */
const counts = async (queue: Queue): Promise<Record<string, number>> => {
  const all = Object.entries(await queue.getJobCounts());
  return Object.fromEntries(all.filter(([, count]) => count > 0));
};

for (const shards of [1, 3]) {
  let server: ChildServer;
  bullmq(`${String(shards)} shards: the server starts`, async () => {
    server = await startServer({ shards });
  });

  const test = (name: string, run: (opened: Opened, queueName: string) => Promise<void>): void => {
    bullmq(`${String(shards)} shards: ${name}`, async () => {
      const opened = new Opened(server);
      try {
        await run(opened, name.replaceAll(/\W+/g, '-'));
      } finally {
        await opened.close();
      }
      assert.equal(opened.errors, []);
    });
  };

  test('jobs are done once, by several workers', async (opened, name) => {
    const queue = opened.queue(name);
    const events = await opened.events(name);
    const completed: string[] = [];
    events.on('completed', ({ jobId, returnvalue }) => {
      completed.push(`${jobId} ${String(returnvalue)}`);
    });
    const taken: string[] = [];
    const process = async (job: Job<{ nth: number }>): Promise<number> => {
      taken.push(job.name);
      await job.updateProgress(50);
      await job.log(`job ${job.name}`);
      return job.data.nth * 2;
    };
    const names = Array.from({ length: JOBS }, (_, nth) => `job:${String(nth)}`);
    const workers = [1, 2, 3].map(() => opened.worker(name, process, { concurrency: 4 }));
    const half = JOBS / 2;
    const bulk = names.slice(0, half).map((job, nth) => ({ name: job, data: { nth } }));
    const [first] = await Promise.all([
      queue.addBulk(bulk),
      ...names.slice(half).map((job, nth) => queue.add(job, { nth: half + nth })),
    ]);
    await done(queue, JOBS);
    assert.equal(taken.sort(), names.sort());
    assert.equal(await counts(queue), { completed: JOBS });
    assert.is(await first[3]!.waitUntilFinished(events), 6);
    await until(() => completed.length === JOBS, 'every job is told of');
    assert.is(new Set(completed).size, JOBS);
    const job: Job | undefined = await queue.getJob(first[5]!.id!);
    assert.equal([job?.returnvalue, job?.progress, job?.attemptsMade], [10, 50, 1]);
    assert.equal(await queue.getJobLogs(job!.id!), { logs: [`job ${job!.name}`], count: 1 });
    assert.is(await queue.getWorkersCount(), workers.length);
  });

  test('the keys of a queue are on several shards', async (opened, name) => {
    const queue = opened.queue(name);
    await queue.addBulk(Array.from({ length: JOBS }, () => ({ name: 'job', data: {} })));
    const client = await server.client();
    const keys = (await client.call('KEYS', `bull:${name}:*`)) as string[];
    await client.end();
    const owners = keys.map((key) => shardOfSlot(keySlot(fromLatin1(key), 0, key.length), shards));
    assert.is(new Set(owners).size, shards);
  });

  test('delayed and prioritised jobs come in their order', async (opened, name) => {
    const queue = opened.queue(name);
    const order: string[] = [];
    // Due in an order that does not hang on how long it takes to add them.
    const timestamp = Date.now();
    await queue.add('due second', {}, { timestamp, delay: 20 });
    await queue.add('due first', {}, { timestamp, delay: 10 });
    const far = await queue.add('promoted', {}, { delay: 3_600_000 });
    const moved = await queue.add('due third', {}, { delay: 3_600_000 });
    assert.equal(await counts(queue), { delayed: 4 });
    await moved.changeDelay(30);
    opened.worker(name, (job) => Promise.resolve(order.push(job.name)));
    await done(queue, 3);
    assert.equal(order.splice(0), ['due first', 'due second', 'due third']);
    await far.promote();
    await done(queue, 4);
    await queue.pause();
    const late = await queue.add('none', {}, { priority: 40 });
    await queue.add('priority 3', {}, { priority: 3 });
    await queue.add('priority 1', {}, { priority: 1 });
    await queue.add('priority 2', {}, { priority: 2 });
    await queue.add('first', {});
    await queue.add('last in', {}, { lifo: true });
    await late.changePriority({ priority: 2 });
    assert.equal(await queue.getCountsPerPriority([1, 2, 3]), { 1: 1, 2: 2, 3: 1 });
    await queue.resume();
    await done(queue, 10);
    const expected = ['last in', 'first', 'priority 1', 'priority 2', 'none', 'priority 3'];
    assert.equal(order, ['promoted', ...expected]);
  });

  test('jobs that fail are tried again, and kept', async (opened, name) => {
    const queue = opened.queue(name);
    const events = await opened.events(name);
    const failures: string[] = [];
    events.on('failed', ({ failedReason }) => failures.push(failedReason));
    let isMended = false;
    const worker = opened.worker(name, (job) => {
      if (job.name === 'never') throw new UnrecoverableError('for good');
      if (isMended || (job.name === 'third time' && job.attemptsMade === 2)) {
        return Promise.resolve('well');
      }
      throw new Error(`attempt ${String(job.attemptsMade)}`);
    });
    const tries = { attempts: 3, backoff: { type: 'exponential', delay: 5 } };
    const third = await queue.add('third time', {}, tries);
    const always = await queue.add('always', {}, { attempts: 2 });
    const never = await queue.add('never', {}, tries);
    assert.is(await third.waitUntilFinished(events, PATIENCE_MS), 'well');
    for (const [job, reason] of [
      [always, 'attempt 1'],
      [never, 'for good'],
    ] as const) {
      const error: unknown = await job
        .waitUntilFinished(events, PATIENCE_MS)
        .catch((thrown: unknown) => thrown);
      assert.is((error as Error).message, reason);
    }
    assert.equal(await counts(queue), { completed: 1, failed: 2 });
    await until(() => failures.length === 2, 'both failures are told of');
    assert.equal(failures.sort(), ['attempt 1', 'for good']);
    const kept: Job | undefined = await queue.getJob(always.id!);
    assert.equal([kept?.attemptsMade, kept?.failedReason], [2, 'attempt 1']);
    isMended = true;
    await kept!.retry();
    await done(queue, 2);
    await worker.pause();
    await queue.retryJobs({ state: 'failed' });
    assert.equal(await counts(queue), { waiting: 1, completed: 2 });
  });

  test('a job whose worker stands still goes to another', async (opened, name) => {
    const queue = opened.queue(name);
    const events = await opened.events(name);
    const stalled: string[] = [];
    events.on('stalled', ({ jobId }) => stalled.push(jobId));
    let goOn = (): void => undefined;
    const standing = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const short = { lockDuration: LOCK_MS, stalledInterval: LOCK_MS };
    const still = opened.worker(name, () => standing, { ...short, skipLockRenewal: true });
    const job = await queue.add('job', {});
    await until(async () => (await queue.getActiveCount()) === 1, 'a worker has the job');
    opened.worker(name, () => Promise.resolve('by the other'), short);
    assert.is(await job.waitUntilFinished(events, PATIENCE_MS), 'by the other');
    assert.equal(stalled, [job.id]);
    // Its lock has expired by now: its result is refused.
    opened.expectedErrors = /^Missing lock for job|^Job \S+ is not in the active state/;
    const refused = new Promise((resolve) => still.once('error', resolve));
    goOn();
    assert.match(((await refused) as Error).message, opened.expectedErrors);
    assert.equal(await counts(queue), { completed: 1 });
  });

  test('a paused queue keeps its jobs', async (opened, name) => {
    const queue = opened.queue(name);
    const events = await opened.events(name);
    const reported: string[] = [];
    events.on('paused', () => reported.push('paused'));
    events.on('resumed', () => reported.push('resumed'));
    await queue.add('before', {});
    await queue.pause();
    await queue.add('after', {});
    assert.ok(await queue.isPaused());
    const worker = opened.worker(name, () => Promise.resolve());
    await worker.waitUntilReady();
    assert.is(await queue.count(), 2);
    assert.is(await queue.getCompletedCount(), 0);
    await queue.resume();
    await done(queue, 2);
    assert.not(await queue.isPaused());
    await until(() => reported.length === 2, 'both are told of');
    assert.equal(reported, ['paused', 'resumed']);
  });

  test('schedulers make jobs again and again', async (opened, name) => {
    const queue = opened.queue(name);
    const made: unknown[] = [];
    opened.worker(name, (job: Job<unknown>) => Promise.resolve(made.push(job.data)));
    const template = { name: 'tick', data: { of: 'often' } };
    await queue.upsertJobScheduler('often', { every: 20, limit: 3 }, template);
    await queue.upsertJobScheduler('yearly', { pattern: '0 0 1 1 *' }, { name: 'year' });
    await done(queue, 3);
    assert.equal(
      made,
      [1, 2, 3].map(() => ({ of: 'often' })),
    );
    const yearly = await queue.getJobScheduler('yearly');
    assert.equal([yearly?.name, yearly?.pattern], ['year', '0 0 1 1 *']);
    // Again under the same name: it takes the place of the other.
    await queue.upsertJobScheduler('yearly', { pattern: '0 0 2 1 *' }, { name: 'year' });
    assert.is((await queue.getJobScheduler('yearly'))?.pattern, '0 0 2 1 *');
    assert.is(await queue.getDelayedCount(), 1);
    assert.ok(await queue.removeJobScheduler('yearly'));
    assert.not(await queue.removeJobScheduler('yearly'));
    assert.is(await queue.getDelayedCount(), 0);
  });

  test('a flow waits for its children', async (opened, name) => {
    const parents = opened.queue(name);
    const children = opened.queue(`${name}-children`);
    const values: unknown[] = [];
    opened.worker(name, async (job) => {
      values.push(Object.values(await job.getChildrenValues<number>()).sort());
    });
    const flows = opened.flows();
    const child = (data: { n: number }, grandchildren: readonly { n: number }[] = []) => ({
      name: 'child',
      queueName: children.name,
      data,
      children: grandchildren.map((each) => ({
        name: 'grandchild',
        queueName: children.name,
        data: each,
      })),
    });
    const flow: JobNode = await flows.add({
      name: 'parent',
      queueName: name,
      children: [child({ n: 1 }), child({ n: 2 }, [{ n: 5 }, { n: 6 }])],
    });
    assert.equal(await counts(parents), { 'waiting-children': 1 });
    assert.equal(await counts(children), { waiting: 3, 'waiting-children': 1 });
    opened.worker(
      children.name,
      async (job: Job<{ n: number }>) => {
        const sums = Object.values(await job.getChildrenValues<number>());
        return sums.reduce((sum, each) => sum + each, job.data.n);
      },
      { concurrency: 3 },
    );
    await done(parents, 1);
    assert.equal(values, [[1, 13]]);
    const tree = await flows.getFlow({ id: flow.job.id!, queueName: name });
    assert.equal(tree.children?.length, 2);
    assert.equal((await flow.job.getDependencies()).unprocessed, []);
    assert.equal(await counts(children), { completed: 4 });
  });

  test('jobs are told apart, drained, cleaned and obliterated', async (opened, name) => {
    const queue = opened.queue(name);
    const once = { deduplication: { id: 'once', ttl: 3_600_000 } };
    const first = await queue.add('once', {}, once);
    assert.is((await queue.add('once', {}, once)).id, first.id);
    assert.is(await queue.getDeduplicationJobId('once'), first.id);
    assert.is((await queue.add('named', {}, { jobId: 'mine' })).id, 'mine');
    await queue.add('named', {}, { jobId: 'mine' });
    assert.equal(await counts(queue), { waiting: 2 });
    assert.equal(
      (await queue.getJobs(['waiting'])).map((job: Job) => job.id).sort(),
      [first.id, 'mine'].sort(),
    );
    assert.is(await queue.remove('mine'), 1);
    await queue.drain();
    assert.equal(await counts(queue), {});
    const worker = opened.worker(name, () => Promise.resolve());
    await queue.addBulk(Array.from({ length: JOBS }, () => ({ name: 'job', data: {} })));
    await done(queue, JOBS);
    await worker.close();
    assert.is((await queue.clean(0, 10, 'completed')).length, 10);
    assert.equal(await counts(queue), { completed: JOBS - 10 });
    await queue.add('left', {}, { delay: 3_600_000 });
    await queue.add('left', {}, { priority: 5 });
    await queue.obliterate({ force: true });
    const client = await server.client();
    assert.equal(await client.call('KEYS', `bull:${name}:*`), []);
    await client.end();
  });

  bullmq(`${String(shards)} shards: the server stops`, async () => {
    await server.stop();
  });
}

bullmq.run();
