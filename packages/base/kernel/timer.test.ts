import { readSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../time/clock.ts';
import { loadKernelTimer } from './timer.ts';

const timers = suite('timer of the kernel');

/** Returns how often the time was up since the last look; 0 while it is not. */
function ends(descriptor: number): bigint {
  const count = new BigUint64Array(1);
  try {
    readSync(descriptor, count);
  } catch (error) {
    assert.is((error as NodeJS.ErrnoException).code, 'EAGAIN');
  }
  return count[0]!;
}

timers('is up once, not before its time, and also after a fraction of a microsecond', async () => {
  const timer = await loadKernelTimer();
  assert.is(ends(timer.descriptor), 0n);
  for (const us of [2_000_500, 0.25, 1_500]) {
    const startUs = systemClock.nowUs();
    timer.start(us);
    if (us > 1_000_000) continue; // The next one takes its place.
    while (ends(timer.descriptor) === 0n);
    assert.ok(systemClock.nowUs() - startUs >= us);
    assert.is(ends(timer.descriptor), 0n);
  }
});

timers.run();
