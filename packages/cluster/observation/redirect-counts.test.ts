/** Redirects are counted by library, for a limited number of libraries. */

import { Page } from '#stats';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RedirectCounts } from './redirect-counts.ts';

const redirects = suite('counts of redirects');

const SHAPE = { databases: 1, commands: 1, errorCodes: 1 };

redirects('are kept for each library, and for those of none', () => {
  const page = new Page(SHAPE, new ArrayBuffer(Page.bytes(SHAPE)));
  const counts = new RedirectCounts(page);
  counts.count('moved', { libraryName: 'one' });
  counts.count('moved', { libraryName: '' });
  counts.count('ask', { libraryName: 'one' });
  assert.equal(counts.byLibrary, [
    { library: 'one', moved: 1, ask: 1, tryagain: 0, crossslot: 0, clusterdown: 0 },
    { library: 'unknown', moved: 1, ask: 0, tryagain: 0, crossslot: 0, clusterdown: 0 },
  ]);
  assert.equal(counts.totals, { moved: 2, ask: 1, tryagain: 0, crossslot: 0, clusterdown: 0 });
  assert.is(page.get('clusterMoved'), 2);
});

redirects('of more libraries than are kept are counted together', () => {
  const page = new Page(SHAPE, new ArrayBuffer(Page.bytes(SHAPE)));
  const counts = new RedirectCounts(page);
  for (let nth = 0; nth < 1_000; nth += 1) counts.count('moved', { libraryName: `lib-${nth}` });
  assert.is(counts.byLibrary.length, 33);
  const other = counts.byLibrary.find(({ library }) => library === 'other');
  assert.is(other?.moved, 1_000 - 32);
  assert.is(counts.totals.moved, 1_000);
});

redirects.run();
