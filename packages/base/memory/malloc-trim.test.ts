/** Runs with glibc only: other C libraries give memory back by themselves, or not at all. */
import { until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { collectGarbage } from './garbage.ts';
import { mallocTrim } from './malloc-trim.ts';

const trims = suite('malloc trim');

const report = process.report.getReport() as unknown as {
  readonly header: { readonly glibcVersionRuntime?: string };
};
const isGlibc = report.header.glibcVersionRuntime !== undefined;

trims('is there with glibc, and nowhere else', async () => {
  assert.is((await mallocTrim()) !== undefined, isGlibc);
});

trims('is loaded once', async () => {
  assert.is(await mallocTrim(), await mallocTrim());
});

trims('gives back the memory of freed blocks', async () => {
  const trim = await mallocTrim();
  if (trim === undefined) return;
  // Every second block stays, so that no heap of malloc gets a free end.
  const blocks: (Uint8Array | undefined)[] = Array.from({ length: 2_000 }, () => {
    return new Uint8Array(100_000).fill(1);
  });
  for (let nth = 0; nth < blocks.length; nth += 2) blocks[nth] = undefined;
  const before = process.memoryUsage.rss();
  collectGarbage();
  // V8 frees the memory of collected objects in a separate thread.
  await until(() => {
    trim();
    return before - process.memoryUsage.rss() > 50_000_000;
  }, 'the memory is given back');
  assert.is(blocks.at(-1)![0], 1);
});

trims.run();
