/** Fragmentation sets what is resident against the empty server and the data together. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Page, type PageShape } from '../page/page.ts';
import { fragmentation, usedMemory } from './used-memory.ts';

const memory = suite('used memory');

const MIB = 1024 * 1024;
const shape: PageShape = { databases: 1, commands: 1, errorCodes: 1 };

function pages(
  startup: number,
  clients: number,
  ...data: number[]
): { main: Page; shards: Page[] } {
  const page = (): Page => new Page(shape, new ArrayBuffer(Page.bytes(shape)));
  const main = page();
  main.set('startupBytes', startup);
  main.set('clientMemoryBytes', clients);
  const shards = data.map((bytes) => {
    const shard = page();
    shard.set('usedBytes', bytes);
    return shard;
  });
  return { main, shards };
}

memory('is what the keys of all shards and the clients take', () => {
  const { main, shards } = pages(150 * MIB, 1, 20, 300);
  assert.is(usedMemory(main, shards), 321);
});

const cases: readonly (readonly [
  what: string,
  startupMib: number,
  usedMib: number,
  rssMib: number,
  ratio: number,
])[] = [
  ['an empty server has none', 150, 0, 150, 1],
  ['nor has one with little data', 150, 1, 151, 1],
  ['much data counts by itself', 100, 900, 1_500, 1.5],
  ['pages that were not touched are negative', 100, 100, 180, 0.9],
];

for (const [what, startup, used, rss, ratio] of cases) {
  memory(what, () => {
    const { main, shards } = pages(startup * MIB, 0, used * MIB);
    const found = fragmentation(rss * MIB, main, shards);
    assert.is(found.ratio, ratio);
    assert.is(found.bytes, (rss - startup - used) * MIB);
  });
}

memory('is 1 where nothing was measured yet', () => {
  const { main, shards } = pages(0, 0, 0);
  assert.is(fragmentation(MIB, main, shards).ratio, 1);
});

memory.run();
