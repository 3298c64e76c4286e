/** Timers that slow down without work: when they are called, and that work hastens them. */
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { everySecond, PacedTimer } from './paced-timer.ts';

const timers = suite('paced timers');

const PERIOD_MS = 5;

timers('one without work slows down, and work hastens it', async () => {
  const nexts: number[] = [];
  const hastened: number[] = [];
  const timer = new PacedTimer(
    PERIOD_MS,
    (nextMs) => nexts.push(nextMs),
    (nextMs) => hastened.push(nextMs),
  );
  assert.is(timer.start(), PERIOD_MS);
  await until(() => nexts.length > 2, 'it is called');
  assert.equal(nexts.slice(0, 2), [PERIOD_MS, PERIOD_MS]);
  await until(() => nexts.at(-1)! > 2 * PERIOD_MS, 'it has slowed down');
  const { length } = nexts;
  timer.worked();
  timer.worked();
  assert.equal(hastened, [PERIOD_MS]);
  await until(() => nexts.length > length, 'it is called soon');
  timer.stop();
  timer.worked();
  assert.is(hastened.length, 1);
});

timers('work hastens one that has nothing to say of it', async () => {
  let calls = 0;
  let isSlow = false;
  const timer = new PacedTimer(PERIOD_MS, (nextMs) => {
    calls += 1;
    isSlow = nextMs > 2 * PERIOD_MS;
  });
  timer.start();
  await until(() => isSlow, 'it has slowed down');
  const before = calls;
  timer.worked();
  await until(() => calls > before, 'it is called again');
  timer.stop();
});

timers('one with work keeps its pace', async () => {
  const nexts: number[] = [];
  const timer = new PacedTimer(PERIOD_MS, (nextMs) => {
    nexts.push(nextMs);
    timer.worked();
  });
  timer.start();
  await until(() => nexts.length > 12, 'it is called often');
  timer.stop();
  assert.ok(nexts.every((nextMs) => nextMs === PERIOD_MS));
});

timers('those of each second are called together', async () => {
  const calls: string[] = [];
  const stops = ['a', 'b'].map((name) => everySecond(() => calls.push(name)));
  await until(() => calls.length >= 4, 'two seconds have begun');
  for (const stop of stops) stop();
  assert.equal([...calls].sort(), ['a', 'a', 'b', 'b']);
});

timers.run();
