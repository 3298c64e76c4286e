/** Windows of latency from pages that are counted up by hand, ten seconds at a time. */
import type { WindowReport } from '#api-types';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TICKS_PER_US } from '../page/histogram.ts';
import { LatencyWindows, WINDOWS, windowsIn } from './latency-windows.ts';
import { Page, type PageShape } from '../page/page.ts';

const windows = suite('windows of latency');

const shape: PageShape = { databases: 1, commands: 3, errorCodes: 1 };
const SLICE_US = 10_000_000;
const BYTES_MAX = 16 * 1024 * 1024;

/** Two threads, and a clock that moves on slice by slice. */
class Scene {
  readonly pages = [0, 1].map(() => new Page(shape, new ArrayBuffer(Page.bytes(shape))));
  readonly windows: LatencyWindows;
  #nowUs = 5;

  constructor() {
    this.windows = new LatencyWindows(this.pages, shape.commands, this.#nowUs);
  }

  run(command: number, us: number, count = 1): void {
    for (let nth = 0; nth < count; nth += 1) {
      this.pages[nth % 2]!.executed(command, us * TICKS_PER_US);
    }
  }

  slice(): void {
    this.#nowUs += SLICE_US;
    this.windows.take(this.#nowUs);
  }

  of(command?: number): WindowReport {
    return windowsIn(this.windows.table(), command);
  }
}

const near = (value: number | undefined, wanted: number): void => {
  assert.ok(Math.abs(value! - wanted) <= wanted / 50, `${value} is about ${wanted}`);
};

windows('are nothing before the first slice, and where nothing was called', () => {
  const scene = new Scene();
  const nothing = { now: null, '1m': null, '5m': null, '1h': null };
  assert.equal(windowsIn(undefined), nothing);
  assert.equal(scene.of(), nothing);
  scene.run(1, 100);
  scene.slice();
  assert.equal(scene.of(2), nothing);
  assert.is(scene.of(1).now!.calls, 1);
});

windows('hold what came in their time, and say how long that is', () => {
  const scene = new Scene();
  scene.run(0, 5_000, 7);
  for (let nth = 0; nth < 360; nth += 1) {
    // A slow hour, then five minutes, then one, then now, each twice as fast as what was before.
    const us = nth < 330 ? 800 : nth < 354 ? 400 : nth < 359 ? 200 : 100;
    scene.run(0, us, 10);
    scene.slice();
  }
  const report = scene.of(0);
  near(report.now?.p50_us, 100);
  near(report['1m']?.p50_us, 200);
  near(report['5m']?.p50_us, 400);
  near(report['1h']?.p50_us, 800);
  near(report['1h']?.max_us, 5_000);
  assert.equal(
    WINDOWS.map(({ name }) => report[name]!.calls),
    [10, 60, 300, 3_607],
  );
  assert.equal(
    WINDOWS.map(({ name }) => report[name]!.seconds),
    [10, 60, 300, 3_600],
  );
  assert.equal(scene.of(), report, 'the only command is all commands');
});

windows('forget what is older than an hour', () => {
  const scene = new Scene();
  scene.run(1, 9_000);
  for (let nth = 0; nth < 1_000; nth += 1) {
    scene.run(2, 10);
    scene.slice();
    const { seconds } = scene.of(2)['1h']!;
    const lived = 10 * (nth + 1);
    assert.ok(seconds === Math.min(lived, seconds) && seconds >= Math.min(lived, 3_600));
    assert.ok(seconds < 3_900, `an hour is ${seconds} s`);
  }
  assert.is(scene.of(1)['1h'], null);
  assert.is(scene.of(2)['1h']!.calls, scene.of(2)['1h']!.seconds / 10);
});

windows('do not count what was before they began', () => {
  const pages = new Scene().pages;
  pages[0]!.executed(0, 100);
  const later = new LatencyWindows(pages, shape.commands, 0);
  pages[1]!.executed(0, 100);
  later.take(SLICE_US);
  assert.is(windowsIn(later.table(), 0).now!.calls, 1);
});

windows('go on when the statistics are set back', () => {
  const scene = new Scene();
  scene.run(0, 100, 20);
  scene.slice();
  for (const page of scene.pages) page.resetStatistics();
  scene.run(0, 100, 4);
  scene.slice();
  assert.equal([scene.of(0).now!.calls, scene.of(0)['1m']!.calls], [4, 24]);
  for (const page of scene.pages) page.resetStatistics();
  scene.slice();
  assert.is(scene.of(0).now, null);
});

windows('add commands up', () => {
  const scene = new Scene();
  scene.run(0, 100, 99);
  scene.run(1, 10_000);
  scene.slice();
  const { now } = scene.of();
  assert.is(now!.calls, 100);
  near(now!.p50_us, 100);
  near(now!.max_us, 10_000);
});

windows('take bounded memory, whatever is called', () => {
  const many: PageShape = { databases: 1, commands: 300, errorCodes: 1 };
  const page = new Page(many, new ArrayBuffer(Page.bytes(many)));
  const kept = new LatencyWindows([page], many.commands, 0);
  let most = 0;
  for (let slice = 1; slice <= 12; slice += 1) {
    for (let command = 0; command < many.commands; command += 1) {
      for (let ticks = 1; ticks < 2 ** 30; ticks += Math.ceil(ticks / 64)) {
        page.executed(command, ticks);
      }
    }
    kept.take(slice * SLICE_US);
    most = Math.max(most, kept.bytes);
  }
  assert.ok(most > BYTES_MAX / 2 && most <= BYTES_MAX, `${most} bytes`);
  const report = windowsIn(kept.table(), 7);
  assert.ok(report['1h']!.seconds < 120, 'the longest window is shorter then, and says so');
  assert.ok(report.now!.calls > 0);
});

windows.run();
