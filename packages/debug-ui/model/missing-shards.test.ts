import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { missingText } from './missing-shards.ts';

const missing = suite('missing shards');

missing('one shard is named in the singular, several in the plural', () => {
  const of = (...shards: number[]): string => missingText(shards, 'its entries');
  assert.is(of(3), 'Shard 3 did not reply in time; its entries are missing.');
  assert.is(of(0, 2), 'Shards 0 and 2 did not reply in time; their entries are missing.');
  assert.is(of(0, 1, 7), 'Shards 0, 1 and 7 did not reply in time; their entries are missing.');
});

missing.run();
