/** A thread's measurement of its own pauses, compared with pauses made by the test. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '#base';
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { totalCount } from '../page/histogram.ts';
import { Page, THREAD_SHAPE } from '../page/page.ts';
import { GC_KINDS, GcPauses, LoopDelay, pauseReport } from './thread-pauses.ts';

const pauses = suite('pauses of a thread');

const newPage = (): Page => new Page(THREAD_SHAPE, new ArrayBuffer(Page.bytes(THREAD_SHAPE)));

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void;

pauses('garbage collections are counted by kind, with their time, and told of', async () => {
  const page = newPage();
  const reported: { endUs: number; us: number; kind: string }[] = [];
  const collections = new GcPauses(page, (endUs, us, kind) => {
    reported.push({ endUs, us, kind: GC_KINDS[kind]!.kind });
  });
  collections.start();
  const beganUs = systemClock.nowUs();
  collect();
  collect();
  await until(() => {
    collections.take();
    return page.get('gcMajor') >= 2;
  }, 'two collections are counted');
  const endedUs = systemClock.nowUs();
  collections.stop();
  const report = pauseReport(page);
  assert.is(report.collections, reported.length);
  assert.ok(page.get('gcMajorUs') > 0 && page.get('gcMajorUs') < endedUs - beganUs);
  assert.is(report.collectionUsMax, Math.max(...reported.map(({ us }) => us)));
  for (const { endUs, us } of reported) {
    assert.ok(endUs - us >= beganUs && endUs <= endedUs, 'it lies within the time of the test');
  }
  collect();
  collections.take();
  assert.is(pauseReport(page).collections, reported.length, 'what has stopped counts no more');
});

pauses('an event loop that is held up is late', async () => {
  const page = newPage();
  const loop = new LoopDelay(page, systemClock);
  loop.start();
  await until(() => totalCount(page.loopHistogram) > 0, 'the loop was looked at');
  const untilUs = systemClock.nowUs() + 100_000;
  while (systemClock.nowUs() < untilUs);
  await until(() => pauseReport(page).loopUsMax >= 75_000, 'the delay is seen');
  loop.stop();
  assert.ok(page.get('loopUs') >= 75_000);
});

pauses('nothing counted is nothing', () => {
  assert.equal(pauseReport(newPage()), {
    collections: 0,
    collectionUs: 0,
    collectionUsMax: 0,
    loopCount: 0,
    loopUsP50: 0,
    loopUsP99: 0,
    loopUsMax: 0,
  });
});

pauses.run();
