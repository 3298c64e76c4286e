/** Resident memory is read, and known also while it cannot be read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { residentBytes } from './resident-memory.ts';

const memory = suite('resident memory');

memory('without a descriptor left it is what it was', () => {
  const before = residentBytes();
  assert.ok(before > 0);
  const rss = process.memoryUsage.rss.bind(process.memoryUsage);
  process.memoryUsage.rss = () => {
    throw new Error('EMFILE: too many open files, uv_resident_set_memory');
  };
  assert.is(residentBytes(), before);
  process.memoryUsage.rss = rss;
  assert.ok(residentBytes() > 0);
});

memory.run();
