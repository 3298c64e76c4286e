/** Settings where a container limits processors and memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { MachineLimits } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { frontCount } from '../front-count.ts';
import { load, type Loaded } from '../load.ts';

const container = suite('defaults in a container');

const MIB = 2 ** 20;
const GIB = 2 ** 30;

function limitsOf(processors: number, memoryLimitBytes: number | undefined): MachineLimits {
  return {
    processors,
    memoryBytes: memoryLimitBytes ?? 64 * GIB,
    processorLimit: processors,
    memoryLimitBytes,
  };
}

function started(limits: MachineLimits, ...args: readonly string[]): Loaded {
  return load({ args, environment: {}, folder: '/nowhere', limits });
}

function maxMemory(limits: MachineLimits, ...args: readonly string[]): number {
  return started(limits, ...args).settings.number('memory.maxmemory');
}

container('maxmemory has no limit on a machine without one', () => {
  assert.is(maxMemory(limitsOf(8, undefined)), 0);
});

container('maxmemory leaves room for the server and its buffers', () => {
  assert.is(maxMemory(limitsOf(2, 4 * GIB)), (4 * 1024 - 192) * 0.75 * MIB);
  assert.is(maxMemory(limitsOf(2, 512 * MIB)), 240 * MIB);
  assert.is(maxMemory(limitsOf(2, 128 * MIB)), 32 * MIB);
});

container('maxmemory that was given stays, and 0 too', () => {
  assert.is(maxMemory(limitsOf(2, 512 * MIB), '--maxmemory', '100mb'), 100 * MIB);
  assert.is(maxMemory(limitsOf(2, 512 * MIB), '--maxmemory', '0'), 0);
});

function warnings(limits: MachineLimits, ...args: readonly string[]): readonly string[] {
  return started(limits, ...args).warnings.map(({ event }) => event);
}

container('maxmemory above the limit is reported', () => {
  const event = 'maxmemory-above-limit';
  assert.ok(warnings(limitsOf(2, 512 * MIB), '--maxmemory', '1gb').includes(event));
  assert.not.ok(warnings(limitsOf(2, 512 * MIB), '--maxmemory', '256mb').includes(event));
  assert.not.ok(warnings(limitsOf(2, undefined), '--maxmemory', '1gb').includes(event));
});

container('front threads follow the processors of the container', () => {
  assert.equal(
    [1, 2, 3, 4, 6, 12].map((cores) => frontCount(-1, cores)),
    [0, 0, 0, 1, 2, 4],
  );
});

container('more front threads than processors are reported', () => {
  const three = ['--set', 'server.front-threads=3'];
  assert.ok(warnings(limitsOf(2, undefined), ...three).includes('too-many-front-threads'));
  assert.not.ok(warnings(limitsOf(8, undefined), ...three).includes('too-many-front-threads'));
  assert.not.ok(warnings(limitsOf(1, undefined)).includes('too-many-front-threads'));
});

container('io-threads of a redis.conf for a larger machine are reported', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'config-'));
  try {
    const file = path.join(folder, 'redis.conf');
    writeFileSync(file, 'io-threads 4\n');
    assert.ok(
      warnings(limitsOf(2, undefined), '--config', file).includes('too-many-front-threads'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

container.run();
