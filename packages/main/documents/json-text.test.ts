/** Keys in JSON: texts, bytes, and texts cut within a character. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginningAsText, keyAsText } from './json-text.ts';

const text = suite('bytes as JSON');

text('a key is a text, or a character for each byte', () => {
  assert.equal(keyAsText(Buffer.from('é<b>')), { key: 'é<b>', binary: false });
  assert.equal(keyAsText(Buffer.from([0xff, 0])), { key: '\xff\0', binary: true });
  assert.equal(keyAsText(Buffer.alloc(0)), { key: '', binary: false });
});

const beginnings: readonly (readonly [bytes: Buffer, key: string, binary: boolean])[] = [
  [Buffer.from('plain'), 'plain', false],
  [Buffer.from('xé').subarray(0, 2), 'x', false],
  [Buffer.from('x€').subarray(0, 3), 'x', false],
  [Buffer.from('x😀').subarray(0, 4), 'x', false],
  [Buffer.from('x😀'), 'x😀', false],
  [Buffer.from([0x78, 0xff, 0x79, 0x79, 0x79, 0x79]), 'x\xffyyyy', true],
];
for (const [bytes, key, binary] of beginnings) {
  text(`the beginning ${bytes.toString('hex')}`, () => {
    assert.equal(beginningAsText(bytes), { key, binary });
  });
}

text.run();
