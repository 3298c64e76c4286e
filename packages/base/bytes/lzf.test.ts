/** LZF there and back, and what is no LZF. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compressLzf, decompressLzf } from './lzf.ts';

const lzf = suite('lzf');

/** Compressed and read back; undefined when it did not get smaller. */
function thereAndBack(source: Uint8Array, room = source.length): Uint8Array | undefined {
  const target = new Uint8Array(room);
  const count = compressLzf(source, 0, source.length, target);
  if (count === 0) return undefined;
  const back = new Uint8Array(source.length);
  assert.ok(decompressLzf(target.subarray(0, count), back, source.length));
  return back;
}

const texts: readonly (readonly [name: string, text: string])[] = [
  ['one letter', 'a'.repeat(1000)],
  ['a pattern', 'abc'.repeat(500)],
  ['long literals between matches', `${digits(100)}xyzxyzxyz${digits(200)}${digits(100)}`],
  ['a match of the longest length and one more', `${'q'.repeat(3)}${'q'.repeat(265)}r`],
];

for (const [name, text] of texts) {
  lzf(`brings back ${name}`, () => {
    const source = Buffer.from(text, 'latin1');
    assert.equal(Buffer.from(thereAndBack(source) ?? []).toString('latin1'), text);
  });
}

lzf('brings back matches at the farthest distance, and none beyond', () => {
  for (const distance of [8190, 8191, 8192, 8193]) {
    const source = Buffer.concat([
      Buffer.from('marker'),
      noise(distance - 6),
      Buffer.from('marker'),
    ]);
    assert.equal(thereAndBack(source, source.length * 2), new Uint8Array(source));
  }
});

lzf('gives up on what does not get smaller', () => {
  assert.is(thereAndBack(noise(1000)), undefined);
});

lzf('reads what another compressor wrote', () => {
  // Three bytes as they are, then ten from three bytes back.
  const packed = Uint8Array.from([2, 0x61, 0x62, 0x63, 0xe0, 1, 2]);
  const back = new Uint8Array(13);
  assert.ok(decompressLzf(packed, back, 13));
  assert.is(Buffer.from(back).toString('latin1'), 'abcabcabcabca');
});

lzf('refuses what is cut off, too long, or points before the beginning', () => {
  const back = new Uint8Array(20);
  for (const bytes of [
    [2, 0x61],
    [2, 0x61, 0x62, 0x63],
    [0x20, 0],
    [0, 0x61, 0xe0, 200, 0],
    [0xe0],
  ]) {
    assert.not.ok(decompressLzf(Uint8Array.from(bytes), back, 20));
  }
});

function digits(count: number): string {
  let text = '';
  for (let nth = 0; nth < count; nth += 1) text += String.fromCharCode(33 + ((nth * 37) % 90));
  return text;
}

/** Bytes in which nothing repeats for long. */
function noise(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  let state = 1;
  for (let index = 0; index < count; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

lzf.run();
