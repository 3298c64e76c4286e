/** Checksums of blocks in pieces. */
import { fromLatin1 } from '#base';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checksum } from './block.ts';

const blocks = suite('block');

blocks('pieces have the checksum of the whole, empty ones too', () => {
  const whole = checksum([fromLatin1('a record and another')]);
  const pieces = ['', 'a record', '', ' and another', ''].map(fromLatin1);
  assert.is(checksum(pieces), whole);
});

blocks.run();
