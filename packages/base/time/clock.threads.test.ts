/** One origin of time for all threads, wherever the machine puts a thread aside. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { clockErrorUs, compareClocks, systemClock, UnixOffset, type Clock } from './clock.ts';

const clocks = suite('clock');

const THREADS = 4;
const ROUNDS = 200;

/** A machine on which a reading takes a while, and which puts the thread aside before some of them. */
function machine(isDescheduled: (reading: number) => boolean) {
  let nowUs = 5_000_000;
  let readings = 0;
  return () => {
    nowUs += isDescheduled(readings) ? 3_000 : 0.04;
    readings += 1;
    return nowUs;
  };
}

clocks('are compared exactly, although the thread is put aside in between', () => {
  const cases: readonly (readonly [
    isPutAside: (reading: number) => boolean,
    errorUsMax: number,
  ])[] = [
    [() => false, 0.1],
    [(reading) => reading === 1, 0.1],
    [(reading) => reading === 2, 0.1],
    [(reading) => reading < 500 || reading > 504, 0.1],
    // Before each reading but the first of three: then the offset is not known better.
    [(reading) => reading % 3 !== 0, 3_000.1],
  ];
  for (const [isDescheduled, errorUsMax] of cases) {
    const read = machine(isDescheduled);
    const { offsetUs, errorUs } = compareClocks(read, () => read() + 700_000);
    assert.ok(Math.abs(offsetUs - 700_000) <= errorUs + 1e-6, `${offsetUs} +- ${errorUs}`);
    assert.ok(errorUs <= errorUsMax, String(errorUs));
  }
});

clocks('of all threads agree: an answer lies between its question and its arrival', async () => {
  const ask = (worker: Worker): Promise<readonly [nowUs: number, errorUs: number]> =>
    new Promise((resolve) => {
      worker.once('message', resolve);
      worker.postMessage(null);
    });
  const workers = Array.from({ length: THREADS }, () => new Worker(new URL(import.meta.url)));
  await Promise.all(
    workers.map(async (worker) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const beforeUs = systemClock.nowUs();
        const [thereUs, errorUs] = await ask(worker);
        const slackUs = errorUs + clockErrorUs;
        assert.ok(thereUs >= beforeUs - slackUs, `${beforeUs - thereUs} us behind`);
        assert.ok(thereUs <= systemClock.nowUs() + slackUs, 'ahead');
      }
      await worker.terminate();
    }),
  );
});

/** Clock whose Unix time is ahead of its other one by `leadUs`, and which puts the thread aside before its nth reading. */
class DelayedClock implements Clock {
  leadUs = 1.7e15 + 321;
  delayUs = 0;
  #us = 0;
  #readings = 0;

  nowUs(): number {
    return this.#read();
  }

  wallMs(): number {
    return Math.floor((this.#read() + this.leadUs) / 1_000);
  }

  #read(): number {
    this.#readings += 1;
    this.#us += this.#readings % 3 === 0 ? 0.5 : this.delayUs + 0.5;
    return this.#us;
  }
}

clocks(
  'the lead of Unix time is right to the millisecond, and stays though the thread is put aside',
  () => {
    const clock = new DelayedClock();
    const offset = new UnixOffset(clock);
    for (let nth = 0; nth < 3_000; nth += 1) offset.readUs();
    const readUs = offset.readUs();
    assert.ok(Math.abs(readUs - clock.leadUs) < 1_000, `${readUs - clock.leadUs} us off`);
    clock.delayUs = 20_000;
    for (let nth = 0; nth < 3_000; nth += 1) assert.is(offset.readUs(), readUs);
    clock.delayUs = 0;
    clock.leadUs -= 3_600e6;
    assert.ok(Math.abs(offset.readUs() - clock.leadUs) < 1_001, 'it follows a clock that is set');
  },
);

if (isMainThread) clocks.run();
else parentPort!.on('message', () => parentPort!.postMessage([systemClock.nowUs(), clockErrorUs]));
