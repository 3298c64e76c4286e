import { withRandom } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HotWindows, mergeWindow, windowAt, type HotWindowOptions } from './hot-window.ts';

const windows = suite('hot key windows');

const OPTIONS: HotWindowOptions = { isEnabled: true, topKeys: 3, seconds: 10, sample: 1 };
/** The first millisecond of a window. */
const START = 1_700_000_000_000;
const FIRST = windowAt(START, 10);

function watching(options = OPTIONS, random = (): number => 0.5): HotWindows {
  const watch = new HotWindows(random);
  watch.configure(options, START);
  return watch;
}

function use(watch: HotWindows, name: string, nowMs: number, times = 1, isWrite = false): void {
  for (let nth = 0; nth < times; nth += 1) {
    if (watch.samples()) watch.sampled(name, isWrite, nowMs);
  }
}

windows('a window is told once it is over, and the first one never', () => {
  const watch = watching();
  use(watch, '0:a', START + 1);
  assert.is(watch.answer(FIRST, START + 9_999), null);
  assert.is(watch.answer(FIRST, START + 10_000), null, 'it was not watched from its beginning');
  use(watch, '0:b', START + 10_000, 2);
  use(watch, '0:b', START + 19_999, 1, true);
  use(watch, '0:c', START + 20_000);
  const share = watch.answer(FIRST + 1, START + 20_001)!;
  assert.is(share.samples, 3);
  assert.equal(
    share.keys.map(([database, key, ...counts]) => [database, Buffer.from(key).toString(), counts]),
    [[0, 'b', [2, 1, 0]]],
  );
});

windows('a window in which nothing happened is told empty', () => {
  const watch = watching();
  use(watch, '0:a', START + 10_000);
  assert.is(watch.answer(FIRST + 3, START + 45_000)!.samples, 0);
  assert.is(watch.answer(FIRST + 1, START + 45_000)!.samples, 0, 'nothing older is kept');
});

windows('a window is told though nothing has happened since', () => {
  const watch = watching();
  use(watch, '0:a', START + 10_000);
  assert.is(watch.answer(FIRST + 1, START + 20_000)!.samples, 1);
});

windows('a clock that is set back counts on', () => {
  const watch = watching();
  use(watch, '0:a', START + 20_000);
  use(watch, '0:a', START + 15_000);
  assert.is(watch.answer(FIRST + 2, START + 30_000)!.samples, 2);
});

windows('options that change begin anew, and the same ones do not', () => {
  const watch = watching();
  use(watch, '0:a', START + 10_000);
  watch.configure({ ...OPTIONS }, START + 20_000);
  assert.is(watch.answer(FIRST + 1, START + 20_000)!.samples, 1);
  for (const change of [{ topKeys: 4 }, { sample: 2 }, { isEnabled: false }, { isEnabled: true }]) {
    watch.configure({ ...OPTIONS, ...change }, START + 20_000);
    assert.is(watch.answer(FIRST + 1, START + 20_000), null, JSON.stringify(change));
  }
  assert.ok(watch.isActive);
});

windows('keys that did not fit are told as an error, and the floor says so', () => {
  const watch = watching();
  // More keys than the sketch has room for, each once.
  for (let nth = 0; nth < 513; nth += 1) use(watch, `0:key:${nth}`, START + 10_000);
  const share = watch.answer(FIRST + 1, START + 20_000)!;
  assert.is(share.unknownMax, 1);
  const newest = share.keys.find(([, , , , error]) => error > 0);
  assert.equal(newest?.slice(2), [1, 0, 1], 'one use, and one inherited');
  const report = mergeWindow(FIRST + 1, [share], OPTIONS);
  assert.is(report.floorPerSecond, 0.1);
});

windows('shares are added up by database and key, and shown as rates', () => {
  const share = (uses: readonly (readonly [name: string, times: number, isWrite: boolean])[]) => {
    const watch = watching({ ...OPTIONS, seconds: 10 });
    for (const [name, times, isWrite] of uses) use(watch, name, START + 10_000, times, isWrite);
    return watch.answer(FIRST + 1, START + 20_000)!;
  };
  const shares = [
    share([
      ['0:a', 30, false],
      ['0:b', 10, true],
    ]),
    share([
      ['0:a', 10, true],
      ['1:a', 20, false],
      ['0:c', 1, false],
    ]),
  ];
  const report = mergeWindow(FIRST + 1, shares, OPTIONS);
  assert.is(report.startMs, START + 10_000);
  assert.is(report.samples, 71);
  assert.is(report.opsPerSecond, 7.1);
  assert.equal(
    report.keys.map(({ database, key, ...rates }) => [
      `${database}:${Buffer.from(key).toString()}`,
      ...[rates.opsPerSecond, rates.readsPerSecond, rates.writesPerSecond, rates.errorPerSecond],
    ]),
    [
      ['0:a', 4, 3, 1, 0],
      ['1:a', 2, 2, 0, 0],
      ['0:b', 1, 0, 1, 0],
    ],
  );
});

windows(
  'what is sampled lies within the error that is told',
  withRandom((random) => {
    const options = { ...OPTIONS, sample: 10, topKeys: 20 };
    const watch = watching(options, () => random.fraction());
    const times = 20_000;
    // A fixed pattern, with which sampling by counting would fall into step.
    for (let nth = 0; nth < times; nth += 1) use(watch, `0:${nth % 10}`, START + 10_000);
    const share = watch.answer(FIRST + 1, START + 20_000)!;
    const { keys } = mergeWindow(FIRST + 1, [share], options);
    assert.is(keys.length, 10);
    for (const { opsPerSecond, errorPerSecond } of keys) {
      // The reported error is three deviations; for ten keys at a time, four deviations hold.
      const off = Math.abs(opsPerSecond - times / 100);
      assert.ok(off <= (4 / 3) * errorPerSecond, `${opsPerSecond}, ${errorPerSecond}`);
      assert.ok(errorPerSecond > 0 && errorPerSecond < 60);
    }
  }),
);

windows.run();
