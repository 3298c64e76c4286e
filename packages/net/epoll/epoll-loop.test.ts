/** A loop with its own epoll: other work of Node runs beside it, whether it is busy or asleep. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as immediate, setInterval as ticks } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { loadSignal, NOT_BLOCKING, systemClock } from '#base';
import { Doorbell, LinkMemory } from '#link';
import { until } from '#testkit';
import { AT, Page, THREAD_SHAPE } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EPOLL_IN } from './epoll-set.ts';
import { EpollLoop } from './epoll-loop.ts';
import { loadEpoll, openLoop } from './open-loop.ts';

const newPage = (): Page => new Page(THREAD_SHAPE, new SharedArrayBuffer(Page.bytes(THREAD_SHAPE)));

const loops = suite('epoll loop');

const MEMORY_BYTES = 65_536;
const TICK_MS = 3;

/** The loop keeps no process alive, as is right: its sockets are not Node's. */
const alive = setInterval(() => undefined, 60_000);
loops.after(() => {
  clearInterval(alive);
});

/** A loop, its recorded calls, and a doorbell that another thread would ring. */
async function newLoop(
  page = newPage(),
): Promise<{ loop: EpollLoop; calls: string[]; bell: Doorbell }> {
  const memory = LinkMemory.allocate(MEMORY_BYTES);
  const loop = openLoop(new Doorbell(memory, 0), await loadEpoll(), page);
  assert.instance(loop, EpollLoop);
  const calls: string[] = [];
  loop.start({
    rang: () => calls.push('rang'),
    endTurn: () => calls.push('endTurn'),
  });
  return { loop: loop as EpollLoop, calls, bell: new Doorbell(memory, 0, await loadSignal()) };
}

/** Has the loop find something to read in every turn; returns the number of turns. */
function keepBusy(loop: EpollLoop, work: () => unknown = () => undefined): () => number {
  let turns = 0;
  loop.set.add(loop.calls.eventfd(1, NOT_BLOCKING), EPOLL_IN, {
    ready: () => {
      turns += 1;
      work();
      loop.schedule();
    },
  });
  return () => turns;
}

/** Settles when a timer of a few milliseconds was due twice. */
async function timer(): Promise<void> {
  const timers = ticks(TICK_MS)[Symbol.asyncIterator]();
  await timers.next();
  await timers.next();
  await timers.return?.();
}

/** Everything that a thread of Node waits for; each settles when it has come. */
const awaited: Readonly<Record<string, () => Promise<unknown>>> = {
  'a timer': () => timer(),
  'an immediate': () => immediate(),
  'a further immediate of an immediate': async () => {
    await immediate();
    await immediate();
  },
  'a tick': () => new Promise<void>((resolve) => process.nextTick(resolve)),
  'a message': async () => {
    const { port1, port2 } = new MessageChannel();
    port2.postMessage('hello');
    await once(port1, 'message');
    port1.close();
  },
  'a signal': async () => {
    const signal = once(process, 'SIGUSR2');
    process.kill(process.pid, 'SIGUSR2');
    return signal;
  },
  'the end of a program': () => once(execFile('true'), 'exit'),
  'work of the thread pool': () => readFile('package.json'),
  'a message and the end of a thread': async () => {
    const worker = new Worker("require('node:worker_threads').parentPort.postMessage(1)", {
      eval: true,
    });
    const exit = once(worker, 'exit');
    await once(worker, 'message');
    return exit;
  },
};

for (const [name, wait] of Object.entries(awaited)) {
  loops(`busy, it lets ${name} come`, async () => {
    const { loop } = await newLoop();
    const turns = keepBusy(loop);
    await until(() => turns() > 100, 'the loop is busy');
    await wait();
    const before = turns();
    await until(() => turns() > before, 'it is busy as before');
    loop.stop();
  });

  loops(`idle, it lets ${name} come`, async () => {
    const { loop } = await newLoop();
    await wait();
    loop.stop();
  });
}

