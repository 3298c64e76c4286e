/** Digests of sources, of which those seen lately are remembered. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NamedDigests, SourceDigests } from './source-digests.ts';

const digests = suite('digests of sources');

const sha1 = (text: string): string => createHash('sha1').update(text).digest('hex');

digests('are right, whatever was asked for before, wherever the source lies', () => {
  const known = new SourceDigests();
  // Sources of one length that differ in one place share their place in the memory more often than not.
  const sources = ['', 'a', 'return 1', 'x'.repeat(100_000)];
  for (let nth = 0; nth < 300; nth += 1) sources.push(`${'y'.repeat(nth % 90)}z${'y'.repeat(90)}`);
  for (const round of [1, 2, 3]) {
    for (const source of sources) {
      const bytes = Buffer.from(`${'-'.repeat(round)}${source}--`);
      assert.is(known.of(bytes, round, source.length), sha1(source));
    }
    if (round === 2) known.clear();
  }
});

digests('are those of what was asked for, though its memory is used again', () => {
  const known = new SourceDigests();
  const bytes = Buffer.from('return 1');
  assert.is(known.of(bytes, 0, 8), sha1('return 1'));
  bytes.write('return 2');
  assert.is(known.of(bytes, 0, 8), sha1('return 2'));
  bytes.write('return 1');
  assert.is(known.of(bytes, 0, 8), sha1('return 1'));
});

digests('as they are named become lower case, one after the other', () => {
  const named = new NamedDigests();
  const upper = sha1('a').toUpperCase();
  for (const name of [upper, upper, sha1('b'), sha1('a'), upper]) {
    assert.is(named.of(Buffer.from(`--${name}`), 2, name.length), name.toLowerCase());
  }
  for (const name of ['', 'abc', `${upper}0`]) {
    assert.is(named.of(Buffer.from(name), 0, name.length), undefined);
  }
  assert.is(new NamedDigests().of(Buffer.alloc(40), 0, 40), '\0'.repeat(40));
});

digests.run();
