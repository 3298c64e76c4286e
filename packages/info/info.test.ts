/** Rows of the table of quantities in INFO. */

import { KEY_QUANTITIES } from '#quantities';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { unshownRows } from './info.ts';

const info = suite('INFO');

info('shows rows of lists that no section has a place for', () => {
  const { lookups, evicted, expired } = KEY_QUANTITIES;
  const rows = [...lookups, ...evicted, ...expired, ...KEY_QUANTITIES.changes];
  const sections = [[lookups, () => []], [{ when: () => false, parts: [evicted] }]];
  assert.equal(unshownRows(rows, sections), expired);
});

info.run();
