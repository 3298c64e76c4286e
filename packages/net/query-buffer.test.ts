import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QueryBuffer } from './query-buffer.ts';

const queries = suite('query buffer');

const KIB = 1024;

const textOf = ({ bytes, start, end }: QueryBuffer): string => bytes.toString('latin1', start, end);

queries('keeps what was added and not taken', () => {
  const buffer = new QueryBuffer();
  let expected = '';
  for (let round = 0; round < 5_000; round += 1) {
    const text = `${String(round)};`.repeat(1 + (round % 7));
    const source = Buffer.from(`..${text}`);
    buffer.append(source, 2, text.length, 1);
    expected += text;
    const taken = Math.min(buffer.length, (round % 11) * 4);
    buffer.start += taken;
    expected = expected.slice(taken);
    assert.is(textOf(buffer), expected);
  }
});

queries('memory of what was taken is used again', () => {
  const buffer = new QueryBuffer();
  const part = Buffer.alloc(3 * KIB);
  for (let round = 0; round < 1_000; round += 1) {
    buffer.append(part, 0, part.length, 1);
    buffer.start += part.length - 1;
    buffer.start = Math.min(buffer.start, buffer.end - 1);
  }
  assert.ok(buffer.bytes.length <= 32 * KIB, String(buffer.bytes.length));
});

queries('a long command gets the memory that it needs, once much of it is there', () => {
  const buffer = new QueryBuffer();
  const part = Buffer.alloc(64 * KIB);
  const needed = 4 * KIB * KIB;
  const sizes = new Set<number>();
  while (buffer.length < needed) {
    buffer.append(part, 0, part.length, needed);
    sizes.add(buffer.bytes.length);
  }
  assert.equal([...sizes], [512 * KIB, needed]);
});

queries('a command of 8 MiB that is alone can be given away, with room around it', () => {
  const part = Buffer.alloc(64 * KIB, 'x');
  const needed = 8 * KIB * KIB;
  const buffer = new QueryBuffer();
  const sizes = new Set<number>();
  while (buffer.length < needed) {
    buffer.append(part, 0, part.length, needed);
    sizes.add(buffer.bytes.length);
  }
  assert.equal([...sizes].slice(0, 2), [512 * KIB, 4_608 * KIB], 'while little of it is there');
  assert.is(sizes.size, 3);
  assert.ok(buffer.isGivable);
  assert.ok(buffer.start >= 4 * KIB);
  assert.is(textOf(buffer), 'x'.repeat(needed));
  buffer.append(part, 0, part.length, needed);
  assert.is(sizes.size, new Set([...sizes, buffer.bytes.length]).size, 'what follows has room');
  buffer.start += needed;
  assert.not.ok(buffer.isGivable, 'another command is in the same memory');
  const short = new QueryBuffer();
  short.append(part, 0, part.length, needed - 1);
  assert.not.ok(short.isGivable);
});

queries('a command that is only announced takes no memory', () => {
  const buffer = new QueryBuffer();
  buffer.append(Buffer.from('*2'), 0, 2, 512 * KIB * KIB);
  assert.is(buffer.bytes.length, 4 * KIB);
});

queries.run();
