/** Heaps of threads where a container limits the memory. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { heapLimits } from './heap-limits.ts';

const heaps = suite('heap limits');

const MIB = 2 ** 20;

function oldMb(memoryLimitBytes: number | undefined): number | undefined {
  const limits = {
    processors: 2,
    memoryBytes: memoryLimitBytes ?? 2 ** 35,
    processorLimit: undefined,
    memoryLimitBytes,
  };
  const { maxYoungGenerationSizeMb, maxOldGenerationSizeMb } = heapLimits(16, limits);
  assert.is(maxYoungGenerationSizeMb, 16);
  return maxOldGenerationSizeMb;
}

heaps('are V8’s where memory is not limited', () => {
  assert.is(oldMb(undefined), undefined);
});

heaps('take at most half of a container', () => {
  assert.is(oldMb(512 * MIB), 256);
  assert.is(oldMb(64 * 1024 * MIB), 4_096);
});

heaps.run();