loops('a bell that rings wakes it, each time', async () => {
  const { loop, calls, bell } = await newLoop();
  for (let nth = 1; nth <= 3; nth += 1) {
    bell.setAsleep();
    bell.ring();
    bell.ring();
    await until(() => calls.length === nth, 'the bell is heard once');
  }
  assert.ok(calls.every((call) => call === 'rang'));
  bell.ring();
  await timer();
  assert.is(calls.length, 3, 'awake, it is not rung');
  loop.stop();
});

loops('a turn that is scheduled ends once, whatever it was scheduled from', async () => {
  const { loop, calls } = await newLoop();
  loop.schedule();
  loop.schedule();
  await until(() => calls.length > 0, 'the turn ends');
  await immediate();
  loop.schedule();
  await until(() => calls.length > 1, 'the next one ends');
  assert.equal(calls, ['endTurn', 'endTurn']);
  loop.stop();
});

loops('ticks and promises of a handler run before the next event is waited for', async () => {
  const { loop } = await newLoop();
  const order: string[] = [];
  const descriptor = loop.calls.eventfd(1, NOT_BLOCKING);
  loop.set.add(descriptor, EPOLL_IN, {
    ready: () => {
      if (order.push('event') === 1) {
        process.nextTick(() => order.push('tick'));
        void Promise.resolve().then(() => order.push('promise'));
      } else {
        loop.set.change(descriptor, EPOLL_IN, 0);
      }
    },
  });
  await until(() => order.filter((each) => each === 'event').length === 2, 'two events');
  assert.equal(order, ['event', 'tick', 'promise', 'event']);
  loop.stop();
});

loops('an error of a handler is an uncaught one, and the loop runs on', async () => {
  const { loop, calls } = await newLoop();
  const descriptor = loop.calls.eventfd(1, NOT_BLOCKING);
  const failed = new Promise((resolve) => process.once('uncaughtException', resolve));
  loop.set.add(descriptor, EPOLL_IN, {
    ready: () => {
      loop.set.change(descriptor, EPOLL_IN, 0);
      throw new Error('a handler fails');
    },
  });
  assert.match(String(await failed), /a handler fails/);
  await until(() => calls.includes('rang'), 'a ring in the same batch would not be lost');
  loop.schedule();
  await until(() => calls.includes('endTurn'), 'turns end as before');
  loop.stop();
});

loops('time asleep is idle time, and time awake is not', async () => {
  const { loop } = await newLoop();
  const before = loop.idleMs;
  await timer();
  const asleepMs = loop.idleMs - before;
  assert.ok(asleepMs > 0 && asleepMs <= 60_000, String(asleepMs));
  // A turn has so much to do that the call that finds the next event takes a small part of the time.
  const turns = keepBusy(loop, () => readFileSync('package.json'));
  await until(() => turns() > 10, 'busy');
  const [from, startMs] = [loop.idleMs, systemClock.nowUs() / 1_000];
  await until(() => turns() > 500, 'busy for a while');
  assert.ok(
    loop.idleMs - from < (systemClock.nowUs() / 1_000 - startMs) / 2,
    'hardly any of it is idle',
  );
  loop.stop();
});

loops('a loop that sleeps says so on its page, and none that works', async () => {
  const page = newPage();
  const { loop } = await newLoop(page);
  const seen = new Set<boolean>();
  loop.start({
    rang: () => undefined,
    endTurn: () => seen.add(page.get('idleSinceUs') > 0),
  });
  loop.schedule();
  await until(() => seen.size > 0, 'a turn has ended');
  assert.equal([...seen], [false]);
  // Another thread looks while this one is asleep.
  const values = new SharedArrayBuffer(8);
  const looker = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const [values, index, found] = workerData;
     const page = new Float64Array(values);
     const look = () => {
       if (page[index] > 0) new Int32Array(found)[0] += 1;
       if (new Int32Array(found)[0] > 3) parentPort.postMessage('asleep');
       else setTimeout(look, 1);
     };
     look();`,
    { eval: true, workerData: [page.values.buffer, AT.idleSinceUs, values] },
  );
  await once(looker, 'message');
  await looker.terminate();
  loop.stop();
});

loops.run();
